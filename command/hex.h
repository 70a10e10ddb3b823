/* Hexadecimal digits. */
#ifndef COMMAND_HEX_H
#define COMMAND_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 2 × n_bytes digits and a zero byte. */
void hex_encode(char *digits, const uint8_t *bytes, size_t n_bytes);

/* Of 2 × n_bytes digits of either case; false if one is none. */
bool hex_decode(uint8_t *bytes, size_t n_bytes, const char *digits);

#endif
