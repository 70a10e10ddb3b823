/* Small allocations. If one fails, the program ends with one line and the exit code GPUCRYPT_OTHER, after the clean-up
 * of signals.h. */
#ifndef CLI_TERMINAL_MEMORY_H
#define CLI_TERMINAL_MEMORY_H

/* Returns what an allocation gave: NULL ends the program. */
void *memory_or_exit(void *memory);

/* As asprintf(); the caller frees the text. */
char *format_or_exit(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
