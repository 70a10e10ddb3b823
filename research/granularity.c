/* Chapter 4 of the dissertation: AES-128-ECB with 16, 8, 4 or 1 bytes of a block for each work-item, and tables, round
 * keys and state in each possible memory (tables 4.3, 4.6, 4.7, figure 4.8). */
#include <math.h>
#include <string.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "research/study.h"

#define FILES      "word.cl table.cl aes.cl granularity.cl"
#define KEY_BYTES  16
#define GPU_BYTES  ((size_t)256 << 20)
#define CPU_BYTES  ((size_t)4 << 20)
#define QUICK_PART 8 /* --quick divides the bytes by this number */
#define N_VARIANTS 36

#define PRODUCT    "the product's kernel"
#define POLICY     "product, the policy"
#define REPLICATED "product, tables x32"
#define CHOSEN     "product, chosen"

/* Indices into the names below. */
struct placement {
	unsigned bytes, table, key, state;
};

static const unsigned item_bytes[] = { 16, 8, 4, 1 };
static const char *const spaces[] = { "constant", "local" }, *const space_macros[] = { "CONSTANT", "LOCAL" },
                         *const states[] = { "registers", "local memory, AoS", "local memory, SoA" },
                         *const state_macros[] = { "IN_REGISTERS", "AOS", "SOA" };

/* Section 4.5.1: the number of groups is a multiple of the compute units, that of work-items a multiple of the warp. */
static const struct launch_shape {
	unsigned items, groups_per_unit;
} gpu_shapes[] = { { 512, 3 }, { 512, 2 }, { 512, 4 }, { 256, 4 }, { 256, 8 }, { 1024, 1 }, { 1024, 2 } },
  cpu_shapes[] = { { 64, 4 } };

static const char *row_of(char text[48], const struct placement *at)
{
	snprintf(text, 48, "%u B, T %s, K %s", item_bytes[at->bytes], spaces[at->table], spaces[at->key]);
	return text;
}

static int open_blocks(struct blocks *blocks, struct study *study, struct round_keys *keys)
{
	const struct suite suite = { &cipher_aes, &modes[MODE_ECB], KEY_BYTES, ENCRYPT };
	const struct table_form *form = cipher_form(&cipher_aes, TABLE_4);
	uint8_t key[KEY_BYTES];
	int status;

	study_fill(key, sizeof key);
	cipher_expand(&cipher_aes, keys, key, KEY_BYTES, ENCRYPT);
	status = blocks_open(blocks, study,
	        (study->session.device->cpu ? CPU_BYTES : GPU_BYTES) / (study->quick ? QUICK_PART : 1), keys->word,
	        sizeof keys->word, form->table[ENCRYPT], 4 * form->words);
	return status
	               ?: core_crypt(&suite, form->host_core, form->table,
	                          &(struct work){ .in = blocks->plain,
	                                  .out = blocks->expected,
	                                  .n_bytes = REPEATED_BYTES,
	                                  .key = key });
}

static int build_variant(struct variant *variant, struct blocks *blocks, const char *name, const struct placement *at,
        unsigned items, const struct round_keys *keys)
{
	const struct table_form *form = cipher_form(&cipher_aes, TABLE_4);
	char options[400];

	snprintf(options, sizeof options,
	        "-DITEM_BYTES=%u -DTABLE_IN_%s -DKEYS_IN_%s -DSTATE_%s -DWORK_ITEMS=%u -DTABLE_FORM=%d "
	        "-DTABLE_WORDS=%u -DROUNDS=%d -DROUND_KEY_WORDS=%d -DDECRYPT=0",
	        item_bytes[at->bytes], space_macros[at->table], space_macros[at->key], state_macros[at->state], items,
	        form->number, form->words, keys->rounds, 4 * (keys->rounds + 1));
	return study_build(variant, blocks->study, name, FILES, options, "encrypt");
}

/* Find the fastest of the launches that can be tried before end_s; at least one is tried.  A shape that the device
 * cannot run is skipped; if the device can run none, its failure is returned. */
static int time_variant(struct blocks *blocks, const char *name, const struct placement *at,
        const struct round_keys *keys, double end_s, double *seconds, struct launch_shape *best)
{
	const struct device *device = blocks->study->session.device;
	const struct launch_shape *shapes = device->cpu ? cpu_shapes : gpu_shapes;
	size_t n = device->cpu ? 1 : sizeof gpu_shapes / sizeof *gpu_shapes;
	struct variant variant = { .kernel = NULL };
	unsigned built = 0; /* work-items for which the program is built */
	int status = GPUCRYPT_OK;

	for (size_t i = 0; i < n && status != GPUCRYPT_CORRUPT; i++) {
		size_t groups = (size_t)shapes[i].groups_per_unit * device->compute_units;
		double once = 0;

		if (shapes[i].items > device->max_work_items || (*seconds > 0 && host_seconds() > end_s))
			continue;
		fail_clear(); /* failure of an earlier shape */
		status = built == shapes[i].items ? GPUCRYPT_OK
		                                  : build_variant(&variant, blocks, name, at, shapes[i].items, keys);
		built = status == GPUCRYPT_OK ? shapes[i].items : 0;
		if (status == GPUCRYPT_OK)
			status = blocks_time(blocks, &variant, shapes[i].items, groups, blocks->n_bytes, &once);
		if (status == GPUCRYPT_OK && (*seconds == 0 || once < *seconds))
			*seconds = once, *best = shapes[i];
	}
	variant_close(&variant);
	if (status == GPUCRYPT_CORRUPT)
		*seconds = 0;
	return *seconds > 0 ? GPUCRYPT_OK : status;
}

static int run_variant(
        struct blocks *blocks, json_t *figure, const struct placement *at, const struct round_keys *keys, double end_s)
{
	char row[48], name[80];
	double seconds = 0;
	struct launch_shape best = { 0 };
	int status;

	snprintf(name, sizeof name, "%s, state in %s", row_of(row, at), states[at->state]);
	status = time_variant(blocks, name, at, keys, end_s, &seconds, &best);
	if (seconds > 0) {
		figure_bar(figure, states[at->state], row, gigabits(blocks->n_bytes, seconds));
		fail_clear();
	}
	if (at->bytes == 0 && at->table == 1 && at->key == 1 && at->state == 0) {
		figure_set(figure, "work-items", best.items);
		figure_set(figure, "groups of a unit", best.groups_per_unit);
	}
	return study_note(figure, name, status);
}

/* Each variant gets an equal part of the time that is left.  Only a work-item with a whole block can keep the state in
 * registers. */
static int run_variants(struct blocks *blocks, json_t *figure, const struct round_keys *keys)
{
	int status = GPUCRYPT_OK;
	unsigned left = N_VARIANTS;

	for (unsigned i = 0; i < 4 * 2 * 2 * 3 && status == GPUCRYPT_OK; i++) {
		const struct placement at = { i / 12, i / 6 % 2, i / 3 % 2, i % 3 };

		if (at.bytes == 0 || at.state != 0)
			status = run_variant(
			        blocks, figure, &at, keys, host_seconds() + study_left_s(blocks->study) / left--);
	}
	for (unsigned i = 1; i < 4; i++) {
		char name[64];

		snprintf(name, sizeof name, "%u B, any place of T and K, state in registers", item_bytes[i]);
		figure_note(figure, NOTE_IMPOSSIBLE, name,
		        "work-items that share a block exchange its state, and do not see each other's registers");
	}
	return status;
}

/* Measure the product's kernels: the policy, one replica of the table for each bank, and the kernel that gcrypt
 * chooses. */
static int run_products(struct study *study, json_t *figure, size_t n_bytes)
{
	const struct suite suite = { &cipher_aes, &modes[MODE_ECB], KEY_BYTES, ENCRYPT };
	const char *const names[] = { POLICY, REPLICATED, CHOSEN };
	struct gpucrypt_plan plans[] = { { .kernel.table = TABLE_4 },
		{ .kernel = { .table = TABLE_1, .replicas = 32 } }, { 0 } };
	const uint64_t only = n_bytes;
	int status = product_choose(&plans[2], study, &suite, n_bytes);

	for (size_t i = 0; i < sizeof plans / sizeof *plans && status == GPUCRYPT_OK; i++) {
		double seconds;

		status = study_note(figure, names[i], product_times(study, &suite, &plans[i], &only, 1, &seconds));
		if (seconds > 0)
			figure_bar(figure, PRODUCT, names[i], gigabits(n_bytes, seconds));
	}
	return status;
}

int measure_granularity(struct study *study, json_t *figure, int which)
{
	struct round_keys keys;
	struct blocks blocks;
	int status = open_blocks(&blocks, study, &keys);

	(void)which;
	figure_set(figure, "launches", study->session.device->cpu ? 1 : sizeof gpu_shapes / sizeof *gpu_shapes);
	status = status ?: run_variants(&blocks, figure, &keys) ?: run_products(study, figure, blocks.n_bytes);
	blocks_close(&blocks);
	return status;
}
