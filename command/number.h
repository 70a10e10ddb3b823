/* Numbers and sizes as users write and read them. */
#ifndef COMMAND_NUMBER_H
#define COMMAND_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal number, the whole text; with units, K, M, G, T, KiB, MiB, GiB or TiB (powers of 1024) may follow.
 * Returns NULL, or what the text is instead: "not a number", "too large". */
const char *number_parse(uint64_t *value, const char *text, bool units);

/* Print three digits; 0, for not known, becomes "-". */
const char *figure_text(char text[16], double value);

/* "16 GiB": in the largest unit of which there is a whole number of quarters. */
void size_text(char text[32], uint64_t n_bytes);

/* "1.23 GB" */
void amount_text(char text[16], double bytes);

/* 0 where the seconds are not known. */
double gigabytes_per_s(uint64_t n_bytes, double seconds);

#endif
