/* Figure 6.12: Camellia's design stages (section 6.5.4), predicted and measured.  The code analysis, the host and the
 * device use the same source, in examples/ciphers/. */
#include <stdio.h>
#include <string.h>

#include "gen/tables.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"
#include "ppf/model/overlap.h"
#include "research/study.h"

/* NOLINTBEGIN(bugprone-suspicious-include) */
#define encrypt_block encrypt_pattern_1
#include "examples/ciphers/camellia_pattern1.c"
#undef encrypt_block
#define encrypt_block encrypt_pattern_2
#include "examples/ciphers/camellia_pattern2.c"
#undef encrypt_block
#define encrypt_block encrypt_pattern_3
#include "examples/ciphers/camellia_pattern3.c"
#undef encrypt_block
/* NOLINTEND(bugprone-suspicious-include) */

#define CAMELLIA_TABLE 1024
#define UNIT_GROUPS    4 /* groups per compute unit, and work-items per group, as on the GTX 580 */
#define GPU_ITEMS      1024
#define MAX_KEYS       76

#define FILES(n) "word.cl table.cl camellia_stage.h camellia_pattern" #n ".c stage.cl"

const struct design_stage design_stages[N_STAGES_OF_DESIGN] = {
	{ "camellia pattern 1", FILES(1), 12, STAGE_TABLE_WORDS, encrypt_pattern_1 },
	{ "camellia pattern 2", FILES(2), 28, CAMELLIA_TABLE, encrypt_pattern_2 },
	{ "camellia pattern 3", FILES(3), MAX_KEYS, CAMELLIA_TABLE, encrypt_pattern_3 },
};

const struct profile *study_profile(const char *name)
{
	static const struct profile counted[] = {
#include "research/profiles.inc"
	};

	for (const struct profile *row = counted; row < counted + sizeof counted / sizeof *counted; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

void stage_table(uint32_t table[STAGE_TABLE_WORDS])
{
	/* Position of the S-box's byte in the words of table n. */
	static const unsigned shifts[4] = { 8, 0, 0, 0 };

	memcpy(table, camellia_4, 4 * CAMELLIA_TABLE);
	for (unsigned i = 0; i < CAMELLIA_TABLE; i++)
		table[CAMELLIA_TABLE + i] = camellia_4[i] >> shifts[i / 256] & 0xff;
}

void stage_encrypt(const struct design_stage *stage, uint8_t *out, const uint8_t *in, size_t n_bytes,
        const uint32_t *key_words, const uint32_t *table)
{
	for (size_t at = 0; at < n_bytes; at += 16) {
		uint32_t s[4];

		for (unsigned i = 0; i < 4; i++)
			s[i] = load_be32(in + at + 4 * i);
		stage->encrypt(s, key_words, table);
		for (unsigned i = 0; i < 4; i++)
			store_be32(out + at + 4 * i, s[i]);
	}
}

static int time_stage(
        struct blocks *blocks, const struct design_stage *stage, const struct launch *launch, double *seconds)
{
	struct variant variant = { .kernel = NULL };
	char options[300];
	int status;

	snprintf(options, sizeof options,
	        "-DTABLE_IN_LOCAL -DKEYS_IN_LOCAL -DTABLE_WORDS=%u -DROUND_KEY_WORDS=%u -DWORK_ITEMS=%u -DDECRYPT=0%s",
	        stage->table_words, stage->key_words, launch->kernel.work_items,
	        blocks->study->session.device->ptx ? " -DPTX" : "");
	status = study_build(&variant, blocks->study, stage->name, stage->files, options, "stage")
	                 ?: blocks_time(blocks, &variant, launch->kernel.work_items, launch->kernel.work_groups,
	                            blocks->n_bytes, seconds);
	variant_close(&variant);
	return status;
}

/* Predicted and measured times. */
static int run_stage(struct blocks *blocks, json_t *figure, const struct design_stage *stage,
        const struct device_record *record, const struct launch *launch)
{
	const struct profile *profile = study_profile(stage->name);
	struct thesis_prediction thesis;
	struct overlap_prediction overlap;
	double seconds = 0;
	int status = study_note(figure, stage->name, time_stage(blocks, stage, launch, &seconds));

	predict_thesis(&thesis, record, profile, launch);
	figure_bar(figure, "bound SA", stage->name, 1e3 * thesis.total_sa / record->clock_hz);
	if (seconds > 0)
		figure_bar(figure, "measured", stage->name, 1e3 * seconds);
	figure_bar(figure, "bound SI", stage->name, 1e3 * thesis.total_si / record->clock_hz);
	if (predict_overlap(&overlap, record, profile, launch))
		figure_bar(figure, "estimate", stage->name, 1e3 * overlap.seconds);
	return status;
}

static void set_label(json_t *figure, size_t n_bytes)
{
	char label[64];

	snprintf(label, sizeof label, "ms for %.3g MiB, kernel alone", (double)n_bytes / MIB);
	json_object_set_new(figure, "y", json_string(label));
}

int measure_stages(struct study *study, json_t *figure, int which)
{
	const size_t n_bytes = (study->quick ? 8 : 256) * MIB;
	struct launch launch = { .n_bytes = n_bytes,
		.kernel = { .replicas = 1,
		        .key_space = MEMORY_LOCAL,
		        .work_groups = UNIT_GROUPS * study->session.device->compute_units,
		        .work_items = study_items(study, GPU_ITEMS, CPU_ITEMS) },
		.mode = profile_mode("camellia", "ecb"),
		.item_blocks = 1 };
	uint32_t key_words[MAX_KEYS], table[STAGE_TABLE_WORDS];
	const struct device_record *record;
	struct blocks blocks = { .study = study };
	int status = session_record(&study->session, &record);

	(void)which;
	set_label(figure, n_bytes);
	study_fill(key_words, sizeof key_words);
	stage_table(table);
	if (status == GPUCRYPT_OK)
		status = blocks_open(&blocks, study, n_bytes, key_words, sizeof key_words, table, sizeof table);
	for (unsigned i = 0; i < N_STAGES_OF_DESIGN && status == GPUCRYPT_OK; i++) {
		const struct design_stage *stage = &design_stages[i];

		launch.table_words = stage->table_words;
		stage_encrypt(stage, blocks.expected, blocks.plain, REPEATED_BYTES, key_words, table);
		status = run_stage(&blocks, figure, stage, record, &launch);
	}
	blocks_close(&blocks);
	return status;
}
