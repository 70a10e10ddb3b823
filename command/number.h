/* Numbers and sizes as users write them. */
#ifndef COMMAND_NUMBER_H
#define COMMAND_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal number, the whole text; with units, K, M, G, T, KiB, MiB, GiB or TiB (powers of 1024) may follow.
 * Returns NULL, or what the text is instead: "not a number", "too large". */
const char *number_parse(uint64_t *value, const char *text, bool units);

#endif
