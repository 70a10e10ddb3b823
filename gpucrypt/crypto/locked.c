#include "gpucrypt/crypto/locked.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpucrypt/crypto/keys.h"

/* A stack grows only where its lowest page is not locked: to lock each page it grows by may not be
 * permitted, and would then end the process. */
#define STACK_REST_BYTES ((size_t)32 << 10)

static size_t whole_pages(size_t n_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n_bytes + page - 1) / page * page;
}

/* Whole pages. Both calls may fail where the kernel does not know them or does not permit them. */
static void lock_pages(void *pages, size_t n_bytes)
{
	int before = errno;

	(void)mlock(pages, n_bytes);
	(void)madvise(pages, n_bytes, MADV_DONTDUMP);
	errno = before;
}

void *locked_allocate(size_t n_bytes)
{
	size_t whole = whole_pages(n_bytes);
	void *pages = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	lock_pages(pages, whole);
	return pages;
}

void locked_free(void *bytes, size_t n_bytes)
{
	if (bytes == NULL)
		return;
	wipe(bytes, n_bytes);
	munmap(bytes, whole_pages(n_bytes));
}

void locked_again(void *bytes, size_t n_bytes)
{
	if (bytes != NULL)
		lock_pages(bytes, whole_pages(n_bytes));
}

/* Calls of this thread that have locked its stack, one in a callback of the other, and the lowest byte that is locked
 * without a gap. */
static _Thread_local unsigned n_locks;
static _Thread_local uintptr_t lowest;

void *locked_stack(void)
{
	uint8_t below[STACK_REST_BYTES + LOCKED_STACK_BYTES];
	/* Rounded down: the pages end within below, so that none of them holds a caller's frame. */
	uintptr_t start = ((uintptr_t)below + STACK_REST_BYTES) & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);

	wipe(below, sizeof below); /* the pages are mapped */
	/* A callback may have another stack than the call around it. */
	if (n_locks++ == 0 || (start < lowest && lowest - start <= LOCKED_STACK_BYTES))
		lowest = start;
	lock_pages((void *)start, LOCKED_STACK_BYTES);
	return (void *)start;
}

void locked_stack_release(void *locked)
{
	uint8_t below[LOCKED_STACK_BYTES];
	int before = errno;
	size_t n_bytes;

	wipe(below, sizeof below);
	if (--n_locks > 0)
		return;
	n_bytes = (uintptr_t)locked + LOCKED_STACK_BYTES - lowest;
	(void)munlock((void *)lowest, n_bytes);
	(void)madvise((void *)lowest, n_bytes, MADV_DODUMP);
	errno = before;
}
