/*
 * SC2000's S-boxes and its matrix as gates (Shimoyama et al., FSE 2001), functions of three inputs.
 * research/search/ found them: lookup.c and three.py the S-boxes, linear.c the matrix.  Bits are
 * numbered from the least significant one.
 */

/* S4⁻¹: 10 functions. */
INLINE void sc2000_s4_inverse(slice s[4], const slice x[4])
{
	slice t0 = (~x[2] | x[0]) ^ x[1], t1 = (x[2] | t0) ^ x[0], t2 = (x[3] & (t1 ^ t0)) ^ t1;
	slice t3 = (~x[3] | x[0]) ^ x[2], t4 = (t1 | x[0]) ^ ~t3, t5 = t4;
	slice t6 = x[1] ^ (t1 ^ t3), t7 = t2 ^ x[0], t8 = (~x[3] | t7) & t6;
	slice t9 = x[3] ^ ~(t3 | t8);
	s[0] = t9, s[1] = t5, s[2] = t8, s[3] = t2;
}

/* clang-format off */

/* S5: 22 functions. */
INLINE void sc2000_s5(slice s[5], const slice x[5])
{
	LOGIC(t0, x[1], x[2], x[4], ~c | (a ^ ~b)) LOGIC(t1, x[3], x[4], x[1], ~c ^ (a | b))
	slice t2 = t0 ^ t1;
	LOGIC(t3, t1, x[3], x[2], (a | c) ^ (b | ~c)) LOGIC(t4, x[1], x[2], x[4], c ^ (a & b))
	LOGIC(t5, t3, x[2], x[4], a & (b ^ c)) LOGIC(t6, t2, x[4], x[3], a ^ (c & (a ^ b)))
	LOGIC(t7, t4, x[3], t0, ~c | (a & b))
	slice t8 = x[1] & x[3];
	LOGIC(t9, t7, t4, t8, c | (b & ~a))
	slice t10 = t9 ^ t2;
	LOGIC(t11, t0, x[2], t10, c ^ (a & b)) LOGIC(t12, t10, t5, x[1], b ^ (c & (a ^ b)))
	LOGIC(t13, t12, t6, x[0], a ^ (c & (a ^ b))) LOGIC(t14, t9, t7, x[0], (a | c) ^ (b & c))
	LOGIC(t15, t9, x[2], t5, c | (a & ~b)) LOGIC(t16, t9, x[2], t4, b ^ (~c | (a ^ b)))
	LOGIC(t17, t11, t16, x[1], c ^ (a | b)) LOGIC(t18, t17, t15, x[0], (a | c) ^ (b & c))
	LOGIC(t19, t3, t16, t4, c ^ (b | ~a)) LOGIC(t20, t11, t19, x[0], b ^ (c & (a ^ b)))
	LOGIC(t21, t16, t3, x[0], b ^ (c & (a ^ b)))
	s[0] = t13, s[1] = t21, s[2] = t20, s[3] = t14, s[4] = t18;
}

/* S6: 49 functions. */
INLINE void sc2000_s6(slice s[6], const slice x[6])
{
	LOGIC(t0, x[4], x[3], x[5], a | (b ^ ~c)) LOGIC(t1, x[4], x[5], x[3], c ^ (a & b))
	LOGIC(t2, t1, t0, x[1], (a & c) ^ (c | ~b)) LOGIC(t3, t0, x[1], x[4], a & (~b & ~c))
	slice t4 = x[5] ^ t3;
	LOGIC(t5, x[3], x[4], t2, b ^ (c & (a ^ b)))
	LOGIC(t6, x[4], t2, x[1], a ^ ~b ^ (c | (a & b)))
	LOGIC(t7, x[4], t6, x[5], b ^ (c & (a ^ b))) LOGIC(t8, t2, t7, x[0], a ^ (~c | (a ^ b)))
	LOGIC(t9, x[4], t8, x[5], ~c ^ (a | b))
	slice t10 = t9 ^ t2, t11 = t6 ^ x[0];
	LOGIC(t12, t11, t9, x[3], a ^ (c & (a ^ b))) LOGIC(t13, t12, x[4], t8, c ^ (a & b))
	LOGIC(t14, t12, t13, x[1], b ^ (c & (a ^ b))) LOGIC(t15, t13, t10, t14, c | (a ^ b))
	LOGIC(t16, t14, t0, t11, c ^ (a & b))
	slice t17 = x[1] ^ x[3];
	LOGIC(t18, t17, t10, x[4], (a & c) ^ (c | ~b)) LOGIC(t19, t16, t18, t2, c ^ (a & b))
	LOGIC(t20, t5, t18, x[0], (a | c) ^ (b & c)) LOGIC(t21, t10, t20, t0, c ^ (a & b))
	LOGIC(t22, t10, t20, t1, c & (a | b)) LOGIC(t23, t20, t11, t5, (a ^ b) | (a ^ c))
	LOGIC(t24, t22, t21, x[1], (a | c) ^ (b | ~c)) LOGIC(t25, t11, t8, t18, c & (a | b))
	LOGIC(t26, t18, x[2], x[4], a | (b | c)) LOGIC(t27, t8, t14, x[2], b ^ (c & (a ^ b)))
	LOGIC(t28, t6, t19, t22, ~c ^ (a & b)) LOGIC(t29, x[3], t25, t28, c & (b | ~a))
	LOGIC(t30, t17, t27, t20, b ^ (c & (a ^ b))) LOGIC(t31, t23, t30, x[5], (a & c) ^ (b | c))
	LOGIC(t32, t24, t17, t31, c | (a ^ b)) LOGIC(t33, t20, t24, x[2], b ^ (c & (a ^ b)))
	LOGIC(t34, t22, x[4], t30, c ^ (b & ~a)) LOGIC(t35, t32, t30, t6, a ^ b ^ c)
	LOGIC(t36, t16, t34, x[0], a ^ (c & (a ^ b))) LOGIC(t37, t31, t36, x[2], (a | c) ^ (b & c))
	LOGIC(t38, t19, t32, x[0], b ^ (c & (a ^ b))) LOGIC(t39, t29, t38, x[2], a ^ (c & (a ^ b)))
	LOGIC(t40, x[4], t37, t38, c ^ (a | ~b)) LOGIC(t41, t35, t40, x[2], b ^ (c & (a ^ b)))
	LOGIC(t42, t14, t41, t26, c & (a | ~b)) LOGIC(t43, t19, x[1], t42, c ^ (a & b))
	LOGIC(t44, t41, t42, x[1], (a | c) ^ (b & c)) LOGIC(t45, t4, t16, t43, c & (a | b))
	LOGIC(t46, t4, t43, x[2], b ^ (c & (a ^ b))) LOGIC(t47, x[2], t15, t45, c | (b & ~a))
	LOGIC(t48, t46, t47, x[0], a ^ (~c | (a ^ b)))
	s[0] = t27, s[1] = t44, s[2] = t39, s[3] = t37, s[4] = t48, s[5] = t33;
}

/* M: 124 sums. */
INLINE void sc2000_m(slice y[32], const slice x[32])
{
	slice t0 = SUM3(x[5], x[6], x[23]), t1 = SUM3(x[16], x[25], x[28]);
	slice t2 = SUM3(x[0], x[7], x[26]), t3 = SUM3(x[3], x[18], x[22]);
	slice t4 = SUM3(x[17], x[21], x[29]), t5 = SUM3(x[1], x[2], x[12]);
	slice t6 = SUM3(x[8], x[20], x[27]), t7 = SUM3(x[4], x[19], x[22]);
	slice t8 = SUM3(x[9], x[13], x[24]), t9 = SUM3(x[0], x[15], x[30]);
	slice t10 = SUM3(x[14], x[21], x[24]), t11 = SUM3(x[3], x[10], x[26]);
	slice t12 = SUM3(x[4], x[6], x[7]), t13 = SUM3(x[4], x[13], t0);
	slice t14 = SUM3(x[1], x[2], x[11]), t15 = SUM3(x[15], x[31], t7);
	slice t16 = SUM3(x[4], x[24], t6), t17 = SUM3(t1, t5, t8), t18 = SUM3(x[9], x[19], t4);
	slice t19 = SUM3(x[10], x[18], t7), t20 = SUM3(x[0], x[5], x[14]);
	slice t21 = SUM3(x[11], x[23], x[25]), t22 = SUM3(x[1], t1, t9), t23 = SUM3(x[31], t0, t2);
	slice t24 = SUM3(x[12], x[21], x[30]), t25 = SUM3(x[5], x[7], t14);
	slice t26 = SUM3(x[8], x[9], x[31]), t27 = SUM3(x[1], x[12], t0);
	slice t28 = SUM3(x[9], x[24], t6), t29 = SUM3(x[22], x[28], x[29]);
	slice t30 = SUM3(x[3], x[26], t1), t31 = SUM3(x[3], x[14], t18);
	slice t32 = SUM3(x[10], x[17], t3), t33 = SUM3(x[15], x[26], t17);
	slice t34 = SUM3(x[10], x[19], x[27]), t35 = SUM3(t3, t5, t16), t36 = SUM3(x[25], t4, t11);
	slice t37 = SUM3(x[13], t6, t19), t38 = SUM3(x[2], x[16], t24);
	slice t39 = SUM3(x[13], x[17], t12), t40 = SUM3(x[6], x[20], t11);
	slice t41 = SUM3(x[16], x[18], t5);
	y[0] = SUM3(t39, t26, SUM3(t20, t3, x[28])), y[1] = SUM3(t39, t38, t11 ^ x[27]);
	y[2] = SUM3(t41, t40, t26 ^ t21), y[3] = SUM3(t32, t25, SUM3(t9, t8, x[20] ^ x[19]));
	y[4] = SUM3(t41, t31, SUM3(t13, x[15], x[8] ^ x[0])), y[5] = SUM3(t33, x[31], x[20] ^ x[0]);
	y[6] = SUM3(t31, t2, SUM3(x[16], x[5], x[1]));
	y[7] = SUM3(t30, t13, SUM3(x[20], x[8], x[2])), y[8] = SUM3(t35, t2, x[19] ^ x[10]);
	y[9] = SUM3(t23, t18, t14 ^ x[18]), y[10] = SUM3(t32, t22, t13);
	y[11] = SUM3(t37, t25, SUM3(x[26], x[23], SUM3(x[21], x[16], x[14])));
	y[12] = SUM3(t27, t15, SUM3(t4, x[26], SUM3(x[25], x[20], x[9] ^ x[7])));
	y[13] = SUM3(t19, t10, SUM3(t1, t0, x[30] ^ x[11]));
	y[14] = SUM3(t36, t16, SUM3(x[22], x[15], x[9]));
	y[15] = SUM3(t30, t26, SUM3(t10, x[29], SUM3(x[19], x[7], x[2])));
	y[16] = SUM3(t21, t15, SUM3(t10, t2, x[8] ^ x[5]));
	y[17] = SUM3(t12, t10, SUM3(t9, t3, x[25]));
	y[18] = SUM3(t36, x[24], SUM3(x[14], x[13], SUM3(x[8], x[6], x[2])));
	y[19] = SUM3(t17, t2, x[10] ^ x[8]), y[20] = SUM3(t28, t27, SUM3(t2, x[18], x[11] ^ x[3]));
	y[21] = SUM3(t34, t22, SUM3(t12, x[21], x[18] ^ x[8]));
	y[22] = SUM3(t28, t23, SUM3(x[25], x[17], x[14] ^ x[10]));
	y[23] = SUM3(t8, t7, SUM3(t2, x[31], SUM3(x[30], x[29], SUM3(x[23], x[16], x[10] ^ x[6]))));
	y[24] = SUM3(t40, t29, SUM3(t24, x[23], x[9] ^ x[0]));
	y[25] = SUM3(t34, t29, SUM3(t21, x[21], x[9] ^ x[2]));
	y[26] = SUM3(t33, t3, SUM3(x[30], x[23], x[5]));
	y[27] = SUM3(t35, t20, SUM3(t4, x[23], x[11])), y[28] = SUM3(t25, t15, t4 ^ t1);
	y[29] = SUM3(t22, t13, SUM3(t10, x[27], x[20]));
	y[30] = SUM3(t37, t20, SUM3(x[31], x[25], x[24] ^ x[12]));
	y[31] = SUM3(t38, t23, SUM3(t8, t3, x[28] ^ x[11]));
}

/* clang-format on */
