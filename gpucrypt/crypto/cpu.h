/* Instruction sets of this processor for which the library has separate forms. */
#ifndef GPUCRYPT_CRYPTO_CPU_H
#define GPUCRYPT_CRYPTO_CPU_H

/* Each is set only if the processor has all its instructions (CPUID; on AArch64 the kernel says so) and the system
 * keeps their registers (XCR0). */
enum cpu_feature {
	CPU_AES = 1,    /* x86-64: AES-NI, PCLMULQDQ, SSSE3; AArch64: AESE and PMULL of ARMv8 */
	CPU_VAES = 2,   /* VAES, VPCLMULQDQ, AVX2 */
	CPU_GFNI = 4,   /* GFNI, VPCLMULQDQ, AVX2 */
	CPU_AVX512 = 8, /* AVX-512 F, BW, VL, DQ */
	CPU_VBMI = 16,  /* AVX-512 VBMI */
	CPU_IFMA = 32,  /* AVX-512 IFMA, VBMI2 */
};

/* Bits of enum cpu_feature; 0 on processors other than x86-64 and AArch64.  Any thread. */
unsigned cpu_features(void);

#endif
