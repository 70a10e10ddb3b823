/*
 * One of Camellia's design stages, compiled for the host from the same source as the kernel and the analysis, with
 * -DCORE_FILE="examples/ciphers/camellia_pattern1.c" -DSTAGE_CORE=stage_core_1.
 */
#define ROUNDS 1 /* loops have their numbers in them: keys are words alone */

#include "ppf/study/stage.h"

#include "kernels/study/study.cl"
#include "kernels/common/word.cl"
#include "kernels/common/table.cl"

#include CORE_FILE

#include "kernels/study/stage.cl"

extern stage_core STAGE_CORE;
void STAGE_CORE(uint8_t *out, const uint8_t *in, size_t n_bytes, const uint32_t *keys_words, const uint32_t *table)
{
	for (block_number i = 0; i < n_bytes / sizeof(block); i++)
		crypt_block((const block *)in, (block *)out, i, NULL, keys_words, table);
}
