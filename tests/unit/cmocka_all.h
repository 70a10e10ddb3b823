/*
 * cmocka.h with the headers it asks for; TEST(), which defines a test and registers it; bytes from
 * hexadecimal digits.
 */
#ifndef TESTS_UNIT_CMOCKA_ALL_H
#define TESTS_UNIT_CMOCKA_ALL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* a function of status.h, which cmocka's fail_msg() would call */
#undef fail_msg
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), assert_true(false))

#include "gpucrypt/status.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* main() in tests/unit/main.c runs the tests in the order of the file. */
#define TEST(name)                                                     \
	static void name(void **cmocka_state);                         \
	__attribute__((constructor)) static void name##_register(void) \
	{                                                              \
		test_register(#name, name);                            \
	}                                                              \
	static void name(__attribute__((unused)) void **cmocka_state)

void test_register(const char *name, CMUnitTestFunction run_test);

/* Set-up and tear-down of the program and of each test. A test program may define any of these functions; undefined
 * ones do nothing. */
void program_set_up(void);
void program_tear_down(void);
void test_set_up(void);
void test_tear_down(void);

/* From program_set_up(): the program ends, and tests/check counts it as skipped. */
void program_skip(const char *reason);

/* Memory and descriptors, which are released after the test; if program_set_up() asked for them, after the last one.
 * Only a test that would take too many releases them itself. */
void *kept_allocate(size_t n_bytes); /* zeros */
void *kept_reallocate(void *memory, size_t n_bytes);
void kept_free(void *memory);
int kept_fd(int fd);
void kept_close(int fd);

/* make check runs one in this number of the cases that check-long runs (GCRYPT_TEST_ONE_IN); 1: all. */
static inline unsigned test_one_in(void)
{
	const char *one_in = getenv("GCRYPT_TEST_ONE_IN");

	return one_in == NULL ? 1 : (unsigned)strtoul(one_in, NULL, 10);
}

/* A function that the linker replaces (--wrap=function in the Makefile): the test's own one, and the real one. */
#define WRAPPED(function) __typeof__(function) __wrap_##function, __real_##function

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

/* Prints both when it fails. */
static inline void assert_contains(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		print_error("no \"%s\" in:\n%s\n", part, text);
	assert_non_null(strstr(text, part));
}

static inline void assert_within(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		print_error("%.9g is not %.9g\n", value, expected);
	assert_true(fabs(value - expected) <= tolerance);
}

/* A call of the library has this status; gpucrypt_error() is its message. */
#define assert_status(call, expected)                                     \
	do {                                                              \
		int status_;                                              \
		fail_clear();                                             \
		status_ = (call);                                         \
		if (status_ != (int)(expected))                           \
			print_error("%s: %s\n", #call, gpucrypt_error()); \
		assert_int_equal(status_, expected);                      \
	} while (0)
#define assert_ok(call) assert_status(call, GPUCRYPT_OK)

/* It fails with this message, or with one that has this part. */
#define assert_fails(call, expected, message)                   \
	do {                                                    \
		assert_status(call, expected);                  \
		assert_string_equal(gpucrypt_error(), message); \
	} while (0)
#define assert_fails_about(call, expected, part)         \
	do {                                             \
		assert_status(call, expected);           \
		assert_contains(gpucrypt_error(), part); \
	} while (0)

/* But for rounding. */
static inline void assert_close(double value, double expected)
{
	assert_within(value, expected, 1e-6 * fabs(expected));
}

/* first, first + 1, … */
static inline void count_up(uint8_t *bytes, size_t n_bytes, uint8_t first)
{
	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)(first + i);
}

#endif
