/* Small allocations. If one fails, the program ends with one line and the exit code GPUCRYPT_OTHER, after the clean-up
 * of signals.h. */
#ifndef CLI_TERMINAL_MEMORY_H
#define CLI_TERMINAL_MEMORY_H

#include <stddef.h>

/* Returns what an allocation gave: NULL ends the program. */
void *memory_or_exit(void *memory);

/* Zeroed memory that this process shares with its children, for munmap(2). */
void *memory_shared(size_t n_bytes);

/* As asprintf(); the caller frees the text. */
char *format_or_exit(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
