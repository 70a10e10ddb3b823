/* Memory for keys and secrets: locked against swapping as far as RLIMIT_MEMLOCK permits, and in no
 * core file.  What libcrypto and OpenCL drivers allocate is theirs, and is not. */
#ifndef GPUCRYPT_CRYPTO_LOCKED_H
#define GPUCRYPT_CRYPTO_LOCKED_H

#include <stddef.h>

/* Allocate zeroed memory on separate pages; NULL: out of memory. Memory that cannot be locked is no failure. */
void *locked_allocate(size_t n_bytes);

/* Overwritten first.  n_bytes as allocated; NULL is fine. */
void locked_free(void *bytes, size_t n_bytes);

/* In a child process, which does not inherit locks. */
void locked_again(void *bytes, size_t n_bytes);

/* The same for the calling thread's stack, from the caller's frame on for LOCKED_STACK_BYTES: where the functions
 * that are called next have their variables.  Returns what locked_stack_release() wants.  A callback may enter the
 * library again: the call around it unlocks both. */
#define LOCKED_STACK_BYTES ((size_t)256 << 10)
void *locked_stack(void);

/* Overwrite as much of the calling thread's stack (what functions that have returned left there, and what the loader
 * and libcrypto have saved of registers), and unlock it. */
void locked_stack_release(void *locked);

#endif
