/* Pages for keys: locked, in no core file, overwritten before they are given back. */
#include "tests/unit/cmocka_all.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/pipeline/pipeline.h"

#define N_BYTES 5000

/* Replaces munmap() at link time: released pages must be zero. */
WRAPPED(munmap);

static const void *awaited;
static bool was_zero;

/* The sanitizers' mlock() does nothing and succeeds. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define CAN_LOCK false
#else
#define CAN_LOCK true
#endif

int __wrap_munmap(void *pages, size_t n_bytes)
{
	if (pages == awaited)
		was_zero = all_zero(pages, n_bytes);
	return __real_munmap(pages, n_bytes);
}

/* Has the mapping that an address lies in this flag (proc(5), VmFlags)? */
static bool has_flag(const void *address, const char *flag)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	char line[512];
	unsigned long from, to;
	bool here = false, found = false, known = false;

	assert_non_null(maps);
	while (!known && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			here = from <= (uintptr_t)address && (uintptr_t)address < to;
		known = here && !strncmp(line, "VmFlags:", 8);
		found = known && strstr(line, flag);
	}
	fclose(maps);
	if (!known)
		skip();
	return found;
}

TEST(allocated)
{
	uint8_t *bytes = locked_allocate(N_BYTES);

	assert_non_null(bytes);
	assert_true(all_zero(bytes, N_BYTES));
	assert_true(has_flag(bytes, " dd"));
	assert_true(!CAN_LOCK || has_flag(bytes + N_BYTES - 1, " lo"));
	memset(bytes, 0x5a, N_BYTES);
	awaited = bytes;
	was_zero = false;
	locked_free(bytes, N_BYTES);
	assert_true(was_zero);
	locked_free(NULL, N_BYTES);
}

/* The stack still grows below its locked part. */
static unsigned deep(unsigned n)
{
	uint8_t frame[4096];

	wipe(frame, sizeof frame);
	return n == 0 ? frame[0] : deep(n - 1) + frame[n % sizeof frame];
}

static void __attribute__((noinline)) look_at_stack(size_t n_bytes, bool locked)
{
	uint8_t frame[(size_t)192 << 10];

	wipe(frame, n_bytes);
	assert_true(has_flag(frame, " dd") == locked);
	assert_true(!CAN_LOCK || has_flag(frame, " lo") == locked);
}

TEST(stack)
{
	uint8_t above = 0;
	void *locked;

	assert_false(has_flag(&above, " lo"));
	locked = locked_stack();
	look_at_stack((size_t)192 << 10, true);
	locked_stack_release(locked);
	look_at_stack((size_t)192 << 10, false);
	assert_int_equal(deep(500), 0);
}

static int end_at_once(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	(void)job, (void)worker, (void)slot, (void)item;
	return PIPELINE_LAST;
}

/* A single group, of one small file of many, is worked on in the caller's thread, whose stack stays locked. */
TEST(stack_of_one_group)
{
	const struct stage stage = { "only", end_at_once, 1 };
	struct items items = { .alone = true };
	void *locked = locked_stack();

	assert_ok(pipeline_run(NULL, &stage, 1, 1, &items));
	look_at_stack((size_t)192 << 10, true);
	locked_stack_release(locked);
}

/* A callback locks a part of its own, and leaves that of the call around it locked. */
static void __attribute__((noinline)) lock_again(void)
{
	uint8_t frame[(size_t)64 << 10];
	void *locked;

	wipe(frame, sizeof frame);
	locked = locked_stack();
	look_at_stack((size_t)192 << 10, true);
	locked_stack_release(locked);
	assert_true(has_flag(frame, " dd"));
}

/* Where the callback had its stack. */
static void __attribute__((noinline)) look_deeper(void)
{
	uint8_t frame[(size_t)64 << 10];

	wipe(frame, sizeof frame);
	look_at_stack((size_t)192 << 10, false);
}

TEST(stack_of_a_callback)
{
	void *locked = locked_stack();

	lock_again();
	look_at_stack((size_t)192 << 10, true);
	locked_stack_release(locked);
	look_at_stack((size_t)192 << 10, false);
	look_deeper();
}

/* All functions work without permission to lock memory. */
TEST(not_permitted)
{
	const struct rlimit none = { 0, 0 };
	int result;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		uint8_t *bytes;
		bool good = setrlimit(RLIMIT_MEMLOCK, &none) == 0 && (geteuid() != 0 || setuid(65534) == 0);

		locked_stack();
		bytes = locked_allocate(N_BYTES);
		good = good && bytes && (!CAN_LOCK || mlock(bytes, 1) != 0);
		memset(bytes, 1, N_BYTES);
		locked_free(bytes, N_BYTES);
		_exit(good && deep(500) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &result, 0), child);
	assert_int_equal(result, 0);
}
