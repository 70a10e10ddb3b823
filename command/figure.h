/* Figures for people. */
#ifndef COMMAND_FIGURE_H
#define COMMAND_FIGURE_H

#include <stdint.h>

/* Print three digits; 0, for not known, becomes "-". */
const char *figure_text(char text[16], double value);

/* "16 GiB": in the largest unit of which there is a whole number of quarters. */
void size_text(char text[32], uint64_t n_bytes);

/* 0 where the seconds are not known. */
double gigabytes_per_s(uint64_t n_bytes, double seconds);

#endif
