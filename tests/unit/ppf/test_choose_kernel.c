/* The chooser of launch shapes compared with an exhaustive search. */
#include "tests/unit/values.h"
#include "tests/unit/h200_machine.h"

#include <math.h>
#include <string.h>

#include "ppf/model/choose.h"

#define GIB (UINT64_C(1) << 30)

static struct machine_device h200(void)
{
	return h200_machine()->devices[0];
}

static struct suite suite_of(const char *cipher, unsigned bits, const char *mode)
{
	const struct gpucrypt_plan plan = {
		.cipher = value_of(&cipher_names, cipher), .key_bits = bits, .mode = value_of(&mode_names, mode)
	};
	struct suite suite;

	assert_ok(suite_of_plan(&suite, &plan, ENCRYPT));
	return suite;
}

static double seconds_of(const struct machine_device *at, const struct suite *suite, const struct kernel_config *kernel,
        uint64_t n_bytes)
{
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;

	assert_true(predict_launch(&overlap, &thesis, &at->record, suite, kernel, n_bytes));
	return overlap.seconds;
}

/* One table form and place of the keys: the best of copies, counters and launches. */
static double best_of(
        const struct machine_device *at, const struct suite *suite, struct gpucrypt_plan plan, uint64_t n_bytes)
{
	double best = HUGE_VAL;

	for (unsigned i = 0; i < 2 * 2 * 5 * 4; i++) {
		struct kernel_config kernel;
		unsigned in_unit = 1u << i % 4;
		double seconds;
		plan.kernel.work_groups = in_unit * at->device.compute_units;
		plan.kernel.work_items = 64u << i / 4 % 5;
		plan.kernel.replicas = i / 20 % 2 == 0 ? 1 : at->record.banks;
		plan.kernel.blocks_per_item = i / 40 == 0 ? 1 : 256 / at->record.batch_items;
		if (kernel_config_complete(&kernel, suite, &plan, &at->device) != GPUCRYPT_OK ||
		        (in_unit > 1 &&
		                in_unit * kernel_space_bytes(&kernel, suite, MEMORY_LOCAL) > at->device.local_bytes))
			continue;
		seconds = seconds_of(at, suite, &kernel, n_bytes);
		best = seconds < best ? seconds : best;
	}
	fail_clear();
	return best;
}

static double best_of_all(const struct machine_device *at, const struct suite *suite, uint64_t n_bytes)
{
	static const enum memory_space key_spaces[] = { MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_ARGUMENT };
	double best = HUGE_VAL;

	for (unsigned f = 0; f < suite->cipher->n_forms; f++)
		for (size_t k = 0; k < N_OF(key_spaces); k++) {
			const struct gpucrypt_plan plan = { .kernel.table = suite->cipher->forms[f].id,
				.kernel.table_space = MEMORY_LOCAL,
				.kernel.key_space = key_spaces[k] };
			double seconds = best_of(at, suite, plan, n_bytes);
			best = seconds < best ? seconds : best;
		}
	return best;
}

/* Simpler shapes come first and may be 1 % slower. */
TEST(nothing_is_faster)
{
	static const char *const names[] = { "aes", "camellia", "sc2000" };
	static const uint64_t sizes[] = { 1u << 16, 1u << 22, 1u << 28, UINT64_C(4) << 30 };
	const struct gpucrypt_plan open = { 0 };
	struct machine_device at = h200();

	for (size_t i = 0; i < N_OF(names) * N_OF(sizes) * 2; i++) {
		struct suite suite = suite_of(names[i % 3], 256, i % 2 ? "xts" : "ctr");
		uint64_t n_bytes = sizes[i / 6];
		struct kernel_config kernel;
		at.record.banks = i % 4 < 2 ? 32 : 16;
		assert_true(choose_kernel(&kernel, &at, &suite, &open, n_bytes));
		assert_true(seconds_of(&at, &suite, &kernel, n_bytes) <= 1.02 * best_of_all(&at, &suite, n_bytes));
	}
}

/* Counters share their first rounds where there are counters, tables, and work enough; a wanted form
 * stays. */
TEST(counters_where_there_are_some)
{
	static const char *const names[] = { "aes", "camellia", "sc2000" };
	const struct gpucrypt_plan open = { 0 }, alone = { .kernel.blocks_per_item = 1 },
	                           many = { .kernel.blocks_per_item = 32 },
	                           sliced = { .kernel.table = TABLE_BITSLICED };
	struct machine_device at = h200();
	struct kernel_config kernel, without;

	for (size_t i = 0; i < N_OF(names); i++) {
		struct suite ctr = suite_of(names[i], 128, "ctr"), xts = suite_of(names[i], 128, "xts");
		assert_true(choose_kernel(&kernel, &at, &ctr, &open, GIB));
		assert_int_equal(kernel.blocks_per_item, 8);
		assert_true(choose_kernel(&without, &at, &ctr, &alone, GIB));
		assert_int_equal(without.blocks_per_item, 1);
		assert_true(seconds_of(&at, &ctr, &kernel, GIB) < 0.98 * seconds_of(&at, &ctr, &without, GIB));
		assert_true(choose_kernel(&kernel, &at, &ctr, &many, GIB));
		assert_int_equal(kernel.blocks_per_item, 32);
		assert_true(choose_kernel(&kernel, &at, &ctr, &sliced, GIB));
		assert_int_equal(kernel.blocks_per_item, 1);
		assert_true(choose_kernel(&kernel, &at, &xts, &many, GIB));
		assert_int_equal(kernel.blocks_per_item, 1);
	}
	/* Half of the grid would have nothing to do. */
	assert_true(choose_kernel(
	        &kernel, &at, &(struct suite){ &cipher_aes, &modes[MODE_CTR], 16, ENCRYPT }, &open, 1u << 19));
	assert_int_equal(kernel.blocks_per_item, 1);
}

/* More groups than fit into local memory together are chosen by the user only. */
TEST(groups_fit_unless_they_are_wanted)
{
	const struct gpucrypt_plan open = { .kernel.table = TABLE_4 }, copies = { .kernel.replicas = 32 },
	                           wanted = { .kernel.replicas = 32, .kernel.work_groups = 8 * 132 };
	struct machine_device at = h200();
	struct suite suite = suite_of("aes", 128, "ctr");
	struct kernel_config kernel;

	at.record.curves[RESOURCE_LOCAL_COPIES].cycles[0] *= 100; /* latency: more groups are better */
	assert_true(choose_kernel(&kernel, &at, &suite, &open, GIB));
	assert_true(
	        kernel.work_groups / 132 * kernel_space_bytes(&kernel, &suite, MEMORY_LOCAL) <= at.device.local_bytes);
	assert_true(choose_kernel(&kernel, &at, &suite, &copies, GIB));
	assert_int_equal(kernel.work_groups, 132);
	assert_true(choose_kernel(&kernel, &at, &suite, &wanted, GIB));
	assert_int_equal(kernel.work_groups, 8 * 132);
}

/* On a CPU the bitsliced form is chosen where vectors are fast, and not where their speed is low or unknown; a table
 * form that the user names is kept. */
TEST(slices_where_vectors_are_fast)
{
	static const char *const names[] = { "aes", "camellia", "sc2000" };
	const struct gpucrypt_plan open = { 0 }, copies = { .kernel.replicas = 1 };
	struct machine_device at = { .device = { .cpu = true,
		                             .compute_units = 2,
		                             .max_work_items = 4096,
		                             .vector_words = 16,
		                             .local_bytes = 1 << 20,
		                             .constant_bytes = 1 << 20,
		                             .global_bytes = 8 * GIB,
		                             .max_buffer_bytes = 2 * GIB } };
	struct kernel_config kernel;

	assert_ok(device_record_parse(&at.record, records_builtin("cpu"), "cpu"));
	for (size_t i = 0; i < N_OF(names) * 4; i++) {
		struct suite suite = suite_of(names[i / 4], i % 2 ? 256 : 128, i / 2 % 2 ? "xts" : "ctr");
		struct machine_device slow = at, unknown = at;

		assert_true(choose_kernel(&kernel, &at, &suite, &open, 8u << 20));
		assert_int_equal(kernel.table, TABLE_BITSLICED);
		assert_int_equal(kernel.key_space, MEMORY_LOCAL);
		assert_int_equal(kernel.work_groups, 8 * 2); /* the next one goes to the core that is free */
		assert_int_equal(kernel.work_items, 64);
		assert_true(choose_kernel(&kernel, &at, &suite, &copies, 8u << 20));
		assert_int_not_equal(kernel.table, TABLE_BITSLICED);
		for (int o = 0; o < N_SLICE_OPERATIONS; o++)
			slow.record.slice_cycles[o] *= 16;
		assert_true(choose_kernel(&kernel, &slow, &suite, &open, 8u << 20));
		assert_int_not_equal(kernel.table, TABLE_BITSLICED);
		unknown.record.slice_words = 0;
		assert_true(choose_kernel(&kernel, &unknown, &suite, &open, 8u << 20));
		assert_int_not_equal(kernel.table, TABLE_BITSLICED);
	}
}

/* Without a prediction the first shape that fits is chosen; on a CPU it has the smallest group. */
TEST(without_figures_the_first_that_fits)
{
	const struct gpucrypt_plan open = { 0 }, table = { .kernel = { TABLE_4, MEMORY_LOCAL } },
	                           anywhere = { .kernel.table = TABLE_4 };
	struct machine_device at = h200();
	struct suite suite = suite_of("aes", 128, "ctr");
	struct kernel_config kernel;

	at.record.global_bytes_per_s = 0;
	assert_true(choose_kernel(&kernel, &at, &suite, &open, GIB));
	assert_int_equal(kernel.work_items, 1024);
	at.record.is_cpu = true;
	assert_true(choose_kernel(&kernel, &at, &suite, &open, GIB));
	assert_int_equal(kernel.work_items, 64);
	at.device.local_bytes = 16; /* no table fits */
	assert_false(choose_kernel(&kernel, &at, &suite, &table, GIB));
	assert_true(choose_kernel(&kernel, &at, &suite, &anywhere, GIB));
	assert_int_equal(kernel.table_space, MEMORY_CONSTANT);
}

/* Every suite finds a shape on devices with few work-items in a group and little local memory, chosen or by default. */
TEST(small_devices)
{
	static const unsigned items[] = { 1, 16, 32, 63 }, local[] = { 4096, 16384 };

	for (unsigned i = 0; i < 2 * N_OF(items) * N_OF(local) * N_MODES; i++) {
		struct machine_device at = h200();
		const struct gpucrypt_plan plan = { .constant_time = i % 2 == 0 };

		at.device.max_work_items = items[i / 2 % N_OF(items)];
		at.device.local_bytes = local[i / 8 % N_OF(local)];
		for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
			struct suite suite = suite_of((*c)->name, 256, modes[i / 16].name);
			struct kernel_config shapes[2];

			assert_true(choose_kernel(&shapes[0], &at, &suite, &plan, GIB));
			assert_ok(kernel_config_complete(&shapes[1], &suite, &plan, &at.device));
			for (int k = 0; k < 2; k++) {
				assert_in_range(shapes[k].work_items, 1, at.device.max_work_items);
				assert_in_range(
				        kernel_space_bytes(&shapes[k], &suite, MEMORY_LOCAL), 0, at.device.local_bytes);
			}
		}
	}
}

/* What the plan leaves open goes where there is room; what it says stays, with numbers if there is none. */
TEST(tables_and_keys_where_there_is_room)
{
	const struct gpucrypt_plan open = { .kernel.table = TABLE_4 },
	                           said = { .kernel = { .table = TABLE_4, .table_space = MEMORY_LOCAL } },
	                           local = { .kernel.table_space = MEMORY_LOCAL };
	struct suite suite = suite_of("aes", 256, "ctr");
	struct machine_device at = h200();
	struct kernel_config kernel;

	at.device.local_bytes = 4096 + 240;
	assert_ok(kernel_config_complete(&kernel, &suite, &open, &at.device));
	assert_int_equal(kernel.table_space, MEMORY_LOCAL);
	assert_int_equal(kernel.key_space, MEMORY_LOCAL);
	at.device.local_bytes = 4096;
	assert_ok(kernel_config_complete(&kernel, &suite, &open, &at.device));
	assert_int_equal(kernel.table_space, MEMORY_LOCAL);
	assert_int_equal(kernel.key_space, MEMORY_ARGUMENT);
	at.device.local_bytes = 1024;
	assert_ok(kernel_config_complete(&kernel, &suite, &open, &at.device));
	assert_int_equal(kernel.table_space, MEMORY_CONSTANT);
	assert_int_equal(kernel.key_space, MEMORY_LOCAL);
	/* In the space that the plan says a table that fits is chosen, if there is one. */
	suite = suite_of("sc2000", 256, "ctr");
	at.device.local_bytes = 4096;
	assert_true(choose_kernel(&kernel, &at, &suite, &local, GIB));
	assert_int_equal(kernel.table, TABLE_6_5_5_5_5_6);
	assert_int_equal(kernel.table_space, MEMORY_LOCAL);
	suite = suite_of("aes", 256, "ctr");
	at.device.local_bytes = 1024;
	assert_fails_about(kernel_config_complete(&kernel, &suite, &said, &at.device), GPUCRYPT_DEVICE,
	        "4096 bytes of tables and keys, local memory has 1024");
}
