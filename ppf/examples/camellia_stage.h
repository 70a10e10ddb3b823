/*
 * Parts of Camellia's design stages (dissertation, section 6.5.4), in the manner of figure 6.2.
 * Stages have no whitening keys.  Nothing here is to be used as a cipher.
 */
typedef unsigned int word;

extern const word tbl_sp1110[256], tbl_sp0222[256], tbl_sp3033[256], tbl_sp4404[256];

/* What F makes of the half (x0, x1): left word in out[0]. */
static inline void stage_substitute(word made[2], word x0, word x1, const word *rkey)
{
	word ir = tbl_sp1110[x1 & 0xff] ^ tbl_sp0222[(x1 >> 24) & 0xff] ^
	          tbl_sp3033[(x1 >> 16) & 0xff] ^ tbl_sp4404[(x1 >> 8) & 0xff];
	word il = tbl_sp1110[(x0 >> 24) & 0xff] ^ tbl_sp0222[(x0 >> 16) & 0xff] ^
	          tbl_sp3033[(x0 >> 8) & 0xff] ^ tbl_sp4404[x0 & 0xff];

	il ^= rkey[0];
	ir ^= rkey[1];
	ir ^= il;
	il = (il >> 8) + (il << 24);
	il ^= ir;
	made[0] = ir;
	made[1] = il;
}

/* F, and the exclusive or with the other half. */
static inline void stage_f(word *y0, word *y1, word x0, word x1, const word *rkey)
{
	word made[2];

	stage_substitute(made, x0, x1, rkey);
	*y0 ^= made[0];
	*y1 ^= made[1];
}

static inline void stage_six_f(word s[4], const word *rkey)
{
	for (int r = 0; r < 6; r += 2) {
		stage_f(&s[2], &s[3], s[0], s[1], rkey + 2 * r);
		stage_f(&s[0], &s[1], s[2], s[3], rkey + 2 * r + 2);
	}
}

/* FL on the left half and its inverse on the right one; rotated: as in Camellia, 0: FL′. */
static inline void stage_fl(word s[4], const word *rkey, int rotated)
{
	word a = s[0] & rkey[0], d;

	s[1] ^= rotated ? (a << 1) + (a >> 31) : a;
	s[0] ^= s[1] | rkey[1];
	s[2] ^= s[3] | rkey[3];
	d = s[2] & rkey[2];
	s[3] ^= rotated ? (d << 1) + (d >> 31) : d;
}
