/*
 * Camellia's S-boxes and FL as affine maps around the inversion in GF(2^8), by research/search/affine.py.
 * A matrix is one number: byte 7 - i is row i, and bit j of a row belongs to bit j of the input.
 */
#ifndef GPUCRYPT_CRYPTO_X86_CAMELLIA_MATRICES_H
#define GPUCRYPT_CRYPTO_X86_CAMELLIA_MATRICES_H

#include <stdint.h>

/* To the basis of the state and back; then what FL makes of a byte: for its own place, for the one before it. */
#define TO_BASIS              UINT64_C(0x3e8ad8b52d81a4c5)
#define FROM_BASIS            UINT64_C(0x0b59bc7043d71c2b)
#define FROM_BASIS_TRANSPOSED UINT64_C(0xb3b164c76e8c3a24)
#define SHIFTED_TO_BASIS      UINT64_C(0x1f456c5a16405262)
#define CARRY_TO_BASIS        UINT64_C(0x0000008080800080)

/* In that basis: the rotation of s4's input, what s1 adds to its input, and what follows the inversion. */
#define ROTATED UINT64_C(0xddab075d8d3706b9)
#define S_INPUT 0x0b
#define S1      UINT64_C(0x18321beaefc4a785)
#define S2      UINT64_C(0x248131a16c1a295c)
#define S3      UINT64_C(0xbc12b514a57a52f2)
#define S1_SUM  0x10
#define S2_SUM  0xa9
#define S3_SUM  0x36

#endif
