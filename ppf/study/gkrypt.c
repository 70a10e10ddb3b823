/*
 * gKrypt's ladder: AES-256, encryption and decryption, from tables in global memory to keys that
 * are expanded on the device; beside the product's kernel and the CPU.
 */
#include "ppf/study/gkrypt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ppf/study/blocks.h"
#include "ppf/study/figures.h"
#include "gen/tables.h"
#include "gpucrypt/engine/host_crypt.h"
#include "gpucrypt/status.h"
#include "kernels/gen/field.h"
#include "ppf/study/processor.h"
#include "ppf/study/product.h"

#define KEY_BYTES      32
#define MIB            (UINT64_C(1) << 20)
#define GPU_ITEMS      256 /* as gKrypt's largest groups */
#define CPU_ITEMS      64
#define GKRYPT_THREADS 8 /* of the CPU that gKrypt was compared with */

#define PRODUCT   "the product's kernel"
#define HOST_CORE "CPU, tables"
#define LIBCRYPTO "CPU, AES-NI"

const char *const rung_names[N_RUNGS] = { "1 global memory", "2 constant memory", "3 state in local memory",
	"4 loops unrolled", "5 keys on the device" };

static const char *const rung_options[N_RUNGS] = { "-DREAD_ONLY=__global", "-DREAD_ONLY=__constant",
	"-DREAD_ONLY=__constant -DSTATE_IN_LOCAL", "-DREAD_ONLY=__constant -DSTATE_IN_LOCAL -DUNROLL_LOOPS",
	"-DREAD_ONLY=__constant -DSTATE_IN_LOCAL -DUNROLL_LOOPS -DKEYS_ON_DEVICE" };

enum { LOGARITHM, ANTILOGARITHM = 256, SBOX = 512, INVERSE_SBOX = 768 };

void gkrypt_tables(uint8_t t[GKRYPT_TABLE_BYTES])
{
	uint8_t a = 1;

	memset(t, 0, GKRYPT_TABLE_BYTES);
	for (unsigned i = 0; i < 255; i++, a = multiply(a, 3)) {
		t[ANTILOGARITHM + i] = a;
		t[LOGARITHM + a] = (uint8_t)i;
	}
	for (unsigned i = 0; i < 256; i++) {
		uint8_t s = (uint8_t)(aes_encrypt_1[i] >> 8); /* an entry has S at byte 1 */
		t[SBOX + i] = s;
		t[INVERSE_SBOX + s] = (uint8_t)i;
	}
}

/* Of one direction. */
struct ladder {
	struct study *study;
	struct suite suite;
	struct blocks blocks;
	cl_mem tables, expanded, key;
	uint8_t key_bytes[KEY_BYTES];
	const uint64_t *n_bytes; /* ascending */
	unsigned n_sizes;
};

/* Gbit/s of the smallest and of the largest size; NAN: not measured. */
struct ends {
	double small, large;
};

static int expect(struct ladder *ladder)
{
	const struct work work = { .in = ladder->blocks.plain,
		.out = ladder->blocks.expected,
		.n_bytes = REPEATED_BYTES,
		.key = ladder->key_bytes };

	return host_crypt(&ladder->suite, &ladder->suite.cipher->forms[0], &work);
}

static int open_ladder(
        struct ladder *ladder, struct study *study, enum direction direction, const uint64_t *n_bytes, unsigned n)
{
	struct bench *bench = &study->bench;
	uint8_t tables[GKRYPT_TABLE_BYTES];
	struct round_keys keys;
	int status;

	*ladder = (struct ladder){ .study = study,
		.suite = { &cipher_aes, &modes[MODE_ECB], KEY_BYTES, direction },
		.n_bytes = n_bytes,
		.n_sizes = n };
	study_fill(study, ladder->key_bytes, KEY_BYTES);
	cipher_expand(&cipher_aes, &keys, ladder->key_bytes, KEY_BYTES, ENCRYPT);
	gkrypt_tables(tables);
	status = blocks_open(&ladder->blocks, study, ladder->n_bytes[ladder->n_sizes - 1]);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &ladder->tables, sizeof(tables), tables);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &ladder->expanded, sizeof(keys.word), keys.word);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &ladder->key, KEY_BYTES, ladder->key_bytes);
	return status == GPUCRYPT_OK ? expect(ladder) : status;
}

static void close_ladder(struct ladder *ladder)
{
	const cl_mem buffers[] = { ladder->tables, ladder->expanded, ladder->key };

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		bench_release(buffers[i]);
	blocks_close(&ladder->blocks);
}

/* One size: checked and timed. */
static int run_size(struct ladder *ladder, struct variant *variant, bool keys_on_device, size_t items, size_t n_bytes,
        double *seconds)
{
	const cl_ulong n_blocks = n_bytes / BLOCK_BYTES;
	const struct variant_argument arguments[] = { { sizeof(cl_mem), &ladder->blocks.in },
		{ sizeof(cl_mem), &ladder->blocks.out }, { sizeof(n_blocks), &n_blocks },
		{ sizeof(cl_mem), &ladder->tables },
		{ sizeof(cl_mem), keys_on_device ? &ladder->key : &ladder->expanded } };
	const struct variant_launch launch = { arguments, sizeof(arguments) / sizeof(arguments[0]), items,
		(n_blocks + items - 1) / items };
	int status = blocks_check(&ladder->blocks, variant, &launch, n_bytes);

	return status == GPUCRYPT_OK ? variant_time(variant, &launch, seconds) : status;
}

static void draw_ladder(struct figure *figure, const char *name, size_t n_bytes, double speed, struct ends *ends)
{
	figure_point(figure, name, (double)n_bytes / MIB, speed);
	if (isnan(ends->small))
		ends->small = speed;
	ends->large = speed;
}

static int run_rung(struct ladder *ladder, struct figure *figure, unsigned rung, struct ends *ends)
{
	const struct device *device = ladder->study->device;
	unsigned items = device->cpu ? CPU_ITEMS : GPU_ITEMS;
	struct variant variant = { 0 };
	char options[200];
	int status;

	items = items < device->max_work_items ? items : device->max_work_items;
	snprintf(options, sizeof(options), "%s -DWORK_ITEMS=%u -DDECRYPT=%d", rung_options[rung], items,
	        ladder->suite.direction == DECRYPT);
	status = variant_build(&variant, ladder->study, rung_names[rung], "word.cl gkrypt.cl", options, "gkrypt");
	for (unsigned i = 0; i < ladder->n_sizes && status == GPUCRYPT_OK; i++) {
		double seconds = 0;

		status = run_size(ladder, &variant, rung == 4, items, ladder->n_bytes[i], &seconds);
		if (status == GPUCRYPT_OK)
			draw_ladder(figure, rung_names[rung], ladder->n_bytes[i], gigabits(ladder->n_bytes[i], seconds),
			        ends);
	}
	variant_close(&variant);
	return variant_note(figure, rung_names[rung], status);
}

static int run_product(struct ladder *ladder, struct figure *figure, struct ends *ends)
{
	struct gpucrypt_plan plan = { 0 };
	double seconds[MAX_LADDER_SIZES];
	int status = product_choose(&plan, ladder->study, &ladder->suite, ladder->n_bytes[ladder->n_sizes - 1]);

	if (status == GPUCRYPT_OK)
		status = product_times(ladder->study, &ladder->suite, &plan, ladder->n_bytes, ladder->n_sizes, seconds);
	for (unsigned i = 0; i < ladder->n_sizes && status == GPUCRYPT_OK; i++)
		if (seconds[i] > 0)
			draw_ladder(
			        figure, PRODUCT, ladder->n_bytes[i], gigabits(ladder->n_bytes[i], seconds[i]), ends);
	return variant_note(figure, PRODUCT, status);
}

/* gKrypt's number of threads, or all threads if there are fewer. */
static unsigned cpu_threads(void)
{
	unsigned all = processor_threads();

	return all < GKRYPT_THREADS ? all : GKRYPT_THREADS;
}

/* Its speed does not depend on the size: a line. */
static int run_cpu(struct ladder *ladder, struct figure *figure, const char *name, const struct engine_class *class,
        struct ends *ends)
{
	double speed = 0;
	int status = processor_speed(ladder->study, class, &ladder->suite, cpu_threads(), &speed);

	for (unsigned i = 0; i < ladder->n_sizes && status == GPUCRYPT_OK; i++)
		draw_ladder(figure, name, ladder->n_bytes[i], speed, ends);
	return status;
}

/* Conclusions. */

/* Effect of a step on the throughput. gains: the step raised gKrypt's throughput. */
static void conclude_step(struct figure *figure, const struct ends *rungs, unsigned rung, bool gains, const char *claim)
{
	double before = rungs[rung - 1].large, after = rungs[rung].large;

	if (isnan(before) || isnan(after))
		figure_conclude(figure, VERDICT_OPEN, claim, "One of rungs %u and %u has no time.", rung, rung + 1);
	else
		figure_conclude(figure,
		        gains ? figure_greater(figure, after, before) : figure_greater(figure, before, after), claim,
		        "Rung %u makes %.2f times rung %u: %.3g against %.3g Gbit/s.", rung + 1, after / before, rung,
		        after, before);
}

static double best_of(const struct ends *rungs, bool large)
{
	double best = NAN;

	for (unsigned i = 0; i < N_RUNGS; i++)
		best = fmax(best, large ? rungs[i].large : rungs[i].small); /* values that are numbers */
	return best;
}

static void conclude_ladder(struct figure *figure, const struct ladder *ladder, const struct ends *rungs,
        const struct ends *product, const struct ends *host, const struct ends *libcrypto)
{
	double best = best_of(rungs, true), small = best_of(rungs, false);

	conclude_step(figure, rungs, 1, true,
	        "Tables and keys in constant memory instead of global memory raise throughput a "
	        "lot.");
	conclude_step(
	        figure, rungs, 2, true, "The state in shared (local) memory frees registers and raises throughput.");
	conclude_step(figure, rungs, 3, true, "Unrolling the loops over bytes raises throughput.");
	conclude_step(figure, rungs, 4, false, "Expanding the key in every work-group costs occupancy: a net loss.");
	figure_conclude(figure, isnan(best) ? VERDICT_OPEN : verdict_of(best > 1.1 * small), "Larger inputs gain more.",
	        "The best rung makes %.3g Gbit/s at %u KiB and %.3g at %u KiB: %.2g and %.2g times "
	        "the CPU's tables.",
	        small, (unsigned)(ladder->n_bytes[0] >> 10), best,
	        (unsigned)(ladder->n_bytes[ladder->n_sizes - 1] >> 10), small / host->small, best / host->large);
	figure_conclude(figure, isnan(best) ? VERDICT_OPEN : verdict_of(best > 25 * host->large),
	        "The best kernel is more than 25 times as fast as a CPU with 8 threads (Tesla "
	        "C2050, Core i7, the same code through OpenCL).",
	        "%.2g times the reference implementation's tables, %.2g times libcrypto's AES-NI, with %u "
	        "threads; the product's kernel: %.2g and %.2g times, and %.1f times the best rung.",
	        best / host->large, best / libcrypto->large, cpu_threads(), product->large / host->large,
	        product->large / libcrypto->large, product->large / best);
}

static int climb(struct ladder *ladder, struct figure *figure)
{
	static const struct ends unknown = { NAN, NAN };
	struct ends rungs[N_RUNGS], product = unknown, host = unknown, libcrypto = unknown;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < N_RUNGS; i++)
		rungs[i] = unknown;
	for (unsigned i = 0; i < N_RUNGS && status == GPUCRYPT_OK; i++)
		status = run_rung(ladder, figure, i, &rungs[i]);
	if (status == GPUCRYPT_OK)
		status = run_product(ladder, figure, &product);
	if (status == GPUCRYPT_OK)
		status = run_cpu(ladder, figure, HOST_CORE, &engine_host, &host);
	if (status == GPUCRYPT_OK)
		status = run_cpu(ladder, figure, LIBCRYPTO, &engine_libcrypto, &libcrypto);
	if (status == GPUCRYPT_OK)
		conclude_ladder(figure, ladder, rungs, &product, &host, &libcrypto);
	return status;
}

int gkrypt_climb(
        struct study *study, struct figure *figure, enum direction direction, const uint64_t *n_bytes, unsigned n)
{
	struct ladder ladder;
	int status = open_ladder(&ladder, study, direction, n_bytes, n);

	figure->log_x = figure->log_y = true;
	snprintf(figure->x_label, sizeof(figure->x_label), "input, MiB");
	snprintf(figure->y_label, sizeof(figure->y_label), "Gbit/s");
	if (status == GPUCRYPT_OK)
		status = climb(&ladder, figure);
	close_ladder(&ladder);
	return status;
}

static int figure_gkrypt(struct study *study, struct figure *figure, enum direction direction)
{
	static const uint64_t full[] = { MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB },
	                      quick[] = { MIB / 8, MIB / 4, MIB / 2 };

	return study->quick ? gkrypt_climb(study, figure, direction, quick, 3)
	                    : gkrypt_climb(study, figure, direction, full, 5);
}

int figure_gkrypt_encryption(struct study *study, struct figure *figure)
{
	return figure_gkrypt(study, figure, ENCRYPT);
}

int figure_gkrypt_decryption(struct study *study, struct figure *figure)
{
	return figure_gkrypt(study, figure, DECRYPT);
}
