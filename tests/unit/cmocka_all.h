/* cmocka.h with the headers it asks for, and bytes from hexadecimal digits. */
#ifndef CMOCKA_ALL_H
#define CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* a function of status.h */

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static inline uint8_t hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *found = strchr(digits, c);

	assert_non_null(found);
	return (uint8_t)(found - digits);
}

/* The digits fill the bytes exactly. */
static inline void from_hex(uint8_t *bytes, size_t n_bytes, const char *hex)
{
	assert_int_equal(strlen(hex), 2 * n_bytes);
	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
}

static inline void assert_hex(const uint8_t *bytes, size_t n_bytes, const char *hex)
{
	uint8_t expected[512];

	assert_in_range(n_bytes, 1, sizeof expected);
	from_hex(expected, n_bytes, hex);
	assert_memory_equal(bytes, expected, n_bytes);
}

/* first, first + 1, … */
static inline void count_up(uint8_t *bytes, size_t n_bytes, uint8_t first)
{
	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)(first + i);
}

#endif
