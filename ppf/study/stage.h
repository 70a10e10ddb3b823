/* Camellia's design stages (the dissertation's section 6.5.4): the patterns of examples/ciphers/ on the
 * host, what they need, and what the code analysis found in them. */
#ifndef STUDY_STAGE_H
#define STUDY_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include "ppf/study/study.h"

#define N_CAMELLIA_STAGES 3
#define MAX_STAGE_KEYS    76
#define MAX_STAGE_TABLE   2048

/* Encrypts whole blocks; made by stage_core.c. */
typedef void stage_core(uint8_t *out, const uint8_t *in, size_t n_bytes, const uint32_t *keys, const uint32_t *table);

struct design_stage {
	const char *name, *files; /* "camellia pattern 1", as in profiles.inc; of the device program */
	unsigned key_words, table_words;
	stage_core *core;
};

extern const struct design_stage camellia_stages[N_CAMELLIA_STAGES];

/* MAX_STAGE_TABLE words: Camellia's four tables, and its S-boxes with a byte in a word. */
void stage_table(uint32_t table[MAX_STAGE_TABLE]);

/* All stages over n_bytes, a multiple of 64 KiB. */
int stages_run(struct study *study, struct figure *figure, size_t n_bytes);

#endif
