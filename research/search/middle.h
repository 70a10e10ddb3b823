/*
 * Inversion in GF(2^8) between linear maps, as gates: the 22 linear functions y of the input that
 * make the 18 products z, of which the inverse is a linear function.  J. Boyar and R. Peralta,
 * "A new combinational logic minimization technique with applications to cryptology" (SEA 2010),
 * figure 11; y[0] is their x7.  research/search/inversion.c finds the linear maps of the S-boxes.
 */
INLINE void inversion(slice z[18], const slice y[22])
{
	slice t2 = y[12] & y[15], t7 = y[13] & y[16], t12 = y[9] & y[11];
	slice t14 = (y[14] & y[17]) ^ t12, t16 = (y[8] & y[10]) ^ t12;
	slice t21 = (y[3] & y[6]) ^ t2 ^ t14 ^ y[20], t22 = (y[4] & y[0]) ^ t2 ^ t16 ^ y[19];
	slice t23 = (y[5] & y[1]) ^ t7 ^ t14 ^ y[21], t24 = (y[2] & y[7]) ^ t7 ^ t16 ^ y[18];
	slice t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26;
	slice t29 = (t25 & t27) ^ t22;
	slice t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24;
	slice t36 = t24 & (t27 ^ t33), t37 = t36 ^ t23 ^ t33;
	slice t40 = t25 ^ (t29 & (t27 ^ t36));
	slice t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

	z[0] = t44 & y[15], z[1] = t37 & y[6], z[2] = t33 & y[0];
	z[3] = t43 & y[16], z[4] = t40 & y[1], z[5] = t29 & y[7];
	z[6] = t42 & y[11], z[7] = t45 & y[17], z[8] = t41 & y[10];
	z[9] = t44 & y[12], z[10] = t37 & y[3], z[11] = t33 & y[4];
	z[12] = t43 & y[13], z[13] = t40 & y[5], z[14] = t29 & y[2];
	z[15] = t42 & y[9], z[16] = t45 & y[14], z[17] = t41 & y[8];
}
