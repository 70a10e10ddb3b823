/*
 * Figure 6.12: Camellia's design stages, predicted and really run.  What is counted, what the host
 * computes and what the device runs is one source, in examples/ciphers/.
 */
#include "ppf/study/stage.h"

#include <stdio.h>
#include <string.h>

#include "ppf/study/blocks.h"
#include "ppf/study/figures.h"
#include "gen/tables.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"
#include "ppf/model/overlap.h"

#define CAMELLIA_TABLE 1024
#define FULL_BYTES     ((size_t)256 << 20)
#define QUICK_BYTES    ((size_t)8 << 20)
#define UNIT_GROUPS    4 /* groups in a compute unit and work-items of a group, as on the GTX 580 */
#define GPU_ITEMS      1024
#define CPU_ITEMS      64

#define FILES(n) "word.cl table.cl camellia_stage.h camellia_pattern" #n ".c stage.cl grid.cl"

extern stage_core stage_core_1, stage_core_2, stage_core_3;

const struct design_stage camellia_stages[N_CAMELLIA_STAGES] = {
	{ "camellia pattern 1", FILES(1), 12, MAX_STAGE_TABLE, stage_core_1 },
	{ "camellia pattern 2", FILES(2), 28, CAMELLIA_TABLE, stage_core_2 },
	{ "camellia pattern 3", FILES(3), 76, CAMELLIA_TABLE, stage_core_3 },
};

void stage_table(uint32_t table[MAX_STAGE_TABLE])
{
	/* Position of a byte of table n's S-box in its words. */
	static const unsigned shifts[4] = { 8, 0, 0, 0 };

	memcpy(table, camellia_4, 4 * CAMELLIA_TABLE);
	for (unsigned i = 0; i < CAMELLIA_TABLE; i++)
		table[CAMELLIA_TABLE + i] = camellia_4[i] >> shifts[i / 256] & 0xff;
}

/* State that all stages share. */
struct stages {
	struct blocks blocks;
	cl_mem keys, table;
	uint32_t key_words[MAX_STAGE_KEYS], table_words[MAX_STAGE_TABLE];
	struct launch launch; /* of the prediction, and of the run */
};

static int open_stages(struct stages *s, struct study *study, size_t n_bytes)
{
	const struct device *device = study->device;
	unsigned items = device->cpu ? CPU_ITEMS : GPU_ITEMS;
	int status = blocks_open(&s->blocks, study, n_bytes);

	study_fill(study, s->key_words, sizeof(s->key_words));
	stage_table(s->table_words);
	s->launch = (struct launch){ .n_bytes = n_bytes,
		.work_groups = UNIT_GROUPS * device->compute_units,
		.work_items = items < device->max_work_items ? items : device->max_work_items };
	if (status == GPUCRYPT_OK)
		status = bench_buffer(&study->bench, &s->keys, sizeof(s->key_words), s->key_words);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(&study->bench, &s->table, sizeof(s->table_words), s->table_words);
	return status;
}

static void close_stages(struct stages *s)
{
	bench_release(s->keys);
	bench_release(s->table);
	blocks_close(&s->blocks);
}

static int build_stage(struct variant *variant, struct stages *s, const struct design_stage *stage)
{
	const struct device *device = s->blocks.study->device;
	char options[300];

	snprintf(options, sizeof(options),
	        "-DTABLE_IN_LOCAL -DKEYS_IN_LOCAL -DTABLE_WORDS=%u -DROUND_KEY_WORDS=%u "
	        "-DWORK_ITEMS=%u -DDECRYPT=0%s%s",
	        stage->table_words, stage->key_words, s->launch.work_items, device->cpu ? "" : " -DUNROLL",
	        device->ptx ? " -DPTX" : "");
	return variant_build(variant, s->blocks.study, stage->name, stage->files, options, "crypt");
}

/* grid.cl's arguments; ECB reads few of them. */
static int check_and_time(struct stages *s, struct variant *variant, double *seconds)
{
	const cl_ulong n_blocks = s->launch.n_bytes / BLOCK_BYTES, no_number = 0;
	const cl_uint nothing = 0;
	const struct variant_argument number = { sizeof(no_number), &no_number }, zero = { sizeof(nothing), &nothing };
	const struct variant_argument arguments[] = { { sizeof(cl_mem), &s->blocks.in },
		{ sizeof(cl_mem), &s->blocks.out }, { sizeof(n_blocks), &n_blocks }, number, number, number, zero, zero,
		zero, { sizeof(cl_mem), &s->blocks.in }, { sizeof(cl_mem), &s->keys }, { sizeof(cl_mem), &s->table } };
	const struct variant_launch launch = { arguments, sizeof(arguments) / sizeof(arguments[0]),
		s->launch.work_items, s->launch.work_groups };
	int status = blocks_check(&s->blocks, variant, &launch, s->launch.n_bytes);

	return status == GPUCRYPT_OK ? variant_time(variant, &launch, seconds) : status;
}

static int run_stage(struct stages *s, const struct design_stage *stage, double *seconds)
{
	struct variant variant = { 0 };
	int status = build_stage(&variant, s, stage);

	stage->core(s->blocks.expected, s->blocks.plain, REPEATED_BYTES, s->key_words, s->table_words);
	if (status == GPUCRYPT_OK)
		status = check_and_time(s, &variant, seconds);
	variant_close(&variant);
	return status;
}

/* Predicted and measured time of a stage, in ms. */
struct outcome {
	double sa, si, estimate, measured; /* 0: not known */
};

static void predict_stage(struct outcome *outcome, const struct stages *s, const struct device_record *record,
        const struct design_stage *stage)
{
	const struct profile *profile = profile_builtin(stage->name, 128, "4");
	const struct kernel_shape shape = {
		.copies = 1, .keys_local = true, .mode = profile_mode("camellia", "ecb"), .item_blocks = 1
	};
	struct launch launch = s->launch;
	struct thesis_prediction thesis;
	struct overlap_prediction overlap;

	launch.table_words = stage->table_words;
	predict_thesis(&thesis, record, profile, &launch);
	outcome->sa = 1e3 * thesis.total_sa / record->clock_hz;
	outcome->si = 1e3 * thesis.total_si / record->clock_hz;
	if (predict_overlap(&overlap, record, profile, &shape, &launch))
		outcome->estimate = 1e3 * overlap.seconds;
}

static void draw_stage(struct figure *figure, const struct design_stage *stage, const struct outcome *outcome)
{
	figure_bar(figure, "bound SA", stage->name, outcome->sa);
	if (outcome->measured > 0)
		figure_bar(figure, "measured", stage->name, outcome->measured);
	figure_bar(figure, "bound SI", stage->name, outcome->si);
	if (outcome->estimate > 0)
		figure_bar(figure, "estimate", stage->name, outcome->estimate);
}

static void conclude_stages(struct figure *figure, unsigned i, const struct outcome *o)
{
	/* The dissertation's measured time as a position between SA (0) and SI (1). */
	static const struct {
		const char *claim;
		double least, most;
	} rows[N_CAMELLIA_STAGES] = {
		{ "Pattern 1, six rounds of F', is about midway between SA and SI: few accesses to "
		  "memory hide little.",
		        0.25, 0.75 },
		{ "Pattern 2, twelve rounds of F and one of FL', is between SA and SI, near SI.", 0.6, 1 },
		{ "Pattern 3, thirty rounds of F with FL between, is on SA: so many accesses hide "
		  "all arithmetic.",
		        -0.05, 0.2 },
	};
	double at = (o->measured - o->sa) / (o->si - o->sa);

	figure_conclude(figure, o->measured > 0 ? verdict_of(at >= rows[i].least && at <= rows[i].most) : VERDICT_OPEN,
	        rows[i].claim,
	        "Measured %.3f ms, SA %.3f, SI %.3f: at %.2f of the way from SA to SI; the overlap "
	        "estimate is %.3f ms (%+.1f %%).",
	        o->measured, o->sa, o->si, at, o->estimate,
	        o->measured > 0 ? 100 * (o->estimate / o->measured - 1) : 0);
}

static int run_stages(struct stages *s, const struct device_record *record, struct figure *figure)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < N_CAMELLIA_STAGES && status == GPUCRYPT_OK; i++) {
		const struct design_stage *stage = &camellia_stages[i];
		struct outcome outcome = { 0 };
		double seconds = 0;

		predict_stage(&outcome, s, record, stage);
		status = variant_note(figure, stage->name, run_stage(s, stage, &seconds));
		outcome.measured = 1e3 * seconds;
		draw_stage(figure, stage, &outcome);
		conclude_stages(figure, i, &outcome);
	}
	return status;
}

int stages_run(struct study *study, struct figure *figure, size_t n_bytes)
{
	struct stages stages = { 0 };
	const struct device_record *record;
	int status = study_record(study, &record);

	figure->bars = true;
	snprintf(figure->y_label, sizeof(figure->y_label), "ms for %.3g MiB, kernel alone",
	        (double)n_bytes / (1u << 20));
	if (status == GPUCRYPT_OK)
		status = open_stages(&stages, study, n_bytes);
	if (status == GPUCRYPT_OK)
		status = run_stages(&stages, record, figure);
	close_stages(&stages);
	return status;
}

int figure_stages(struct study *study, struct figure *figure)
{
	return stages_run(study, figure, study->quick ? QUICK_BYTES : FULL_BYTES);
}
