/* Camellia at a later stage, pattern 2 of section 6.5.4: six rounds of F, FL′ and its inverse, six
 * rounds of F. */
#include "camellia_stage.h"

void encrypt_block(word s[4], const word *rkey);

void encrypt_block(word s[4], const word *rkey)
{
	stage_six_f(s, rkey);
	stage_fl(s, rkey + 12, 0);
	stage_six_f(s, rkey + 16);
}
