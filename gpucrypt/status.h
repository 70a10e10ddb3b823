/* Failures: described once, where they are seen; the first description of a thread is kept. */
#ifndef GPUCRYPT_STATUS_H
#define GPUCRYPT_STATUS_H

#include <stdbool.h>

#include "gpucrypt/gpucrypt.h"

/* Keep the text unless one is kept already; returns status, so that `return fail(…)` reads well.
 * The text is "FILE: what happened: why", or without FILE where there is none. */
int fail(enum gpucrypt_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* GPUCRYPT_IO, "NAME: WHAT: " and what errno says. */
int fail_errno(const char *name, const char *what);

/* For static analysis: fail() returns a gpucrypt_status other than GPUCRYPT_OK. */
#ifdef __clang_analyzer__
#define fail(status, ...)      (fail(status, __VA_ARGS__), (int)(status))
#define fail_errno(name, what) (fail_errno(name, what), (int)GPUCRYPT_IO)
#endif

/* Put a file's name before the text of a failure; returns status. */
int fail_named(const char *name, int status);

/* Forget the calling thread's text (entry of a public function, or a failure that was handled). */
void fail_clear(void);

#endif
