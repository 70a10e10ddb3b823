/* main() of the unit test programs. */
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_TESTS 32
#define MAX_HELD  4096

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

/* Memory and descriptors of the tests; the first n_kept are those of the program's set-up. */
static struct {
	void *memory;
	int fd;
} held[MAX_HELD];
static size_t n_held, n_kept;

static size_t hold(void *memory, int fd)
{
	if (n_held == MAX_HELD)
		abort();
	held[n_held].memory = memory;
	held[n_held].fd = fd;
	return n_held++;
}

static size_t find_held(const void *memory, int fd)
{
	size_t i = n_held;

	do
		if (i-- == 0)
			abort();
	while (held[i].memory != memory || held[i].fd != fd);
	return i;
}

static void release(size_t i)
{
	free(held[i].memory);
	if (held[i].fd >= 0)
		close(held[i].fd);
	held[i] = held[--n_held];
}

void *kept_allocate(size_t n_bytes)
{
	return kept_reallocate(NULL, n_bytes);
}

void *kept_reallocate(void *memory, size_t n_bytes)
{
	size_t i = memory != NULL ? find_held(memory, -1) : hold(NULL, -1);

	held[i].memory = memory != NULL ? realloc(memory, n_bytes) : calloc(1, n_bytes);
	if (held[i].memory == NULL)
		abort();
	return held[i].memory;
}

void kept_free(void *memory)
{
	if (memory != NULL)
		release(find_held(memory, -1));
}

int kept_fd(int fd)
{
	assert_true(fd >= 0);
	hold(NULL, fd);
	return fd;
}

void kept_close(int fd)
{
	release(find_held(NULL, fd));
}

static void release_from(size_t first)
{
	while (n_held > first)
		release(n_held - 1);
}

/* Wrap a fixture function for cmocka; its assertions fail the test. */
#define FIXTURE(name, end)                   \
	static int name##_call(void **state) \
	{                                    \
		(void)state;                 \
		fail_clear();                \
		name();                      \
		end;                         \
		return 0;                    \
	}
FIXTURE(program_set_up, n_kept = n_held)
FIXTURE(program_tear_down, release_from(0))
FIXTURE(test_set_up, )
FIXTURE(test_tear_down, release_from(n_kept))

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
