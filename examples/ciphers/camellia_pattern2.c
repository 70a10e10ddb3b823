/* Camellia at a later stage, pattern 2 of section 6.5.4: six rounds of F, FL′ and its inverse, six
 * rounds of F. */
#ifndef CAMELLIA_STAGE_H
#include "camellia_stage.h"
#endif

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	stage_six_f(s, k, 0, t);
	stage_fl(s, k, 12, 0);
	stage_six_f(s, k, 16, t);
}
