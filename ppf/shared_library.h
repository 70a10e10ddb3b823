/*
 * Libraries that a process loads when a job first needs them.  Most jobs need none of them, and linking them would take
 * most of the time of each start (docs/decisions/0028-libraries-on-demand.md).  The types come from their headers:
 *
 *     struct libx {
 *             LIBX_FUNCTIONS(SHARED_LIBRARY_MEMBER)
 *     } libx;
 *
 * The Makefile derives LIBX_FUNCTIONS(X), in gen/libx.h, from the calls of the form libx.open(): X(x_, open) for each.
 */
#ifndef PPF_SHARED_LIBRARY_H
#define PPF_SHARED_LIBRARY_H

#include <stdbool.h>

#define SHARED_LIBRARY_MEMBER(prefix, name) __typeof__(prefix##name) *name;
#define SHARED_LIBRARY_NAME(prefix, name)   #prefix #name "\0"

struct shared_library {
	const char *file;    /* a soname, or an absolute path: never relative to the working directory */
	const char *package; /* Debian's */
	const char *names;   /* of the functions, each followed by a zero byte; "" ends the list */
	void *functions;     /* as many pointers to functions, in this order */
	bool loaded;
};

/* Fill the table of functions, once; several threads may call it.  GPUCRYPT_UNKNOWN: the library, or a function of it,
 * is not found; the message starts with `needed_by`, a file or an option. */
int shared_library_load(struct shared_library *library, const char *needed_by);

#endif
