/* Camellia's design stages: the patterns of examples/ciphers/ on the host, and what they need on a device. */
#ifndef STUDY_STAGE_H
#define STUDY_STAGE_H

#include "research/study.h"

#define N_STAGES_OF_DESIGN 3
#define STAGE_TABLE_WORDS  2048

struct design_stage {
	const char *name, *files; /* name as in profiles.inc; files of the device program */
	unsigned key_words, table_words;
	void (*encrypt)(uint32_t block[4], const uint32_t *keys, const uint32_t *table);
};

extern const struct design_stage design_stages[N_STAGES_OF_DESIGN];

/* Camellia's four tables, followed by its S-boxes, one byte in each word. */
void stage_table(uint32_t table[STAGE_TABLE_WORDS]);

/* Encrypt on the host; n_bytes is a multiple of the block size. */
void stage_encrypt(const struct design_stage *stage, uint8_t *out, const uint8_t *in, size_t n_bytes,
        const uint32_t *key_words, const uint32_t *table);

#endif
