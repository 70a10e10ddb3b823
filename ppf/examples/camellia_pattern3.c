/* Camellia with too many rounds, pattern 3 of section 6.5.4: five times six rounds of F, with FL
 * and its inverse between them. */
#include "camellia_stage.h"

void encrypt_block(word s[4], const word *rkey);

void encrypt_block(word s[4], const word *rkey)
{
	stage_six_f(s, rkey);
	for (int i = 1; i < 5; i++) {
		stage_fl(s, rkey + 16 * i - 4, 1);
		stage_six_f(s, rkey + 16 * i);
	}
}
