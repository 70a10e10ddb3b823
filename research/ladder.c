/* gKrypt's ladder: AES-256, encryption and decryption, from tables in global memory to keys that are expanded on the
 * device; beside the product's kernel and the CPU. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gen/tables.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "kernels/gen/field.h"
#include "research/study.h"

#define KEY_BYTES      32
#define GPU_ITEMS      256 /* as gKrypt's largest groups */
#define GKRYPT_THREADS 8   /* threads of the CPU with which gKrypt was compared */
#define KEYS_ON_DEVICE 4
#define N_RUNGS        5
#define MAX_SIZES      5

#define PRODUCT   "the product's kernel"
#define HOST_CORE "CPU, tables"
#define LIBCRYPTO "CPU, AES-NI"

static const struct {
	const char *name, *options;
} rungs[N_RUNGS] = {
	{ "1 global memory", "-DREAD_ONLY=__global" },
	{ "2 constant memory", "-DREAD_ONLY=__constant" },
	{ "3 state in local memory", "-DREAD_ONLY=__constant -DSTATE_IN_LOCAL" },
	{ "4 loops unrolled", "-DREAD_ONLY=__constant -DSTATE_IN_LOCAL -DUNROLL_LOOPS" },
	{ "5 keys on the device", "-DREAD_ONLY=__constant -DSTATE_IN_LOCAL -DUNROLL_LOOPS -DKEYS_ON_DEVICE" },
};

/* Logarithms and antilogarithms to the base 3 in GF(2^8), the S-box and its inverse (FIPS 197, sections 4.2 and 5.1.1),
 * 256 bytes each. */
static void fill_tables(uint8_t t[1024])
{
	enum { LOGARITHM, ANTILOGARITHM = 256, SBOX = 512, INVERSE_SBOX = 768 };
	uint8_t a = 1;

	memset(t, 0, 1024);
	for (unsigned i = 0; i < 255; i++, a = multiply(a, 3)) {
		t[ANTILOGARITHM + i] = a;
		t[LOGARITHM + a] = (uint8_t)i;
	}
	for (unsigned i = 0; i < 256; i++) {
		uint8_t s = (uint8_t)(aes_encrypt_1[i] >> 8); /* byte 1 of an entry is the S-box's value */
		t[SBOX + i] = s;
		t[INVERSE_SBOX + s] = (uint8_t)i;
	}
}

/* The measurement of one direction.  Each rung has its own buffers, because the rungs take different forms of the key.
 * */
struct ladder {
	struct study *study;
	struct suite suite;
	uint8_t key[KEY_BYTES];
	struct round_keys round_keys;
	const uint64_t *n_bytes; /* ascending */
	unsigned n_sizes;
};

static int time_rung(struct ladder *ladder, struct blocks *blocks, json_t *figure, unsigned rung)
{
	const struct work work = {
		.in = blocks->plain, .out = blocks->expected, .n_bytes = REPEATED_BYTES, .key = ladder->key
	};
	unsigned items = study_items(ladder->study, GPU_ITEMS, CPU_ITEMS);
	struct variant variant = { .kernel = NULL };
	const struct table_form *form = &ladder->suite.cipher->forms[0];
	char options[200];
	int status;

	snprintf(options, sizeof options, "%s -DWORK_ITEMS=%u -DDECRYPT=%d", rungs[rung].options, items,
	        ladder->suite.direction == DECRYPT);
	status = core_crypt(&ladder->suite, form->host_core, form->table, &work)
	                 ?: study_build(
	                            &variant, ladder->study, rungs[rung].name, "word.cl gkrypt.cl", options, "gkrypt");
	for (unsigned i = 0; i < ladder->n_sizes && status == GPUCRYPT_OK; i++) {
		uint64_t n_bytes = ladder->n_bytes[i];
		double seconds = 0;

		status = blocks_time(
		        blocks, &variant, items, (n_bytes / BLOCK_BYTES + items - 1) / items, n_bytes, &seconds);
		if (status == GPUCRYPT_OK)
			figure_point(figure, rungs[rung].name, (double)n_bytes / MIB, gigabits(n_bytes, seconds));
	}
	variant_close(&variant);
	return status;
}

static int run_rung(struct ladder *ladder, json_t *figure, unsigned rung)
{
	bool on_device = rung == KEYS_ON_DEVICE;
	uint8_t tables[1024];
	struct blocks blocks;
	int status;

	fill_tables(tables);
	status = blocks_open(&blocks, ladder->study, ladder->n_bytes[ladder->n_sizes - 1],
	                 on_device ? (const void *)ladder->key : ladder->round_keys.word,
	                 on_device ? KEY_BYTES : sizeof ladder->round_keys.word, tables, sizeof tables)
	                 ?: time_rung(ladder, &blocks, figure, rung);
	blocks_close(&blocks);
	return study_note(figure, rungs[rung].name, status);
}

static int run_product(struct ladder *ladder, json_t *figure)
{
	struct gpucrypt_plan plan = { 0 };
	double seconds[MAX_SIZES];
	int status = product_choose(&plan, ladder->study, &ladder->suite, ladder->n_bytes[ladder->n_sizes - 1])
	                     ?: product_times(ladder->study, &ladder->suite, &plan, ladder->n_bytes, ladder->n_sizes,
	                                seconds);

	for (unsigned i = 0; i < ladder->n_sizes && status == GPUCRYPT_OK; i++)
		if (seconds[i] > 0)
			figure_point(figure, PRODUCT, (double)ladder->n_bytes[i] / MIB,
			        gigabits(ladder->n_bytes[i], seconds[i]));
	return study_note(figure, PRODUCT, status);
}

/* The CPU's speed does not depend on the size: draw it as a horizontal line. */
static int run_cpu(struct ladder *ladder, json_t *figure, const char *name, const struct engine_class *class)
{
	unsigned all = processor_threads(), threads = all < GKRYPT_THREADS ? all : GKRYPT_THREADS;
	double speed = 0;
	int status = processor_speed(ladder->study, class, &ladder->suite, threads, &speed);

	figure_set(figure, "threads", threads);
	for (unsigned i = 0; i < ladder->n_sizes && status == GPUCRYPT_OK; i++)
		figure_point(figure, name, (double)ladder->n_bytes[i] / MIB, speed);
	return status;
}

int measure_ladder(struct study *study, json_t *figure, int direction)
{
	static const uint64_t full[] = { MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB },
	                      quick[] = { MIB / 8, MIB / 4, MIB / 2 };
	struct ladder ladder = { .study = study,
		.suite = { &cipher_aes, &modes[MODE_ECB], KEY_BYTES, (enum direction)direction },
		.n_bytes = study->quick ? quick : full,
		.n_sizes = study->quick ? 3 : MAX_SIZES };
	int status = GPUCRYPT_OK;

	study_fill(ladder.key, KEY_BYTES);
	cipher_expand(&cipher_aes, &ladder.round_keys, ladder.key, KEY_BYTES, ENCRYPT);
	for (unsigned i = 0; i < N_RUNGS && status == GPUCRYPT_OK; i++)
		status = run_rung(&ladder, figure, i);
	return status ?: run_product(&ladder, figure)
	                         ?: run_cpu(&ladder, figure, HOST_CORE, &engine_host)
	                         ?: run_cpu(&ladder, figure, LIBCRYPTO, &engine_libcrypto);
}
