/* gKrypt's ladder of AES-256 kernels (kernels/study/gkrypt.cl). */
#ifndef STUDY_GKRYPT_H
#define STUDY_GKRYPT_H

#include "gpucrypt/crypto/cipher.h"
#include "ppf/study/study.h"

#define N_RUNGS            5
#define GKRYPT_TABLE_BYTES 1024

extern const char *const rung_names[N_RUNGS]; /* the variants' too */

/* Logarithms and antilogarithms to the base 3 in GF(2^8), the S-box and its inverse (FIPS 197, sections
 * 4.2 and 5.1.1), 256 bytes each. */
void gkrypt_tables(uint8_t tables[GKRYPT_TABLE_BYTES]);

/* All rungs, the product's kernel and the CPU over ascending sizes, multiples of 64 KiB. */
#define MAX_LADDER_SIZES 5
int gkrypt_climb(
        struct study *study, struct figure *figure, enum direction direction, const uint64_t *n_bytes, unsigned n);

#endif
