/* For tests of the overlap model: a device and a cipher of round figures. */
#ifndef TESTS_UNIT_TOY_MODEL_H
#define TESTS_UNIT_TOY_MODEL_H

#include "tests/unit/cmocka_all.h"

#include "ppf/model/overlap.h"

static const struct device_record toy = {
	.clock_hz = 1e9,
	.compute_units = 2,
	.batch_items = 4,
	.max_batches = 8,
	.banks = 4,
	.curves = { [RESOURCE_LOCAL_REGULAR] = { 1, { 1 }, { 1.5 } },
	        [RESOURCE_LOCAL_COPIES] = { 2, { 1, 8 }, { 20, 4 } },
	        [RESOURCE_ARITHMETIC] = { 2, { 1, 8 }, { 4, 2 } },
	        [RESOURCE_STREAM] = { 2, { 1, 8 }, { 90, 10 } } },
	.operator_cycles = { [OPERATOR_ADD] = 1000,
	        [OPERATOR_LOGIC] = 2,
	        [OPERATOR_SHIFT] = 3,
	        [OPERATOR_ROTATE] = 5,
	        [OPERATOR_MUL] = 7,
	        [OPERATOR_COMPARE] = 11,
	        [OPERATOR_PERMUTE] = 13 },
	.operator_latency = 17,
	.issue_cycles = 0.5,
	.copies_cycles = { 6, 5, 3 },
	.lookups = { [LOOKUP_LOCAL] = { { 1, 0.25, 0.5, 0.75 }, { 2, 1, 0, 1.5 }, { 3, 2, 1, 2 } },
	        [LOOKUP_LOCAL_COPIES] = { { 9, 0, 0, 3 }, { 9, 1, 1, 1 }, { 9, 2, 2, 2 } } },
	.global_random = { 2, { 256, 512 }, { 1, 3 } },
	.table_load = { 2, { 512, 2048 }, { 300, 900 } },
	.global_bytes_per_s = 64e9,
	.launch_s = 1e-6,
};

static const struct profile toy_cipher = { .n_tbl = 10,
	.n_key = 8,
	.operators = { [OPERATOR_ADD] = 1,
	        [OPERATOR_LOGIC] = 20,
	        [OPERATOR_SHIFT] = 6,
	        [OPERATOR_ROTATE] = 2,
	        [OPERATOR_MUL] = 1,
	        [OPERATOR_COMPARE] = 1,
	        [OPERATOR_PERMUTE] = 1 },
	.n_pt = 4,
	.n_ct = 4,
	.fields = { 6, 3, 1 },
	.high_fields = 2,
	.field_operators = { [OPERATOR_LOGIC] = 4, [OPERATOR_SHIFT] = 3 },
	.logic_functions = 9,
	.lookups_deep = 5,
	.operators_deep = 7 };

/* 81 blocks by 6 groups of 8: three groups, 6 batches, in each unit, and two blocks of a work-item. */
static const struct launch toy_launch = {
	.n_bytes = 1281, .kernel = { .work_groups = 6, .work_items = 8 }, .table_words = 512
};

/* Predict a kernel with the sizes of another launch. */
static bool predict_sized(struct overlap_prediction *p, const struct device_record *record,
        const struct profile *profile, const struct launch *kernel, const struct launch *sizes)
{
	struct launch launch = *kernel;

	launch.n_bytes = sizes->n_bytes;
	launch.table_words = sizes->table_words;
	launch.block_bytes = sizes->block_bytes;
	launch.kernel.work_groups = sizes->kernel.work_groups;
	launch.kernel.work_items = sizes->kernel.work_items;
	return predict_overlap(p, record, profile, &launch);
}

static struct overlap_prediction toy_predict(
        const struct device_record *record, struct launch shape, struct launch launch)
{
	struct overlap_prediction p = { 0 };

	assert_true(predict_sized(&p, record, &toy_cipher, &shape, &launch));
	return p;
}

#endif
