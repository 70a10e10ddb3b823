#include "command/hex.h"

static const char small[] = "0123456789abcdef";

void hex_encode(char *digits, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++) {
		*digits++ = small[bytes[i] >> 4];
		*digits++ = small[bytes[i] & 15];
	}
	*digits = '\0';
}

static int value(char digit)
{
	char letter = (char)(digit | 0x20);

	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool hex_decode(uint8_t *bytes, size_t n_bytes, const char *digits)
{
	for (size_t i = 0; i < n_bytes; i++) {
		int high = value(digits[2 * i]), low = value(digits[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
