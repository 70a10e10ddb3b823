/*
 * usage: accuracy RECORD.json DEVICE   kernel times, predicted and measured, side by side
 *
 * DEVICE is the number that `gcrypt devices` prints.  RECORD is a device record of ppf measure, or
 * the name of a built-in one.  The prediction sees the record and the source counts only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/overlap.h"
#include "ppf/trace.h"

struct totals {
	unsigned n, inside;
	double error, worst;
};

static const unsigned shapes[][2] = { { 1, 1024 }, { 4, 512 },
	{ 8, 256 } }; /* groups a unit, items */
static const size_t sizes[] = { 256u << 20, 1024u << 20 };

/* One kernel at both sizes. */
static void measure(struct totals *totals, const struct record *record, struct engine *engine,
        const struct gpucrypt_plan *plan)
{
	const struct table_form *form = form_by_name(engine->suite.cipher, plan->table);
	const struct profile *profile = profile_builtin(plan->cipher, plan->key_bits, plan->table);
	struct kernel_shape shape = { plan->copies, true, engine->suite.mode->has_tweaks,
		trace_wavefronts(engine->suite.cipher, form, engine->suite.key_bytes,
		        engine->suite.mode->takes_iv, plan->copies, record->batch_items,
		        record->banks) };

	for (int s = 0; s < 2; s++) {
		struct launch launch = { sizes[s], plan->work_groups, plan->work_items,
			form->words };
		struct overlap_prediction p;
		struct thesis_prediction t;
		double seconds, cycles, error;

		if (kernel_time(engine, sizes[s], 5, &seconds) != GPUCRYPT_OK ||
		        !predict_overlap(&p, record, profile, &shape, &launch)) {
			printf("# %s\n", gpucrypt_error());
			fail_clear();
			return;
		}
		predict_thesis(&t, record, profile, &launch);
		cycles = seconds * record->clock_hz;
		error = 100 * (p.seconds / seconds - 1);
		printf("%s %u %s %s x%u %ux%u %zu MiB: predicted %.1f GB/s (%s), measured %.1f "
		       "GB/s, "
		       "%+.1f %%, SA %.0f SI %.0f measured %.0f\n",
		        plan->cipher, plan->key_bits, plan->mode, plan->table, plan->copies,
		        plan->work_groups, plan->work_items, sizes[s] >> 20,
		        1e-9 * (double)sizes[s] / p.seconds, bound_names[p.bound],
		        1e-9 * (double)sizes[s] / seconds, error, t.total_sa, t.total_si, cycles);
		totals->n++;
		totals->inside += t.total_sa <= cycles && cycles <= t.total_si;
		totals->error += fabs(error);
		if (fabs(error) > totals->worst)
			totals->worst = fabs(error);
	}
	fflush(stdout);
}

static void each_kernel(struct totals *totals, const struct record *record,
        struct gpucrypt_plan *plan, const struct cipher *cipher)
{
	for (unsigned f = 0; f < cipher->n_forms; f++)
		for (plan->copies = 1; plan->copies <= 32; plan->copies += 31)
			for (int s = 0; s < 3; s++) {
				struct engine *engine = NULL;
				struct suite suite;
				plan->table = cipher->forms[f].name;
				plan->work_groups = shapes[s][0] * record->compute_units;
				plan->work_items = shapes[s][1];
				if (suite_of_plan(&suite, plan, ENCRYPT) == GPUCRYPT_OK &&
				        engine_open(&engine, &suite, plan) == GPUCRYPT_OK)
					measure(totals, record, engine, plan);
				engine_close(engine);
				fail_clear();
			}
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "ctr", "xts" };
	struct gpucrypt_plan plan = { .engine = "opencl" };
	struct totals totals = { 0 };
	struct record record;
	const char *text;
	int status;

	if (argc != 3)
		return fprintf(stderr, "usage: accuracy RECORD.json|NAME DEVICE\n"), GPUCRYPT_USAGE;
	text = record_builtin(argv[1]);
	status = text ? record_parse(&record, text, argv[1]) : record_read(&record, argv[1]);
	if (status != GPUCRYPT_OK)
		return fprintf(stderr, "%s\n", gpucrypt_error()), status;
	plan.device = 1 + (unsigned)atoi(argv[2]);
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (plan.key_bits = 128; plan.key_bits <= 256; plan.key_bits += 128)
			for (int m = 0; m < 2; m++) {
				plan.cipher = (*c)->name;
				plan.mode = names[m];
				each_kernel(&totals, &record, &plan, *c);
			}
	printf("%u kernels: mean error %.1f %%, worst %.1f %%; between SA and SI: %u\n", totals.n,
	        totals.n ? totals.error / totals.n : 0, totals.worst, totals.inside);
	return totals.n == 0;
}
