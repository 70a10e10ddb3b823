/* Camellia with too many rounds, pattern 3 of section 6.5.4: five times six rounds of F, with FL
 * and its inverse between them. */
#ifndef CAMELLIA_STAGE_H
#include "camellia_stage.h"
#endif

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	stage_six_f(s, k, 0, t);
	PRAGMA_UNROLL
	for (int i = 1; i < 5; i++) {
		stage_fl(s, k, 16 * i - 4, 1);
		stage_six_f(s, k, 16 * i, t);
	}
}
