/*
 * The S-boxes of AES as gates (FIPS 197 section 5.1.1) of up to three inputs.  research/search/ found
 * them: inversion.c a circuit of two-input gates, three.py these.  Bits are numbered from the least
 * significant one.
 */
/* clang-format off */

/* SubBytes but for its constant, 0x63: 72 gates. */
INLINE void aes_sbox(slice s[8], const slice x[8])
{
	slice t0 = x[0] ^ x[6], t1 = x[1] ^ x[7], t2 = t0 ^ x[2], t3 = t2 ^ x[3];
	LOGIC(t4, t3, x[4], x[5], a ^ b ^ c) LOGIC(t5, t3, t0, x[4], a & (b ^ ~c))
	slice t6 = t4 ^ x[7], t7 = t6 ^ x[6], t8 = t3 ^ x[7];
	LOGIC(t9, t3, t0, x[4], a ^ b ^ c) LOGIC(t10, t0, x[4], t3, c | (a ^ b))
	slice t11 = t7 ^ t0;
	LOGIC(t12, t11, t2, t8, c & (a ^ b))
	slice t13 = t7 ^ t9;
	LOGIC(t14, t13, t1, x[2], a ^ b ^ c) LOGIC(t15, x[7], t13, x[2], a | (b ^ c))
	slice t16 = t14 ^ t8, t17 = t16 ^ t4, t18 = t4 & t0;
	LOGIC(t19, t17, t7, t18, c ^ (a & b)) LOGIC(t20, t19, t12, t10, a ^ b ^ c)
	LOGIC(t21, t16, t11, t18, c ^ (a & b)) LOGIC(t22, t21, t15, t5, a ^ b ^ c)
	slice t23 = t4 ^ t0;
	LOGIC(t24, t14, t2, t23, c ^ (a & b)) LOGIC(t25, t13, t14, t6, a & (b ^ c))
	LOGIC(t26, t19, t25, t24, a ^ b ^ c) LOGIC(t27, t13, t2, t6, c & (a ^ b))
	LOGIC(t28, t21, t25, t27, a ^ b ^ c) LOGIC(t29, t28, t16, t11, a ^ b ^ c)
	LOGIC(t30, t26, t22, t29, c | (a & b)) LOGIC(t31, t26, t20, t30, c ^ (a & ~b))
	LOGIC(t32, t26, t22, t29, c & (a | ~b)) LOGIC(t33, t26, t20, t29, c ^ (a & b))
	LOGIC(t34, t29, t20, t22, c | (a & b)) LOGIC(t35, t22, t20, t33, a ^ (c & (a ^ b)))
	LOGIC(t36, t26, t20, t22, a & (b ^ c)) LOGIC(t37, t26, t20, t34, c ^ (a | ~b))
	slice t38 = t32 | t36;
	LOGIC(t39, t13, x[2], t38, c & (a ^ b)) LOGIC(t40, t31, t38, t9, c & (a ^ b))
	LOGIC(t41, t3, t38, t31, a & (b ^ c))
	slice t42 = t38 & x[7];
	LOGIC(t43, t31, t8, t42, c ^ (a & b))
	slice t44 = t35 ^ t38, t45 = t44 & t0, t46 = t45 ^ t40, t47 = t35 ^ t37;
	LOGIC(t48, t13, t47, t45, c ^ (b | ~a)) LOGIC(t49, t13, t2, t35, c & (a ^ b))
	LOGIC(t50, t14, t6, t47, ~c & (a ^ b)) LOGIC(t51, t14, t37, t43, c ^ (b | ~a))
	LOGIC(t52, t35, t6, t51, c ^ (a & b))
	slice t53 = t51 ^ t50;
	LOGIC(t54, t53, t42, t41, a ^ b ^ ~c) LOGIC(t55, t44, t4, t53, ~c ^ (a & b))
	LOGIC(t56, t31, t11, t2, a & (b ^ c))
	slice t57 = t31 ^ t37;
	LOGIC(t58, t37, t2, t48, c ^ (b & ~a)) LOGIC(t59, t44, t57, t7, c & (a ^ ~b))
	LOGIC(t60, t17, t57, t44, a & (b ^ ~c))
	slice t61 = t43 ^ t60;
	LOGIC(t62, t57, t16, t61, c ^ (b & ~a))
	slice t63 = t55 ^ t61;
	LOGIC(t64, t63, t48, t49, a ^ b ^ c) LOGIC(t65, t52, t58, t59, a ^ b ^ c)
	LOGIC(t66, t46, t59, t56, a ^ b ^ c) LOGIC(t67, t64, t46, t39, a ^ b ^ ~c)
	LOGIC(t68, t54, t66, t52, a ^ b ^ ~c) LOGIC(t69, t57, t11, t68, c ^ (a | ~b))
	slice t70 = t64 ^ t69;
	LOGIC(t71, t63, t66, t62, a ^ b ^ c)
	s[0] = t68, s[1] = t54, s[2] = t62, s[3] = t67, s[4] = t71, s[5] = t66, s[6] = t65, s[7] = t70;
}

/* InvSubBytes of what has the constant added: 74 gates. */
INLINE void aes_inverse_sbox(slice s[8], const slice x[8])
{
	LOGIC(t0, x[2], x[3], x[4], a ^ b ^ ~c) LOGIC(t1, x[2], x[6], x[5], c & (a ^ ~b))
	slice t2 = x[5] ^ x[6];
	LOGIC(t3, t2, x[2], x[3], a ^ b ^ c)
	slice t4 = t2 ^ x[2];
	LOGIC(t5, t3, x[1], x[5], a ^ b ^ ~c)
	slice t6 = t5 ^ x[4];
	LOGIC(t7, x[0], x[3], x[7], a ^ b ^ ~c)
	slice t8 = x[1] ^ x[7];
	LOGIC(t9, x[3], x[5], x[7], a ^ b ^ c) LOGIC(t10, x[0], x[7], x[3], ~c | (a ^ b))
	slice t11 = t9 ^ x[0];
	LOGIC(t12, t2, t8, x[3], a | (b ^ c)) LOGIC(t13, t2, t8, x[3], a ^ b ^ ~c)
	slice t14 = t13 ^ t7, t15 = t11 ^ t0;
	LOGIC(t16, t11, t3, t1, c ^ (a & b)) LOGIC(t17, t0, x[1], x[5], ~a & (b ^ c))
	LOGIC(t18, t6, t9, t17, c ^ (b | ~a))
	slice t19 = t14 & t8;
	LOGIC(t20, t19, t1, t10, a ^ b ^ c) LOGIC(t21, t15, t5, t20, c ^ (a & b))
	slice t22 = t5 | t15;
	LOGIC(t23, t6, t9, t22, c ^ (a & b)) LOGIC(t24, t23, t19, t12, a ^ b ^ ~c)
	slice t25 = t4 ^ t9, t26 = t14 | t8;
	LOGIC(t27, t25, t14, t15, a & (b ^ ~c)) LOGIC(t28, t27, t26, t16, a ^ b ^ c)
	LOGIC(t29, t18, t27, t19, a ^ b ^ c) LOGIC(t30, t21, t29, t24, (a | b) & (b ^ c))
	LOGIC(t31, t29, t28, t30, ~c & (b | ~a)) LOGIC(t32, t24, t28, t21, c & (b | ~a))
	LOGIC(t33, t24, t28, t29, c & (a | ~b))
	slice t34 = t24 ^ t29;
	LOGIC(t35, t29, t28, t32, ~c | (b & ~a)) LOGIC(t36, t34, t21, t33, c ^ (b | ~a))
	LOGIC(t37, t34, t28, t32, c | (a & b))
	slice t38 = t21 | t28;
	LOGIC(t39, t35, t37, t38, c & (~a | ~b))
	slice t40 = t35 & t38;
	LOGIC(t41, x[1], x[5], t39, c & (a ^ b)) LOGIC(t42, t6, t9, t40, c & (a ^ ~b))
	slice t43 = t40 & t9, t44 = t40 ^ t31;
	LOGIC(t45, t25, t44, t41, c ^ (b | ~a)) LOGIC(t46, t14, t15, t44, c | (a ^ b))
	LOGIC(t47, t31, t4, t43, c ^ (b & ~a)) LOGIC(t48, t37, t36, t14, ~c | (a ^ b))
	LOGIC(t49, t31, x[5], t48, c ^ (b & ~a))
	slice t50 = t31 ^ t36;
	LOGIC(t51, t50, t3, t41, c ^ (a & b)) LOGIC(t52, t0, t39, t46, c ^ (b & ~a))
	LOGIC(t53, t11, t50, t46, c ^ (a & b))
	slice t54 = t39 ^ t50;
	LOGIC(t55, t7, t36, t53, ~c ^ (a | b)) LOGIC(t56, t37, t13, t55, c ^ (a & ~b))
	LOGIC(t57, t56, t42, t48, a ^ b ^ c)
	slice t58 = t56 ^ t52;
	LOGIC(t59, t37, t8, x[3], a & (b ^ c)) LOGIC(t60, t37, t36, t8, ~c | (a ^ b))
	LOGIC(t61, t45, t43, t60, a ^ b ^ c) LOGIC(t62, t61, t53, t49, a ^ b ^ c)
	LOGIC(t63, t36, x[3], t59, c ^ (b & ~a)) LOGIC(t64, t54, t5, t59, c ^ (b | ~a))
	slice t65 = t51 ^ t63;
	LOGIC(t66, t54, t15, t65, c ^ (b | ~a))
	slice t67 = t55 ^ t66;
	LOGIC(t68, t67, t51, t47, a ^ b ^ c)
	slice t69 = t67 ^ t62;
	LOGIC(t70, t69, t45, t64, a ^ b ^ c)
	slice t71 = t57 ^ t65, t72 = t68 ^ t57, t73 = t69 ^ t58;
	s[0] = t62, s[1] = t70, s[2] = t58, s[3] = t72, s[4] = t68, s[5] = t73, s[6] = t61, s[7] = t71;
}

/* clang-format on */
