/* The MAC of a manifest's text (gcrypt(5), "Manifests"): file keys of the secret are not enough to make it. */
#include "cli/manifest/manifest.h"

#include <openssl/crypto.h>
#include <string.h>

#include "command/hex.h"
#include "gpucrypt/status.h"

#define MEMBER "\"mac\":\""

/* The MAC's digits in the first line; NULL: a manifest of an earlier release. */
static char *find_digits(char *text)
{
	char *member = strstr(text, MEMBER), *digits = member ? member + strlen(MEMBER) : NULL;

	return digits && strspn(digits, "0123456789abcdef") == MANIFEST_MAC_DIGITS && digits < strchr(text, '\n')
	               ? digits
	               : NULL;
}

/* Compute the MAC of the text with zeros in the place of the digits. */
static int compute_mac(uint8_t mac[MAC_BYTES], char *text, char *digits, const struct header *header,
        const struct key_slot *slot, const struct gpucrypt_secret *secret)
{
	uint8_t key[32];
	int status = key_slot_bound_key(key, slot, secret, header->file_salt, LABEL_MANIFEST);

	memset(digits, '0', MANIFEST_MAC_DIGITS);
	if (status == GPUCRYPT_OK)
		status = hmac_sha256(mac, key, (const uint8_t *)text, strlen(text));
	wipe(key, sizeof key);
	return status;
}

int manifest_mac_set(char *text, const uint8_t copy[HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	char *digits = find_digits(text), made[MANIFEST_MAC_DIGITS + 1];
	uint8_t mac[MAC_BYTES];
	struct header header;
	int status = header_decode(&header, copy);

	if (status == GPUCRYPT_OK)
		status = compute_mac(mac, text, digits, &header, &header.slots[0], secret);
	if (status != GPUCRYPT_OK)
		return status;
	hex_encode(made, mac, sizeof mac);
	memcpy(digits, made, MANIFEST_MAC_DIGITS);
	return GPUCRYPT_OK;
}

bool manifest_mac_holds(char *text, const struct authenticated_header *header)
{
	char *digits = find_digits(text), given_digits[MANIFEST_MAC_DIGITS + 1] = "";
	uint8_t mac[MAC_BYTES], given[MAC_BYTES];
	bool holds;

	if (!digits)
		return false;
	memcpy(given_digits, digits, MANIFEST_MAC_DIGITS);
	holds = hex_decode(given, sizeof given, given_digits) &&
	        compute_mac(mac, text, digits, &header->header, &header->header.slots[header->slot], header->opener) ==
	                GPUCRYPT_OK &&
	        CRYPTO_memcmp(mac, given, sizeof mac) == 0;
	fail_clear();
	return holds;
}
