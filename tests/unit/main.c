/* main() of the unit test programs. */
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_TESTS 32

static struct CMUnitTest tests[MAX_TESTS];
static size_t n_tests;

__attribute__((weak)) void program_set_up(void)
{
}

__attribute__((weak)) void program_tear_down(void)
{
}

__attribute__((weak)) void test_set_up(void)
{
}

__attribute__((weak)) void test_tear_down(void)
{
}

/* Wrap a fixture function for cmocka; its assertions fail the test. */
#define FIXTURE(name)                        \
	static int name##_call(void **state) \
	{                                    \
		(void)state;                 \
		fail_clear();                \
		name();                      \
		return 0;                    \
	}
FIXTURE(program_set_up)
FIXTURE(program_tear_down)
FIXTURE(test_set_up)
FIXTURE(test_tear_down)

void test_register(const char *name, CMUnitTestFunction run_test)
{
	if (n_tests == MAX_TESTS)
		abort();
	tests[n_tests++] = (struct CMUnitTest){ name, run_test, test_set_up_call, test_tear_down_call, NULL };
}

void program_skip(const char *reason)
{
	printf("%s: skipped: %s\n", program_invocation_short_name, reason);
	exit(0);
}

/* A program with its own list of tests defines main() itself. */
__attribute__((weak)) int main(void)
{
	return _cmocka_run_group_tests(
	        program_invocation_short_name, tests, n_tests, program_set_up_call, program_tear_down_call);
}
