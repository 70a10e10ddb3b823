/* Run the C preprocessor as a child process, without a shell. */
#ifndef PPF_ANALYSIS_PREPROCESS_H
#define PPF_ANALYSIS_PREPROCESS_H

#include <stddef.h>

/* The text that cc -E makes of a file, with a 0 behind its n_bytes.  It has line markers, so that places in it are
 * places in the file.  A failure ends the process: GPUCRYPT_CORRUPT with the preprocessor's own first error. */
const char *preprocess(size_t *n_bytes, const char *file, const char *const *options);

/* From now on a signal that ends the process kills the compiler and its children first: they are a process
 * group in the background, which the terminal's signals do not reach. */
void preprocess_handle_signals(void);

#endif
