/*
 * Camellia's F function as in figure 6.2 of the dissertation, lines 10 to 18:
 *   ppf analyze camellia_f.c --function camellia_f
 * N_tbl 8, N_key 2, N_inst 29: 8 AND, 12 XOR, 8 shifts, 1 addition.
 */
typedef unsigned int uint;

extern const uint tbl_sp1110[256], tbl_sp0222[256], tbl_sp3033[256], tbl_sp4404[256];

void camellia_f(uint io[4], const uint *rkey);

void camellia_f(uint io[4], const uint *rkey)
{
	uint il, ir;

	ir = tbl_sp1110[io[1] & 0xff] ^ tbl_sp0222[(io[1] >> 24) & 0xff] ^ tbl_sp3033[(io[1] >> 16) & 0xff] ^
	     tbl_sp4404[(io[1] >> 8) & 0xff];
	il = tbl_sp1110[(io[0] >> 24) & 0xff] ^ tbl_sp0222[(io[0] >> 16) & 0xff] ^ tbl_sp3033[(io[0] >> 8) & 0xff] ^
	     tbl_sp4404[io[0] & 0xff];
	il ^= rkey[2];
	ir ^= rkey[3];
	ir ^= il;
	il = (il >> 8) + (il << 24);
	il ^= ir;
	io[2] ^= ir;
	io[3] ^= il;
}
