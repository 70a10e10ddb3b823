#include "gpucrypt/crypto/cipher.h"

#include <stdbool.h>

#ifdef __x86_64__
#include <cpuid.h>

#define CPU_ASKED (1u << 31)

/* __builtin_cpu_supports() of older compilers does not know VAES. AVX2 is known to it, and shows that the operating
 * system saves the 256-bit registers. */
static bool has_vaes(void)
{
	unsigned a, b, c = 0, d;

	return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_VAES) != 0;
}

static unsigned ask_features(void)
{
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq");
	bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
	unsigned features = 0;

	if (__builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3"))
		features |= CPU_AES;
	if (avx2 && has_vaes())
		features |= CPU_VAES;
	if (avx2 && __builtin_cpu_supports("gfni"))
		features |= CPU_GFNI;
	if (avx512)
		features |= CPU_AVX512;
	if (avx512 && __builtin_cpu_supports("avx512vbmi"))
		features |= CPU_VBMI;
	if (avx512 && __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vbmi2"))
		features |= CPU_IFMA;
	return features;
}

/* Asked once: a virtual machine's CPUID takes as long as encrypting 100 KiB.  Threads that ask at the same time get the
 * same answer. */
unsigned cpu_features(void)
{
	static _Atomic unsigned asked;
	unsigned features = asked;

	if (features == 0)
		asked = features = ask_features() | CPU_ASKED;
	return features;
}

#elif defined(__aarch64__)
#include <sys/auxv.h>

unsigned cpu_features(void)
{
	const unsigned long needed = HWCAP_AES | HWCAP_PMULL;

	return (getauxval(AT_HWCAP) & needed) == needed ? CPU_AES : 0;
}

#else

unsigned cpu_features(void)
{
	return 0;
}

#endif
