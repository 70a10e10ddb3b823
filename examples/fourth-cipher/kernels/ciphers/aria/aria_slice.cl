/*
 * ARIA for 32 · SLICE_WORDS blocks, bitsliced (RFC 5794): slice.cl says how.  Constant-time.
 */

INLINE void aria_add_round_key(slice s[128], keys k, int i)
{
	PRAGMA_UNROLL
	for (int q = 0; q < 4; q++) {
		PRAGMA_FULL
		for (int b = 0; b < 32; b++)
			s[32 * q + BIG_ENDIAN_BIT(b)] ^= KEY_SLICE(k, i + q, b);
	}
}

/* SL1 in odd rounds, which begin with S-box 0, SL2 in even ones (section 2.4.2). */
INLINE void aria_substitute(slice t[128], const slice s[128], int first)
{
	PRAGMA_UNROLL
	for (int q = 0; q < 128; q += 32) {
		aria_sbox(t + q, s + q, first);
		aria_sbox(t + q + 8, s + q + 8, first + 1);
		aria_sbox(t + q + 16, s + q + 16, first ^ 2);
		aria_sbox(t + q + 24, s + q + 24, (first ^ 2) + 1);
	}
}

/* One bit of all bytes: word i is x[4·i] to x[4·i + 3]. */
INLINE void aria_mix_bytes(slice x[16])
{
	PRAGMA_FULL
	for (int j = 0; j < 4; j++) {
		x[4 + j] ^= x[8 + j];
		x[8 + j] ^= x[12 + j];
		x[j] ^= x[4 + j];
		x[12 + j] ^= x[4 + j];
		x[8 + j] ^= x[j];
		x[4 + j] ^= x[8 + j];
	}
}

/* A (section 2.4.3) by the steps that aria.cl names. */
INLINE void aria_diffuse(slice s[128], const slice t[128])
{
	PRAGMA_FULL
	for (int b = 0; b < 8; b++) {
		slice x[16], y[16];

		PRAGMA_FULL
		for (int n = 0; n < 16; n++)
			x[n] = SUM3(t[8 * (n ^ 1) + b], t[8 * (n ^ 2) + b], t[8 * (n ^ 3) + b]);
		aria_mix_bytes(x);
		PRAGMA_FULL
		for (int n = 0; n < 16; n++)
			y[n] = x[n ^ n / 4];
		aria_mix_bytes(y);
		PRAGMA_FULL
		for (int n = 0; n < 16; n++)
			s[8 * n + b] = y[n];
	}
}

INLINE void encrypt_slices(slice s[128], keys k)
{
	slice t[128];

	PRAGMA_ROUNDS
	for (int r = 0; r < ROUNDS - 2; r += 2) {
		aria_add_round_key(s, k, 4 * r);
		aria_substitute(t, s, 0);
		aria_diffuse(s, t);
		aria_add_round_key(s, k, 4 * r + 4);
		aria_substitute(t, s, 2);
		aria_diffuse(s, t);
	}
	aria_add_round_key(s, k, 4 * ROUNDS - 8);
	aria_substitute(t, s, 0);
	aria_diffuse(s, t);
	aria_add_round_key(s, k, 4 * ROUNDS - 4);
	aria_substitute(t, s, 2);
	PRAGMA_FULL
	for (int i = 0; i < 128; i++)
		s[i] = t[i];
	aria_add_round_key(s, k, 4 * ROUNDS);
}

/* The same with the round keys of decryption (section 2.2). */
INLINE void decrypt_slices(slice s[128], keys k)
{
	encrypt_slices(s, k);
}
