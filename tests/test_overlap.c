/* The overlap model: what it says of the built-in records, and what it must not say. */
#include "tests/cmocka_all.h"

#include "gpucrypt/status.h"
#include "ppf/overlap.h"
#include "ppf/trace.h"

static struct record builtin(const char *name)
{
	struct record record;

	assert_int_equal(record_parse(&record, record_builtin(name), name), GPUCRYPT_OK);
	return record;
}

/* AES-128 in CTR with one table; 1 GiB on all of the device. */
static struct overlap_prediction predict(
        const struct record *record, struct kernel_shape shape, const char *mode)
{
	const struct table_form *form = form_by_name(&cipher_aes, "1");
	const struct launch launch = { UINT64_C(1) << 30, record->compute_units, 1024,
		form->words };
	struct overlap_prediction p = { 0 };

	shape.mode = profile_mode("aes", mode);
	if (!record->is_cpu)
		shape.wavefronts = trace_wavefronts(&cipher_aes, form, 16, true, shape.copies,
		        record->batch_items, record->banks);
	assert_true(
	        predict_overlap(&p, record, profile_builtin("aes", 128, "1"), &shape, &launch));
	return p;
}

/* Every resource alone is less than all together, and that less than one after the other. */
static void the_fullest_binds(void **state)
{
	static const char *const names[] = { "h200", "cpu" };

	(void)state;
	for (size_t i = 0; i < N_OF(names); i++) {
		struct record record = builtin(names[i]);
		struct overlap_prediction p =
		        predict(&record, (struct kernel_shape){ .copies = 1 }, "ctr");
		double sum = 0;

		for (int b = 0; b < N_BOUNDS; b++) {
			sum += p.cycles[b];
			assert_true(p.cycles[b] <= p.cycles[p.bound]);
		}
		assert_true(p.batch_cycles >= p.cycles[p.bound]);
		assert_true(p.batch_cycles <= 1.0001 * sum);
		assert_true(p.seconds > 0);
	}
}

static void shapes_differ_as_they_must(void **state)
{
	struct record h200 = builtin("h200");
	struct overlap_prediction one = predict(&h200, (struct kernel_shape){ .copies = 1 }, "ctr"),
	                          copies =
	                                  predict(&h200, (struct kernel_shape){ .copies = 32 }, "ctr"),
	                          keys = predict(&h200,
	                                  (struct kernel_shape){ .copies = 32, .keys_local = true },
	                                  "ctr"),
	                          xts = predict(&h200,
	                                  (struct kernel_shape){ .copies = 32, .has_tweaks = true },
	                                  "xts");

	(void)state;
	assert_int_equal(one.bound, BOUND_LOCAL);
	assert_true(copies.total_cycles < one.total_cycles / 2);
	assert_true(keys.total_cycles > copies.total_cycles);
	assert_true(xts.total_cycles > copies.total_cycles);
}

/* The exponent follows from the chain that fills pipes alike: less overlap, more cycles. */
static void contention_is_measured(void **state)
{
	struct record h200 = builtin("h200"), worse = h200;
	struct kernel_shape shape = { .copies = 32 };
	struct overlap_prediction p, q;

	(void)state;
	worse.balanced_cycles = 1.5 * h200.balanced_cycles;
	p = predict(&h200, shape, "ctr");
	q = predict(&worse, shape, "ctr");
	assert_true(q.contention < p.contention);
	assert_true(q.batch_cycles > p.batch_cycles);
	worse.balanced_cycles = 0; /* not measured: the fullest alone */
	q = predict(&worse, shape, "ctr");
	assert_true(q.batch_cycles < 1.05 * q.cycles[q.bound]);
}

/* A CPU's look-ups become slower when the table leaves its first cache. */
static void large_tables_cost_more_on_a_cpu(void **state)
{
	struct record cpu = builtin("cpu");
	const struct profile *profile = profile_builtin("sc2000", 128, "11,10,11");
	const struct kernel_shape shape = { .copies = 1 };
	struct launch launch = { 1u << 26, 4, 64, 256 };
	struct overlap_prediction small, large;

	(void)state;
	assert_true(predict_overlap(&small, &cpu, profile, &shape, &launch));
	launch.table_words = 131072;
	assert_true(predict_overlap(&large, &cpu, profile, &shape, &launch));
	assert_true(large.batch_cycles > small.batch_cycles + profile->n_tbl);
}

/* The dissertation's records have no costs of look-ups. */
static void a_record_without_the_figures(void **state)
{
	struct record record = builtin("gtx580");
	const struct kernel_shape shape = { .copies = 1 };
	const struct launch launch = { 1u << 28, 64, 1024, 1024 };
	struct overlap_prediction p;

	(void)state;
	assert_false(predict_overlap(
	        &p, &record, profile_builtin("aes", 128, "4"), &shape, &launch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fullest_binds),
		cmocka_unit_test(shapes_differ_as_they_must),
		cmocka_unit_test(contention_is_measured),
		cmocka_unit_test(large_tables_cost_more_on_a_cpu),
		cmocka_unit_test(a_record_without_the_figures),
	};

	return cmocka_run_group_tests_name("overlap", tests, NULL, NULL);
}
