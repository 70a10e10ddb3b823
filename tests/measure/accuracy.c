/*
 * usage: accuracy RECORD.json|NAME DEVICE [KEY-SPACE]
 * kernel times, predicted and measured, side by side
 *
 * DEVICE is the number that `gcrypt devices` prints.  RECORD is a device record of ppf measure, or
 * the name of a built-in one.  The prediction sees the record and the source counts only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/measure/bench.h"
#include "ppf/model/choose.h"
#include "ppf/record/records.h"

#define RUNS      5
#define BEHIND    1 /* percent: what differs less is not looked at again */
#define REMATCHES 6
#define REMATCH_S 3 /* at least: other work takes the machine for a while */

struct totals {
	unsigned n, inside;
	double error, worst, worst_choice;
};

/* A kernel with its predicted and measured time. */
struct entrant {
	struct gpucrypt_plan plan;
	double seconds;
};

/* Kernels that do the same, in the shapes below and one place of the keys: the best one, and the last one, which is
 * what the chooser takes, of any shape and place. */
struct contest {
	unsigned n;
	struct entrant best, last;
};

static const unsigned shapes[][2] = { { 1, 1024 }, { 4, 512 }, { 8, 256 } };       /* groups a unit, items */
static const unsigned sliced_shapes[][2] = { { 1, 256 }, { 2, 128 }, { 1, 128 } }, /* registers allow no more */
        cpu_sliced_shapes[][2] = { { 8, 64 }, { 1, 64 }, { 4, 16 } };              /* as the chooser goes */
static const size_t sizes[] = { 256u << 20, 1024u << 20 };
static const size_t cpu_sizes[] = { 16u << 20, 64u << 20 };

static void add(struct totals *totals, double error, bool inside)
{
	totals->n++;
	totals->inside += inside;
	totals->error += fabs(error);
	if (fabs(error) > totals->worst)
		totals->worst = fabs(error);
}

static void enter(struct contest *contest, const struct gpucrypt_plan *plan, double seconds)
{
	contest->last = (struct entrant){ *plan, seconds };
	if (contest->n++ == 0 || seconds < contest->best.seconds)
		contest->best = contest->last;
}

/* Other programs run on a CPU; there, bitsliced kernels are over soon, and those with tables late. */
static unsigned runs_of(const struct device_record *record, const struct kernel_config *kernel, size_t n_bytes)
{
	if (record->is_cpu && kernel->slice_words > 0)
		return 3 * RUNS;
	return record->is_cpu && n_bytes > cpu_sizes[0] ? 3 : RUNS;
}

static int time_kernel(
        double *seconds, const struct device_record *record, struct engine *engine, size_t n_bytes, unsigned runs)
{
	struct kernel_timing timing;
	int status = kernel_times(engine, n_bytes, runs, &timing);

	if (status == GPUCRYPT_OK)
		*seconds = robust_seconds(timing.seconds, timing.runs, record->is_cpu);
	return status;
}

/* One kernel over so many bytes. */
static int measure(struct totals *totals, struct contest *contest, const struct device_record *record,
        struct engine *engine, const struct gpucrypt_plan *plan, size_t n_bytes)
{
	const struct kernel_config *kernel = &((struct engine_of_opencl *)engine->bare)->kernel;
	struct overlap_prediction p;
	struct thesis_prediction t;
	double seconds, cycles, error, per_batch;
	int status = time_kernel(&seconds, record, engine, n_bytes, runs_of(record, kernel, n_bytes));

	if (status != GPUCRYPT_OK)
		return status;
	if (!predict_launch(&p, &t, record, &engine->suite, kernel, n_bytes))
		return fail(GPUCRYPT_OTHER, "the record lacks a figure");
	cycles = seconds * record->clock_hz;
	per_batch = 16.0 * record->batch_items * record->compute_units / (double)n_bytes;
	error = 100 * (p.seconds / seconds - 1);
	printf("%s %u %s %s x%u %s %ux%ux%u %zu MiB: predicted %.2f GB/s (%s), measured %.2f GB/s, "
	       "%+.1f %%, SA %.0f SI %.0f measured %.0f; a batch",
	        value_name(&cipher_names, plan->cipher), plan->key_bits, value_name(&mode_names, plan->mode),
	        value_name(&table_names, plan->kernel.table), plan->kernel.replicas,
	        value_name(&key_space_names, plan->kernel.key_space), plan->kernel.work_groups, plan->kernel.work_items,
	        kernel->blocks_per_item, n_bytes >> 20, 1e-9 * (double)n_bytes / p.seconds,
	        p.tried ? "by trial" : bound_names[p.bound], 1e-9 * (double)n_bytes / seconds, error, t.total_sa,
	        t.total_si, cycles);
	for (int b = 0; b < N_BOUNDS; b++)
		printf(" %.0f", p.cycles[b]);
	printf(" = %.1f, measured %.1f\n", p.batch_cycles, cycles * per_batch);
	fflush(stdout);
	add(totals, error, t.total_sa <= cycles && cycles <= t.total_si);
	enter(contest, plan, seconds);
	return GPUCRYPT_OK;
}

/* Measure one shape; shapes that the device cannot hold are skipped. */
static void each_size(struct totals *totals, struct contest contests[2], const struct device_record *record,
        const struct gpucrypt_plan *plan)
{
	struct engine *engine = NULL;
	struct suite suite;
	int status = suite_of_plan(&suite, plan, ENCRYPT);

	if (status == GPUCRYPT_OK)
		status = engine_open(&engine, &suite, plan);
	for (int s = 0; s < 2 && status == GPUCRYPT_OK; s++) {
		status = measure(totals, &contests[s], record, engine, plan, record->is_cpu ? cpu_sizes[s] : sizes[s]);
		if (status != GPUCRYPT_OK)
			printf("# %s\n", gpucrypt_error());
	}
	engine_close(engine);
	fail_clear();
}

static void each_shape(struct totals *totals, struct contest contests[2], const struct device_record *record,
        struct gpucrypt_plan *plan, bool sliced)
{
	bool ctr = plan->mode == GPUCRYPT_CTR;

	for (int s = 0; s < (ctr && !sliced ? 6 : 3); s++) {
		const unsigned *shape = !sliced          ? shapes[s % 3]
		                        : record->is_cpu ? cpu_sliced_shapes[s]
		                                         : sliced_shapes[s];

		plan->kernel.work_groups = shape[0] * record->compute_units;
		plan->kernel.work_items = shape[1];
		plan->kernel.blocks_per_item = s < 3 ? 1 : choose_blocks_per_item(record);
		each_size(totals, contests, record, plan);
	}
}

/* Measure the kernel that the chooser selects for an open plan. */
static int choose_plan(
        struct gpucrypt_plan *plan, const struct device_record *record, const struct suite *suite, size_t n_bytes)
{
	const struct gpucrypt_plan wanted = { .engine = plan->engine,
		.device = plan->device,
		.cipher = plan->cipher,
		.mode = plan->mode,
		.key_bits = plan->key_bits };
	struct machine_device device = { .record = *record };
	const struct device *found;
	struct kernel_config kernel;
	struct inventory inventory;

	inventory_take(&inventory);
	found = inventory_choose(&inventory, plan->device);
	if (found == NULL)
		return GPUCRYPT_DEVICE;
	device.device = *found;
	if (!choose_kernel(&kernel, &device, suite, &wanted, n_bytes))
		return fail(GPUCRYPT_DEVICE, "nothing fits");
	*plan = wanted;
	plan->kernel = kernel;
	return GPUCRYPT_OK;
}

static int open_plan(struct engine **engine, const struct gpucrypt_plan *plan)
{
	struct suite suite;
	int status = suite_of_plan(&suite, plan, ENCRYPT);

	return status == GPUCRYPT_OK ? engine_open(engine, &suite, plan) : status;
}

/* The best kernel and the chooser's were timed at different moments: once more, by turns.  What they took before does
 * not count, as one of them may have had the machine for itself then. */
static int rematch(struct contest *contest, const struct device_record *record, size_t n_bytes)
{
	struct engine *engines[2] = { NULL };
	double seconds = 0, least[2] = { HUGE_VAL, HUGE_VAL }, begin = host_seconds();
	int status = open_plan(&engines[0], &contest->best.plan);

	if (status == GPUCRYPT_OK)
		status = open_plan(&engines[1], &contest->last.plan);
	for (unsigned i = 0; status == GPUCRYPT_OK; i++) {
		if (i >= 2 * REMATCHES && i % 2 == 0 && host_seconds() > begin + REMATCH_S)
			break;
		status = time_kernel(&seconds, record, engines[i % 2], n_bytes, RUNS);
		least[i % 2] = fmin(least[i % 2], seconds);
	}
	contest->best.seconds = least[0];
	contest->last.seconds = least[1];
	engine_close(engines[0]);
	engine_close(engines[1]);
	return status;
}

static double behind(const struct contest *contest)
{
	return fmax(0, 100 * (contest->last.seconds / contest->best.seconds - 1));
}

/* The chooser's kernel takes part, wherever it is among those before. */
static void end(struct totals totals[2], struct contest *contest, const struct device_record *record,
        const struct gpucrypt_plan *asked, size_t n_bytes)
{
	struct gpucrypt_plan plan = *asked;
	struct engine *engine = NULL;
	struct suite suite;
	int status = suite_of_plan(&suite, &plan, ENCRYPT);
	double first = 0;

	if (status == GPUCRYPT_OK)
		status = choose_plan(&plan, record, &suite, n_bytes);
	if (status == GPUCRYPT_OK)
		status = engine_open(&engine, &suite, &plan);
	if (status == GPUCRYPT_OK)
		status =
		        measure(&totals[plan.kernel.table == TABLE_BITSLICED], contest, record, engine, &plan, n_bytes);
	engine_close(engine);
	if (status == GPUCRYPT_OK && (first = behind(contest)) > BEHIND)
		status = rematch(contest, record, n_bytes);
	if (status != GPUCRYPT_OK) {
		printf("# no choice for %s %u %s: %s\n", suite.cipher->name, plan.key_bits, suite.mode->name,
		        gpucrypt_error());
		fail_clear();
		totals->worst_choice = HUGE_VAL;
		return;
	}
	printf("choice for %s %u %s, %zu MiB: %.1f %% behind the best of %u (%.1f %% at first)\n", suite.cipher->name,
	        plan.key_bits, suite.mode->name, n_bytes >> 20, behind(contest), contest->n, first);
	totals->worst_choice = fmax(totals->worst_choice, behind(contest));
}

/* totals[1]: of bitsliced forms, which have one copy. */
static void each_kernel(struct totals totals[2], const struct device_record *record, struct gpucrypt_plan *plan,
        const struct cipher *cipher)
{
	struct contest contests[2] = { { 0 } };

	for (unsigned f = 0; f < cipher->n_forms; f++) {
		bool sliced = form_is_sliced(&cipher->forms[f]);

		plan->kernel.table = cipher->forms[f].id;
		for (plan->kernel.replicas = 1; plan->kernel.replicas <= 32; plan->kernel.replicas += sliced ? 32 : 31)
			each_shape(&totals[sliced], contests, record, plan, sliced);
	}
	for (int s = 0; s < 2; s++)
		end(totals, &contests[s], record, plan, record->is_cpu ? cpu_sizes[s] : sizes[s]);
}

static void print_totals(const struct totals *totals, const char *forms)
{
	if (totals->n > 0)
		printf("%u kernels %s: mean error %.1f %%, worst %.1f %%; between SA and SI: %u\n", totals->n, forms,
		        totals->error / totals->n, totals->worst, totals->inside);
}

int main(int argc, char **argv)
{
	static const enum gpucrypt_mode both[] = { GPUCRYPT_CTR, GPUCRYPT_XTS };
	unsigned key_space = MEMORY_ARGUMENT;
	struct gpucrypt_plan plan = { .engine = GPUCRYPT_OPENCL };
	struct totals totals[2] = { { 0 } };
	struct device_record record;
	int status;

	if (argc != 3 && argc != 4)
		return fprintf(stderr, "usage: accuracy RECORD.json|NAME DEVICE [KEY-SPACE]\n"), GPUCRYPT_USAGE;
	if (argc == 4 && value_parse(&key_space, &key_space_names, argv[3]) != GPUCRYPT_OK)
		return fprintf(stderr, "%s\n", gpucrypt_error()), GPUCRYPT_USAGE;
	plan.kernel.key_space = key_space;
	status = device_record_parse(&record, records_builtin(argv[1]), argv[1]);
	if (status != GPUCRYPT_OK)
		return fprintf(stderr, "%s\n", gpucrypt_error()), status;
	plan.device = 1 + (unsigned)atoi(argv[2]);
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (plan.key_bits = 128; plan.key_bits <= 256; plan.key_bits += 128)
			for (int m = 0; m < 2; m++) {
				plan.cipher = (*c)->id;
				plan.mode = both[m];
				each_kernel(totals, &record, &plan, *c);
			}
	print_totals(&totals[1], "without tables");
	print_totals(&totals[0], "with tables");
	printf("worst choice: %.1f %% behind the best\n", totals[0].worst_choice);
	return totals[0].n == 0 || totals[0].worst_choice == HUGE_VAL;
}
