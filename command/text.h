/* Texts that users write and read: numbers and sizes, hexadecimal digits, sources of a passphrase. */
#ifndef COMMAND_TEXT_H
#define COMMAND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
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

/* Hexadecimal digits. */

/* 2 × n_bytes digits and a zero byte. */
void hex_encode(char *digits, const uint8_t *bytes, size_t n_bytes);

/* Of 2 × n_bytes digits of either case; false if one is none. */
bool hex_decode(uint8_t *bytes, size_t n_bytes, const char *digits);

/* Sources of a passphrase: env:VAR, file:PATH, fd:N or cmd:COMMAND. */

enum secret_source { SECRET_SOURCE_UNKNOWN, SECRET_FROM_ENV, SECRET_FROM_FILE, SECRET_FROM_FD, SECRET_FROM_COMMAND };

/* *rest: the text behind the prefix, which is not empty unless the source is unknown. */
enum secret_source secret_source_parse(const char *text, const char **rest);

/* The number of a descriptor, or -1. */
int descriptor_parse(const char *text);

#endif
