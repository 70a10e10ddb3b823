/*
 * SC2000's S-boxes and its matrix as gates (Shimoyama et al., FSE 2001), most of them functions of
 * three inputs.  kernels/search/ found them: lookup.c the S-boxes, linear.c the matrix.  Bits are
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

/* S5: 23 functions. */
INLINE void sc2000_s5(slice s[5], const slice x[5])
{
	slice t0 = ~(x[4] & (x[1] ^ x[2])), t1 = ~x[4] ^ (x[2] & x[1]), t2 = (~x[3] | t1) & t0;
	slice t3 = t2 ^ t1, t4 = t3 | (x[1] & x[3]), t5 = (x[0] & (t4 ^ t2)) ^ t4;
	slice t6 = (t1 | t4) ^ (t1 & x[2]), t7 = x[1] ^ (x[3] | x[4]), t8 = ~x[3];
	slice t9 = (x[2] & (t8 ^ t7)) ^ t7, t10 = (x[0] & (t9 ^ t6)) ^ t9, t11 = t7 ^ ~t0;
	slice t12 = (x[3] & (t11 ^ x[4])) ^ t11, t13 = t9 & (x[4] ^ x[2]), t14 = t4 ^ t11;
	slice t15 = (t14 | t13) & (t13 ^ x[1]), t16 = (x[0] & (t15 ^ t12)) ^ t15;
	slice t17 = t14 ^ (x[2] & t0), t18 = t1 ^ (~t6 & t9), t19 = (x[0] & (t18 ^ t17)) ^ t18;
	slice t20 = ~(t13 | (t4 & ~x[2])), t21 = x[1] ^ (t6 | t17);
	slice t22 = (x[0] & (t21 ^ t20)) ^ t21;
	s[0] = t16, s[1] = t10, s[2] = t19, s[3] = t5, s[4] = t22;
}

/* S6: 49 functions. */
INLINE void sc2000_s6(slice s[6], const slice x[6])
{
	slice t0 = x[4] | (x[3] ^ ~x[5]), t1 = x[3] ^ (x[4] & x[5]);
	slice t2 = (x[1] & (t1 ^ t0)) ^ t0, t3 = x[1] ^ (t2 ^ x[4]);
	slice t4 = (x[5] & (x[4] ^ t3)) ^ t3, t5 = (x[0] & (t4 ^ t2)) ^ t2, t6 = t3 ^ x[0];
	slice t7 = x[5] ^ ~(t5 | x[4]), t8 = (x[3] & (t7 ^ t6)) ^ t6, t9 = t5 ^ (x[4] & t8);
	slice t10 = (x[1] & (t9 ^ t8)) ^ t9, t11 = (x[2] & (t10 ^ t5)) ^ t10, t12 = t7 ^ ~t2;
	slice t13 = x[1] ^ x[3], t14 = (x[4] & (t13 ^ t12)) ^ t12;
	slice t15 = x[3] ^ ((x[3] ^ x[4]) & t2), t16 = (x[0] & (t15 ^ t14)) ^ t15;
	slice t17 = ~t0 ^ (t16 & t12), t18 = ~((t16 | t12) & t1);
	slice t19 = (x[1] & (t18 ^ t17)) ^ t18, t20 = (x[2] & (t19 ^ t16)) ^ t19;
	slice t21 = ~((t15 ^ t6) | (t16 ^ t6)), t22 = t11 ^ ((t11 ^ t13) & t16);
	slice t23 = (x[5] & (t22 ^ t21)) ^ t22, t24 = ~t6 ^ (t0 & t10);
	slice t25 = ~t22 ^ (x[4] & t18), t26 = (x[0] & (t25 ^ t24)) ^ t24;
	slice t27 = (x[2] & (t26 ^ t23)) ^ t23, t28 = (t14 | t24) ^ t2, t29 = (t13 ^ t19) | t23;
	slice t30 = (x[0] & (t29 ^ t28)) ^ t29, t31 = t18 ^ (t28 & t3), t32 = (t5 | t6) ^ t14;
	slice t33 = (~x[3] | t32) & t31, t34 = (x[2] & (t33 ^ t30)) ^ t33;
	slice t35 = (x[4] | ~t27) ^ t30, t36 = t22 ^ (t3 ^ t29);
	slice t37 = (x[2] & (t36 ^ t35)) ^ t35, t38 = t37 & ~t10, t39 = ~(t10 & x[2]) & t14;
	slice t40 = t38 | (~x[4] & t39), t41 = (x[1] & (t40 ^ t37)) ^ t37;
	slice t42 = (~t3 | x[1]) ^ x[5], t43 = t40 ^ (x[1] & t28);
	slice t44 = (x[2] & (t43 ^ t42)) ^ t43, t45 = ~(t43 | (t24 & t42));
	slice t46 = t11 | (t9 ^ t12), t47 = t45 | (~x[2] & t46);
	slice t48 = (x[0] & (t47 ^ t44)) ^ t44;
	s[0] = t11, s[1] = t41, s[2] = t34, s[3] = t27, s[4] = t48, s[5] = t20;
}

/* M: 206 additions. */
INLINE void sc2000_m(slice y[32], const slice x[32])
{
	slice t0 = x[9] ^ x[26], t1 = x[5] ^ x[23], t2 = x[0] ^ x[24], t3 = x[4] ^ x[22];
	slice t4 = x[21] ^ x[29], t5 = x[16] ^ x[25], t6 = x[7] ^ x[19], t7 = x[3] ^ x[18];
	slice t8 = x[1] ^ x[2], t9 = x[28] ^ t5, t10 = x[6] ^ t1, t11 = x[8] ^ x[20];
	slice t12 = x[31] ^ t0, t13 = x[10] ^ x[27], t14 = x[17] ^ t4, t15 = x[12] ^ t8;
	slice t16 = x[14] ^ t3, t17 = x[13] ^ t2, t18 = x[15] ^ t9, t19 = x[21] ^ x[30];
	slice t20 = t7 ^ t15, t21 = x[11] ^ t6, t22 = t11 ^ t13, t23 = t10 ^ t12;
	slice t24 = x[2] ^ x[3], t25 = x[13] ^ x[26], t26 = x[6] ^ x[10], t27 = x[7] ^ t7;
	slice t28 = t8 ^ t21, t29 = x[15] ^ x[25], t30 = x[1] ^ t6, t31 = x[22] ^ x[28];
	slice t32 = x[4] ^ t19, t33 = x[14] ^ t14, t34 = x[3] ^ t0, t35 = x[18] ^ t16;
	slice t36 = x[0] ^ x[13], t37 = x[5] ^ x[31], t38 = x[11] ^ t11, t39 = t24 ^ t25;
	slice t40 = x[20] ^ t17, t41 = t2 ^ t16, t42 = x[23] ^ t26, t43 = x[1] ^ t10;
	slice t44 = t3 ^ t14, t45 = t29 ^ t41, t46 = x[7] ^ x[17], t47 = t4 ^ t31;
	slice t48 = x[6] ^ t27, t49 = x[10] ^ x[17], t50 = x[9] ^ t36, t51 = t1 ^ t20;
	slice t52 = x[27] ^ t43, t53 = x[19] ^ x[25], t54 = t6 ^ t12, t55 = x[16] ^ t33;
	slice t56 = x[2] ^ x[11], t57 = x[22] ^ x[30], t58 = x[30] ^ t42, t59 = x[8] ^ x[24];
	slice t60 = x[8] ^ t50, t61 = t9 ^ t10, t62 = t13 ^ t32, t63 = t29 ^ t44;
	slice t64 = t18 ^ t40, t65 = x[6] ^ t62, t66 = x[16] ^ t17, t67 = x[12] ^ t27;
	slice t68 = t7 ^ t49, t69 = x[0] ^ x[18], t70 = x[12] ^ x[20], t71 = x[21] ^ t1;
	slice t72 = t2 ^ t22, t73 = t22 ^ t35, t74 = x[0] ^ t34;
	y[0] = x[17] ^ x[28] ^ t16 ^ t37 ^ t48 ^ t60, y[1] = x[12] ^ x[16] ^ t39 ^ t46 ^ t65;
	y[2] = t5 ^ t12 ^ t20 ^ t38 ^ t42, y[3] = x[5] ^ x[9] ^ x[15] ^ t28 ^ t40 ^ t57 ^ t68;
	y[4] = x[4] ^ x[15] ^ x[19] ^ t10 ^ t20 ^ t55 ^ t60, y[5] = t12 ^ t15 ^ t64;
	y[6] = x[5] ^ t30 ^ t55 ^ t74, y[7] = x[4] ^ t11 ^ t39 ^ t61;
	y[8] = x[26] ^ t3 ^ t6 ^ t20 ^ t72, y[9] = t14 ^ t23 ^ t28 ^ t69;
	y[10] = x[30] ^ t3 ^ t18 ^ t36 ^ t43 ^ t68, y[11] = x[16] ^ t25 ^ t28 ^ t71 ^ t73;
	y[12] = t23 ^ t30 ^ t63 ^ t70, y[13] = x[10] ^ x[11] ^ x[19] ^ x[24] ^ t19 ^ t35 ^ t61;
	y[14] = x[24] ^ t22 ^ t34 ^ t63, y[15] = x[14] ^ t4 ^ t9 ^ t24 ^ t54 ^ t59;
	y[16] = x[8] ^ x[26] ^ x[31] ^ t21 ^ t45 ^ t71, y[17] = t19 ^ t45 ^ t48;
	y[18] = x[25] ^ t26 ^ t33 ^ t39 ^ t59, y[19] = x[7] ^ x[8] ^ x[10] ^ t0 ^ t9 ^ t15 ^ t17;
	y[20] = t0 ^ t2 ^ t38 ^ t52 ^ t67, y[21] = x[8] ^ t18 ^ t30 ^ t65 ^ t69;
	y[22] = x[14] ^ x[25] ^ t23 ^ t46 ^ t72, y[23] = x[29] ^ t3 ^ t54 ^ t58 ^ t66;
	y[24] = t47 ^ t58 ^ t70 ^ t74, y[25] = x[9] ^ x[23] ^ t13 ^ t47 ^ t53 ^ t56;
	y[26] = x[13] ^ x[24] ^ t0 ^ t18 ^ t51 ^ t57, y[27] = x[27] ^ t14 ^ t38 ^ t41 ^ t51;
	y[28] = t18 ^ t28 ^ t37 ^ t44, y[29] = x[14] ^ t32 ^ t52 ^ t64;
	y[30] = x[12] ^ t17 ^ t37 ^ t53 ^ t73, y[31] = t19 ^ t23 ^ t31 ^ t56 ^ t66 ^ t67;
}
