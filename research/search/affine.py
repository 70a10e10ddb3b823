#!/usr/bin/env python3
"""Prints gpucrypt/crypto/x86/CIPHER_matrices.h: constants for gf2p8affineqb, gf2p8affineinvqb and vpermb.

    research/search/affine.py camellia | sc2000

tests/unit/gpucrypt/test_forms_camellia_sc2000.c compares the constants with the ciphers' tables.
"""
import functools
import itertools
import sys


def parity(x):
    return bin(x).count("1") & 1


def apply(rows, x):
    return sum(parity(row & x) << i for i, row in enumerate(rows))


def matrix(function, bits=8):
    """Rows of a linear function; what it adds to zero does not count."""
    columns = [function(1 << j) ^ function(0) for j in range(bits)]
    return [sum((c >> i & 1) << j for j, c in enumerate(columns)) for i in range(8)]


def number(rows):
    return sum(row << 8 * (7 - i) for i, row in enumerate(rows))


def transpose(rows):
    return [sum((row >> i & 1) << j for j, row in enumerate(rows)) for i in range(8)]


def show(name, rows):
    print(f"#define {name} UINT64_C(0x{number(rows):016x})")


def header(cipher, about, body):
    print(f"""/*
 * {about}, by research/search/affine.py.
 * A matrix is one number: byte 7 - i is row i, and bit j of a row belongs to bit j of the input.
 */
#ifndef {cipher}_MATRICES_H
#define {cipher}_MATRICES_H

#include <stdint.h>
""")
    body()
    print("\n#endif")


# Camellia.

def multiply(a, b):
    """In the field of the instructions: modulo x^8 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (0x11b if a & 0x80 else 0)
        b >>= 1
    return product


def multiply4(a, b):
    product = 0
    for i in range(4):
        product ^= a if b >> i & 1 else 0
        a = a << 1 & 15 ^ (3 if a & 8 else 0)
    return product


def camellia_multiply(a, b):
    """In the cipher's field; kernels/ciphers/camellia/camellia.c has it too."""
    high = multiply4(a >> 4, b >> 4)
    low = multiply4(a & 15, b & 15) ^ multiply4(high, 9)
    return (multiply4(a & 15, b >> 4) ^ multiply4(a >> 4, b & 15) ^ high) << 4 | low


def powers(times, a):
    """a^0 to a^254."""
    result = [1]
    while len(result) < 255:
        result.append(times(result[-1], a))
    return result


def isomorphism():
    """As a list: from the cipher's field to that of the instructions."""
    numbers = next(p for p in (powers(camellia_multiply, g) for g in range(2, 256)) if len(set(p)) == 255)
    for image in range(2, 256):
        to = [0] * 256
        for number, power in zip(numbers, powers(multiply, image)):
            to[number] = power
        if all(to[a ^ b] == to[a] ^ to[b] for a in range(256) for b in range(256)):
            return to
    raise AssertionError


def bits_of(terms):
    """A linear map of the specification: output bits from the most significant one, bits numbered from there."""
    return lambda x: sum((parity(sum(x >> (8 - t) & 1 for t in term) & 1)) << (7 - i) for i, term in enumerate(terms))


def rotate(x, n):
    return (x << n | x >> (8 - n)) & 255


def camellia():
    """s1(x) = h(1 / f(0xc5 + x)) + 0x6e (section 4.5 of the specification): with the basis changed by t, from f."""
    f = bits_of([[6, 2], [7, 1], [8, 5, 3], [8, 3], [7, 4], [5, 2], [8, 1], [6, 4]])
    h = bits_of([[5, 6, 2], [6, 2], [7, 4], [8, 2], [7, 3], [8, 1], [5, 1], [6, 3]])
    to = isomorphism()
    back = [to.index(x) for x in range(256)]
    t = [to[f(x)] for x in range(256)]
    plain = [t.index(x) for x in range(256)]
    print("/* To the basis of the state and back; then what FL makes of a byte: for its own place, for the one before it."
          " */")
    show("TO_BASIS", matrix(lambda x: t[x]))
    show("FROM_BASIS", matrix(lambda x: plain[x]))
    show("FROM_BASIS_TRANSPOSED", transpose(matrix(lambda x: plain[x])))
    show("SHIFTED_TO_BASIS", matrix(lambda x: t[x << 1 & 255]))
    show("CARRY_TO_BASIS", matrix(lambda x: t[x >> 7]))
    print("\n/* In that basis: the rotation of s4's input, what s1 adds to its input, and what follows the inversion. */")
    show("ROTATED", matrix(lambda x: t[rotate(plain[x], 1)]))
    print(f"#define S_INPUT 0x{t[0xc5]:02x}")
    for name, n in ("S1", 0), ("S2", 1), ("S3", 7):
        show(name, matrix(lambda x: t[rotate(h(back[x]), n)]))
    for name, n in ("S1", 0), ("S2", 1), ("S3", 7):
        print(f"#define {name}_SUM 0x{t[rotate(0x6e, n)]:02x}")


# SC2000.

M = [0xd0c19225, 0xa5a2240a, 0x1b84d250, 0xb728a4a1, 0x6a704902, 0x85dddbe6, 0x766ff4a4, 0xecdfe128,
     0xafd13e94, 0xdf837d09, 0xbb27fa52, 0x695059ac, 0x52a1bb58, 0xcc322f1d, 0x1844565b, 0xb4a8acf6,
     0x34235438, 0x6847a851, 0xe48c0cbb, 0xcd181136, 0x9a112a0c, 0x43ec6d0e, 0x87d8d27d, 0x487dc995,
     0x90fb9b4b, 0xa1f63697, 0xfc513ed9, 0x78a37d93, 0x8d16c5df, 0x9e0c8bbe, 0x3c381f7c, 0xe9fb0779]
S6 = [47, 59, 25, 42, 15, 23, 28, 39, 26, 38, 36, 19, 60, 24, 29, 56, 37, 63, 20, 61, 55, 2, 30, 44, 9, 10, 6, 22, 53,
      48, 51, 11, 62, 52, 35, 18, 14, 46, 0, 54, 17, 40, 27, 4, 31, 8, 5, 12, 3, 16, 41, 34, 33, 7, 45, 49, 50, 58, 1,
      21, 43, 57, 32, 13]
S5 = [20, 26, 7, 31, 19, 12, 10, 15, 22, 30, 13, 14, 4, 24, 9, 18, 27, 11, 1, 21, 6, 16, 2, 28, 23, 5, 8, 3, 0, 17, 29,
      25]
FIELDS = [(26, 6), (21, 5), (16, 5), (11, 5), (6, 5), (0, 6)]


def bytes_of(word):
    """As the form keeps them: most significant first, the outer S-box fields in the low bits of bytes 0 and 2."""
    b = word.to_bytes(4, "big")
    return [rotate(b[0], 6), b[1], rotate(b[2], 5), b[3]]


def field_columns(field):
    """M of each bit of an S-box's output, least significant first: four bytes each."""
    shift, bits = FIELDS[field]
    return [bytes_of(M[31 - shift - j]) for j in range(bits)]


def solve(inputs, outputs):
    """Columns of a matrix that takes each input to its output, zero where nothing is asked; None: there is none."""
    basis = {}
    for a, b in zip(inputs, outputs):
        for top, (c, d) in basis.items():
            if a >> top & 1:
                a, b = a ^ c, b ^ d
        if a:
            top = a.bit_length() - 1
            basis = {k: (c ^ a, d ^ b) if c >> top & 1 else (c, d) for k, (c, d) in basis.items()}
            basis[top] = a, b
        elif b:
            return None
    return basis


def times(basis, x):
    """The map of solve(); x in its span."""
    y = 0
    for top, (c, d) in basis.items():
        if x >> top & 1:
            x, y = x ^ c, y ^ d
    return None if x else y


def solve_all(columns, sums):
    """What sums of the columns, as numbers, the given ones are; None: the columns are not independent."""
    columns = [c | 1 << (8 + j) for j, c in enumerate(columns)]
    for j in range(8):
        pivot = next((c for c in columns[j:] if c >> j & 1), None)
        if pivot is None:
            return None
        columns[columns.index(pivot, j)] = columns[j]
        columns = [c ^ pivot if c >> j & 1 else c for c in columns]
        columns[j] = pivot
    return [functools.reduce(lambda x, j: x ^ (columns[j] >> 8 if s >> j & 1 else 0), range(8), 0) for s in sums]


def complement(vectors):
    """Unit vectors that complete a basis."""
    basis, units = solve(vectors, [0] * len(vectors)), []
    for j in range(8):
        if times(basis, 1 << j) is None:
            units.append(1 << j)
            basis = solve(list(vectors) + units, [0] * (len(vectors) + len(units)))
    return units


def halves(fields):
    """
    One half of the word: S-box outputs of fields (p, middle, q) become two bytes P = Tp + E and Q = Tq + E, so that
    P itself is its part of output byte i and Q of output byte k.  All (i, k, Tp, E, Tq, matrix of P, matrix of Q).
    """
    p, middle, q = (field_columns(f) for f in fields)
    for i, k in itertools.permutations(range(4), 2):
        t_p, t_q = [c[i] for c in p], [c[k] for c in q]
        free = complement(t_p)
        if len(free) != 8 - len(p) or len(complement(t_q)) != 8 - len(q):
            continue
        # P's matrix for byte k takes t_p to its part of p and the units in free to anything: all sums of these.
        known = solve(t_p + free, [c[k] for c in p] + [0] * len(free))
        columns = [times(known, 1 << j) ^ 1 << j for j in range(8)]
        which = [[times(solve(t_p + free, [0] * len(t_p) + [int(f == u) for f in free]), 1 << j) for j in range(8)]
                 for u in free]
        for choice in itertools.product(range(256), repeat=len(free)):
            # E from (1 + matrix) E = middle for byte k.
            e = solve_all([c ^ (choice[0] if which[0][j] else 0) ^ (choice[1] if which[1][j] else 0)
                           for j, c in enumerate(columns)], [c[k] for c in middle])
            # Q's matrix for byte i.
            if e and solve(t_q + e, [c[i] for c in q] + [c[i] ^ x for c, x in zip(middle, e)]) is not None:
                yield i, k, t_p, e, t_q


def one_sided(fields):
    """The same with only P itself its part of output byte i."""
    p, middle, q = (field_columns(f) for f in fields)
    for i, k in itertools.permutations(range(4), 2):
        t_p, t_q = [c[i] for c in p], [c[k] for c in q]
        free = complement(t_q)
        for choice in itertools.product(range(256), repeat=len(free)):
            known = solve(t_q + free, [c[i] for c in q] + list(choice))
            e = solve_all([times(known, 1 << j) ^ 1 << j for j in range(8)], [c[i] for c in middle])
            if e and len(free) == 8 - len(q):
                yield i, None, t_p, e, t_q
                break


def matrices(fields, half):
    """Columns by byte of the two matrices of a half, for each output byte; None where the rest cannot be solved."""
    i, k, t_p, e, t_q = half
    p, middle, q = (field_columns(f) for f in fields)
    unit = [1 << j for j in range(8)]
    result = []
    for out in range(4):
        # Unknown: P and Q as one number of 16 bits.
        inputs = t_p + [x | x << 8 for x in e] + [x << 8 for x in t_q]
        outputs = [c[out] for c in p + middle + q]
        if out == i:
            inputs, outputs = unit + inputs, unit + outputs
        elif out == k:
            inputs, outputs = [u << 8 for u in unit] + inputs, unit + outputs
        basis = solve(inputs, outputs)
        if basis is None:
            return None
        full = dict(basis)
        inputs, outputs = [c for c, _ in full.values()], [d for _, d in full.values()]
        for j in range(16):
            if times(solve(inputs, outputs), 1 << j) is None:
                inputs.append(1 << j), outputs.append(0)
        basis = solve(inputs, outputs)
        result.append([[times(basis, 1 << (8 * n + j)) for j in range(8)] for n in range(2)])
    return result


def rows_of(columns):
    return [sum((c >> i & 1) << j for j, c in enumerate(columns)) for i in range(8)]


def show_table(box, columns):
    """The S-box's output bits as the given sums; a 5-bit one twice, since vpermb reads six bits."""
    values = [0] * 64
    for x in range(64):
        for j, c in enumerate(columns):
            values[x] ^= c if box[x % len(box)] >> j & 1 else 0
    print("\t{ " + ", ".join(map(str, values)) + " },")


def sc2000():
    upper, lower = (0, 1, 2), (5, 4, 3)
    for u, l in itertools.product(halves(upper), list(one_sided(lower))):
        found = matrices(upper, u), matrices(lower, l)
        if l[0] in u[:2] or None in found:
            continue
        show("IDENTITY", [1 << j for j in range(8)])
        print("\n/* By S-box field. */\nstatic const uint8_t look_up_table[6][64] __attribute__((aligned(64))) = {")
        for box, columns in (S6, u[2]), (S5, u[3]), (S5, u[4]), (S5, l[4]), (S5, l[3]), (S6, l[2]):
            show_table(box, columns)
        print("};\n\n/* Byte n of M(S(x)) is the sum of row n times the four bytes. */")
        print("static const uint64_t mix_matrix[4][4] = {")
        for n in range(4):
            parts = [found[0][n][0], found[0][n][1], found[1][n][1], found[1][n][0]]
            print("\t{ " + ", ".join("IDENTITY" if rows_of(c) == [1 << j for j in range(8)] else
                                     f"UINT64_C(0x{number(rows_of(c)):016x})" for c in parts) + " },")
        print("};")
        return
    raise AssertionError


if __name__ == "__main__":
    if sys.argv[1] == "camellia":
        header("CAMELLIA", "Camellia's S-boxes and FL as affine maps around the inversion in GF(2^8)", camellia)
    else:
        header("SC2000", "SC2000's S-boxes and its matrix M by bytes", sc2000)
