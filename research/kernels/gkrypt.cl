/*
 * AES-256 as gKrypt's ladder of optimisations writes it (J. Masood, "gKrypt", part 2, 2012): one
 * work-item a block, a byte at a time, products in GF(2^8) by logarithms.  FIPS 197, sections 5.1 to
 * 5.3.  Not constant-time.
 *
 * -DREAD_ONLY=__global or __constant: where tables and keys lie; -DSTATE_IN_LOCAL; -DUNROLL_LOOPS,
 * else the loops over bytes stay loops; -DKEYS_ON_DEVICE: `key` is the cipher key, which the first
 * work-item of each group expands in local memory; -DDECRYPT=0 or 1; -DWORK_ITEMS=n.
 *
 * The tables have 256 bytes each: logarithms to the base 3, their inverse, the S-box, its inverse.
 */
#define LOGARITHM      0
#define ANTILOGARITHM  256
#define SBOX           512
#define INVERSE_SBOX   768
#define ROUNDS_OF_256  14
#define EXPANDED_BYTES 240
#define KEY_BYTES      32

#ifdef STATE_IN_LOCAL
typedef __local uchar *state;
#else
typedef __private uchar *state;
#endif
typedef READ_ONLY const uchar *table;
#ifdef KEYS_ON_DEVICE
typedef __local uchar *round_keys;
#else
typedef READ_ONLY const uchar *round_keys;
#endif
#define ROLLED _Pragma("unroll 1") /* otherwise compilers unroll short loops */
#ifdef UNROLL_LOOPS
#define BYTES_LOOP _Pragma("unroll")
#else
#define BYTES_LOOP ROLLED
#endif

INLINE uchar product(table t, uchar a, uchar b)
{
	return a == 0 ? 0 : t[ANTILOGARITHM + ((uint)t[LOGARITHM + a] + t[LOGARITHM + b]) % 255];
}

INLINE void add_round_key(state s, round_keys k, int round)
{
	BYTES_LOOP
	for (int i = 0; i < 16; i++)
		s[i] ^= k[16 * round + i];
}

INLINE void substitute(state s, table t, int sbox)
{
	BYTES_LOOP
	for (int i = 0; i < 16; i++)
		s[i] = t[sbox + s[i]];
}

/* Row r, the bytes i = r (mod 4), moves by r columns. */
INLINE void shift_rows(state to, state from)
{
	BYTES_LOOP
	for (uint r = 0; r < 4; r++) {
		BYTES_LOOP
		for (uint c = 0; c < 4; c++)
			to[4 * c + r] = from[4 * ((DECRYPT ? c - r : c + r) & 3) + r];
	}
}

#define ROW(i, n) (((i) & ~3u) | (((i) + (n)) & 3))

INLINE void mix_columns(state to, state from, table t)
{
	BYTES_LOOP
	for (uint i = 0; i < 16; i++)
		to[i] = DECRYPT ? product(t, from[i], 14) ^ product(t, from[ROW(i, 1)], 11) ^
		                          product(t, from[ROW(i, 2)], 13) ^ product(t, from[ROW(i, 3)], 9)
		                : product(t, from[i], 2) ^ product(t, from[ROW(i, 1)], 3) ^ from[ROW(i, 2)] ^
		                          from[ROW(i, 3)];
}

INLINE void copy_state(state to, state from)
{
	BYTES_LOOP
	for (int i = 0; i < 16; i++)
		to[i] = from[i];
}

/* Section 5.1: shifting and mixing need a second state. */
INLINE void encrypt_state(state s, state n, round_keys k, table t)
{
	add_round_key(s, k, 0);
	ROLLED
	for (int round = 1; round <= ROUNDS_OF_256; round++) {
		substitute(s, t, SBOX);
		shift_rows(n, s);
		if (round < ROUNDS_OF_256)
			mix_columns(s, n, t);
		else
			copy_state(s, n);
		add_round_key(s, k, round);
	}
}

/* Section 5.3. */
INLINE void decrypt_state(state s, state n, round_keys k, table t)
{
	add_round_key(s, k, ROUNDS_OF_256);
	ROLLED
	for (int round = ROUNDS_OF_256 - 1; round >= 0; round--) {
		shift_rows(n, s);
		substitute(n, t, INVERSE_SBOX);
		add_round_key(n, k, round);
		if (round > 0)
			mix_columns(s, n, t);
		else
			copy_state(s, n);
	}
}

/* Section 5.2, for 8 words. */
INLINE void expand(__local uchar *k, READ_ONLY const uchar *key, table t)
{
	uchar constant_byte = 1;

	for (int i = 0; i < KEY_BYTES; i++)
		k[i] = key[i];
	for (int i = KEY_BYTES; i < EXPANDED_BYTES; i += 4) {
		int rotates = i % KEY_BYTES == 0, substitutes = i % (KEY_BYTES / 2) == 0;

		for (int j = 0; j < 4; j++) {
			uchar b = k[i - 4 + (rotates ? (j + 1) % 4 : j)];

			b = substitutes ? t[SBOX + b] : b;
			k[i + j] = k[i + j - KEY_BYTES] ^ b ^ (rotates && j == 0 ? constant_byte : 0);
		}
		constant_byte <<= rotates;
	}
}

__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void gkrypt(
        __global const uchar *in, __global uchar *out, ulong n_blocks, READ_ONLY const uchar *key, table t)
{
	ulong i = get_global_id(0);
#ifdef STATE_IN_LOCAL
	__local uchar states[16 * WORK_ITEMS], new_states[16 * WORK_ITEMS];
	state s = states + 16 * get_local_id(0), n = new_states + 16 * get_local_id(0);
#else
	uchar s[16], n[16];
#endif
#ifdef KEYS_ON_DEVICE
	__local uchar k[EXPANDED_BYTES];

	if (get_local_id(0) == 0)
		expand(k, key, t);
	barrier(CLK_LOCAL_MEM_FENCE);
#else
	round_keys k = key;
#endif
	if (i < n_blocks) {
		BYTES_LOOP
		for (int j = 0; j < 16; j++)
			s[j] = in[16 * i + j];
		if (DECRYPT)
			decrypt_state(s, n, k, t);
		else
			encrypt_state(s, n, k, t);
		BYTES_LOOP
		for (int j = 0; j < 16; j++)
			out[16 * i + j] = PLANTED(s[j]);
	}
}
