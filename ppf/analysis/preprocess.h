/* Run the C preprocessor as a child process, without a shell. */
#ifndef PPF_ANALYSIS_PREPROCESS_H
#define PPF_ANALYSIS_PREPROCESS_H

#include <stddef.h>

/* The text that cc -E makes of a file, with a 0 behind its n_bytes.  It has line markers, so that places in it are
 * places in the file.  A failure ends the process: GPUCRYPT_CORRUPT with the preprocessor's own first error. */
const char *preprocess(size_t *n_bytes, const char *file, const char *const *options);

/* isolate() for work that reads a source, because very deep nesting in a source makes libclang crash.  The
 * preprocessor inherits the limits of the process, and ends with it. */
int source_isolate(const char *file, void (*work)(void *result, const void *request), const void *request, void *result,
        size_t n_bytes);

#endif
