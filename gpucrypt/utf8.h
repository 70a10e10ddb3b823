/* UTF-8 (RFC 3629). */
#ifndef GPUCRYPT_UTF8_H
#define GPUCRYPT_UTF8_H

#include <stddef.h>

/* Bytes of the character at a text with a terminator; 0: there is none, or the bytes are not UTF-8. */
static inline size_t utf8_character_bytes(const unsigned char *text)
{
	unsigned char first = text[0], second = text[0] != 0 ? text[1] : 0;
	size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than needed, surrogates, beyond the last character. */
	if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
	        (first == 0xf4 && second > 0x8f))
		return 0;
	return n;
}

#endif
