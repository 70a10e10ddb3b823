#include "command/hex.h"

#include <openssl/crypto.h>

static const char small[] = "0123456789abcdef";

void hex_encode(char *digits, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++) {
		*digits++ = small[bytes[i] >> 4];
		*digits++ = small[bytes[i] & 15];
	}
	*digits = '\0';
}

bool hex_decode(uint8_t *bytes, size_t n_bytes, const char *digits)
{
	for (size_t i = 0; i < n_bytes; i++) {
		int high = OPENSSL_hexchar2int((unsigned char)digits[2 * i]);
		int low = high < 0 ? -1 : OPENSSL_hexchar2int((unsigned char)digits[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
