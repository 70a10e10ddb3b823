/* gcrypt key id: the keys in files, as key slots name them. */
#include <stdio.h>

#include "cli/args/command.h"
#include "command/hex.h"
#include "cli/secrets/secret.h"
#include "command/message.h"
#include "gpucrypt/keys/slot.h"
#include "gpucrypt/status.h"

static int print_key(const char *name, const struct gpucrypt_secret *key)
{
	char digits[2 * KEY_ID_BYTES + 1];
	uint8_t id[KEY_ID_BYTES];
	int status = public_key_id(id, key);

	hex_encode(digits, id, sizeof id);
	if (status == GPUCRYPT_OK)
		printf("%s: %s, %u bits, key id %s\n", name, slot_type_of(key->type)->name, public_key_bits(key),
		        digits);
	return status;
}

static int print_all(const char *name, const struct pem_keys *keys)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; status == GPUCRYPT_OK && i < keys->n; i++)
		status = print_key(name, &keys->keys[i].secret);
	return status;
}

static int print_private(const char *name, const struct text_list *names)
{
	struct secret secret = { 0 };
	int status = identities_read(&secret, names, NULL) ?: identities_open_all(&secret, true);
	const struct locked_secret *locked = secret.derived.locked;

	if (status == GPUCRYPT_OK)
		status = locked && !locked->asked ? print_key(name, &locked->public)
		                                  : print_all(name, &secret.identities);
	secret_wipe(&secret);
	return status;
}

/* A file without private keys has public ones. */
static int print_keys(const char *name)
{
	const struct text_list names = { .texts = { name }, .n = 1 };
	struct pem_keys keys;
	int status = print_private(name, &names);

	if (status != GPUCRYPT_USAGE)
		return status;
	fail_clear();
	status = recipients_read(&keys, &names) ?: print_all(name, &keys);
	pem_keys_free(&keys);
	return status;
}

int cmd_key_id(const struct options *options)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 1; i < options->parsed.n_operands && status == GPUCRYPT_OK; i++)
		status = print_keys(options->parsed.operands[i]);
	return status;
}
