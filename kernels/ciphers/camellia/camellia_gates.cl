/*
 * The S-box s1 of Camellia as gates of up to three inputs (RFC 3713 section 2.4.4).  It is the same
 * inversion as in AES between other linear maps; research/search/ found them: inversion.c a circuit of
 * two-input gates, three.py this.  Bits are numbered from the least significant one.
 */
/* clang-format off */

/* s1(x ^ 0xc5): 70 gates. */
INLINE void camellia_sbox(slice s[8], const slice x[8])
{
	slice t0 = x[2] ^ x[3];
	LOGIC(t1, t0, x[5], x[6], a ^ b ^ c)
	slice t2 = x[3] ^ x[6];
	LOGIC(t3, t1, x[4], x[5], a ^ b ^ c)
	slice t4 = x[0] ^ x[7];
	LOGIC(t5, t4, x[3], x[6], a ^ b ^ c)
	slice t6 = t3 ^ x[7];
	LOGIC(t7, x[0], x[1], x[4], a ^ b ^ ~c) LOGIC(t8, t5, x[1], x[4], a ^ b ^ c)
	LOGIC(t9, t0, x[1], x[4], a | (b ^ c)) LOGIC(t10, x[5], t8, t0, c ^ (a | b))
	LOGIC(t11, t0, x[1], x[4], a ^ b ^ c) LOGIC(t12, t8, t1, x[5], a ^ b ^ c)
	slice t13 = t6 ^ t12, t14 = t6 & t7;
	LOGIC(t15, t13, t2, t14, c ^ (a & b)) LOGIC(t16, x[4], t12, t14, c ^ (b & ~a))
	LOGIC(t17, t6, t11, x[0], (a ^ b) & (a ^ c)) LOGIC(t18, t6, t1, t11, a ^ b ^ c)
	slice t19 = t18 ^ t13, t20 = t19 & t5;
	LOGIC(t21, t20, t16, t9, a ^ b ^ c) LOGIC(t22, t20, t15, t10, a ^ b ^ c)
	slice t23 = t18 & t4;
	LOGIC(t24, t16, t23, t17, a ^ b ^ c) LOGIC(t25, t3, t1, t23, ~c ^ (a & b))
	LOGIC(t26, t25, t15, t7, a ^ b ^ c)
	slice t27 = t24 ^ x[4], t28 = t6 ^ t7;
	LOGIC(t29, t26, t21, t27, c | (a & b)) LOGIC(t30, t22, t26, t29, c ^ (a | ~b))
	LOGIC(t31, t8, x[5], t30, c | (a ^ ~b))
	slice t32 = t26 & t22, t33 = t32 ^ t27, t34 = t32 ^ t21;
	LOGIC(t35, t26, t27, t34, b ^ (c & (a ^ b))) LOGIC(t36, t35, x[1], x[4], a & (b ^ c))
	LOGIC(t37, t22, t33, t21, ~c & (b | ~a)) LOGIC(t38, t22, t21, t33, (a & c) ^ (c | ~b))
	LOGIC(t39, t38, t22, t26, b & (~a & ~c))
	slice t40 = t39 | t37;
	LOGIC(t41, t38, t6, x[0], ~a & (b ^ c)) LOGIC(t42, t28, t38, t35, a | (b ^ c))
	LOGIC(t43, t40, t3, t41, c ^ (a | ~b)) LOGIC(t44, t38, t6, t11, a | (b ^ ~c))
	LOGIC(t45, t38, t35, t6, ~c | (a ^ b))
	slice t46 = t40 ^ t38;
	LOGIC(t47, t46, t4, t41, c ^ (a & b))
	slice t48 = t40 ^ t30;
	LOGIC(t49, t48, t12, x[4], a & (b ^ c)) LOGIC(t50, t48, t12, t45, c ^ (a & b))
	LOGIC(t51, t49, t47, t42, a ^ b ^ c) LOGIC(t52, t35, t11, t50, c ^ (a & b))
	slice t53 = t35 ^ t30;
	LOGIC(t54, t53, t5, t47, c ^ (a | ~b)) LOGIC(t55, t53, t19, t52, c ^ (b & ~a))
	slice t56 = t46 ^ t53;
	LOGIC(t57, t2, t56, t49, c ^ (a & ~b)) LOGIC(t58, t13, t56, t45, c ^ (b | ~a))
	LOGIC(t59, t58, t52, t31, a ^ b ^ c) LOGIC(t60, t40, t1, t58, c ^ (b & ~a))
	LOGIC(t61, t18, t46, t60, c ^ (a & b)) LOGIC(t62, t60, t50, t44, a ^ b ^ c)
	LOGIC(t63, t8, t30, t57, c ^ (a & ~b))
	slice t64 = t57 ^ t43;
	LOGIC(t65, t61, t63, t36, a ^ b ^ c)
	slice t66 = t63 ^ t54;
	LOGIC(t67, t61, t55, t51, a ^ b ^ c) LOGIC(t68, t66, t64, t51, a ^ b ^ c)
	slice t69 = t66 ^ t59;
	s[0] = t65, s[1] = t64, s[2] = t69, s[3] = t68, s[4] = t67, s[5] = t55, s[6] = t66, s[7] = t62;
}

/* clang-format on */
