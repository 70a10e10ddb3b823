/* The overlap model of bitsliced kernels, for a device and a cipher of round figures. */
#include <string.h>

#include "tests/unit/toy_model.h"

/* One group of 8 is enough for 81 blocks, 32 a work-item; its loads follow one another closely. */
TEST(bitsliced_items_have_many_blocks)
{
	const struct launch shape = { .kernel.replicas = 1, .item_blocks = 32 };
	struct overlap_prediction p = toy_predict(&toy, shape, toy_launch);
	struct device_record cpu = toy;

	assert_close(p.unit_batches, 2 * 32);
	assert_close(p.cycles[BOUND_LATENCY], (5 * (4 * 20 + 17) + 7 * 17 + 90 / 32.0) / 2.0);
	cpu.is_cpu = true;
	assert_false(predict_sized(&p, &cpu, &toy_cipher, &shape, &toy_launch));
}

/* Vectors of a CPU: each operator for a word, moves by the registers there are; what makes words of keys has its own
 * price; functions of three inputs where vectors are long, whatever noise there is in their price. */
TEST(a_cpus_slices_are_vectors)
{
	static const struct profile cipher = { .n_key = 6,
		.operators = { [OPERATOR_ADD] = 6, [OPERATOR_LOGIC] = 46, [OPERATOR_SHIFT] = 9 },
		.n_pt = 4,
		.n_ct = 4,
		.logic_functions = 26,
		.moves = { 50, 10 } },
	                            mode = { .operators = { [OPERATOR_LOGIC] = 3, [OPERATOR_ROTATE] = 2 },
		                            .logic_functions = 2 };
	struct launch shape = { .kernel.replicas = 1, .kernel.key_space = MEMORY_LOCAL, .item_blocks = 512 };
	const struct launch launch = { .n_bytes = 512 * 16 * 8 * 2, .kernel = { .work_groups = 2, .work_items = 8 } };
	struct device_record cpu = toy;
	struct overlap_prediction p;

	cpu.is_cpu = true;
	cpu.batch_items = 1;
	cpu.slice_words = 16;
	memcpy(cpu.slice_cycles, (double[]){ 2, 2.5, 5, 0.5, 1.5, 7, 11 }, sizeof(cpu.slice_cycles));
	assert_true(predict_sized(&p, &cpu, &cipher, &shape, &launch));
	assert_close(p.cycles[BOUND_LOGIC], 20 * 2.5 + 3 * 5);
	assert_close(p.cycles[BOUND_LOCAL], 10 * 7 + 6 * 0.5);
	assert_close(p.cycles[BOUND_GLOBAL], 4 * 11);
	assert_close(p.cycles[BOUND_LATENCY] + p.cycles[BOUND_ISSUE] + p.cycles[BOUND_MUL] + 1, 1);
	assert_close(p.batch_cycles, 50 + 15 + 73 + 44);
	assert_close(p.unit_batches, 512 * 8); /* a group in each of two units */
	assert_true(predict_sized(&p, &cpu, &cipher, &shape,
	        &(struct launch){ .n_bytes = 1025 * 16, .kernel = { .work_groups = 2, .work_items = 8 } }));
	assert_close(p.unit_batches, 512 * 3); /* the other 5 work-items have nothing to do */
	shape.mode = &mode;
	shape.kernel.key_space = MEMORY_OPEN;
	assert_true(predict_sized(&p, &cpu, &cipher, &shape, &launch));
	assert_close(p.cycles[BOUND_LOGIC], 20 * 2.5 + 3 * 5 + 2 * 2.5 + 2 * 5);
	assert_close(p.cycles[BOUND_LOCAL], 10 * 7 + 6 * 1.5);
	shape.has_tweaks = true; /* made twice */
	assert_true(predict_sized(&p, &cpu, &cipher, &shape, &launch));
	assert_close(p.cycles[BOUND_LOGIC], 20 * 2.5 + 3 * 5 + 2 * (2 * 2.5 + 2 * 5));
	shape.has_tweaks = false;
	shape.mode = NULL;
	cpu.slice_cycles[SLICE_FUNCTION] = 2.9;
	assert_true(predict_sized(&p, &cpu, &cipher, &shape, &launch));
	assert_close(p.cycles[BOUND_LOGIC], 20 * 2.9 + 3 * 5);
	shape.item_blocks = 256; /* half as long: half as many registers, functions of two inputs */
	assert_true(predict_sized(&p, &cpu, &cipher, &shape, &launch));
	assert_close(p.cycles[BOUND_LOCAL], 50 * 7 + 6 * 1.5);
	assert_close(p.cycles[BOUND_LOGIC], 40 * 2 + 3 * 5);
	cpu.slice_words = 0;
	assert_false(predict_sized(&p, &cpu, &cipher, &shape, &launch));
}

/* Bitsliced work-items make their tweaks before and after the cipher; others once. */
TEST(slices_make_tweaks_twice)
{
	static const struct profile mode = { .operators = { [OPERATOR_MUL] = 3 } };
	struct launch shape = { .kernel.replicas = 4, .mode = &mode, .has_tweaks = true };
	double once = toy_predict(&toy, shape, toy_launch).cycles[BOUND_MUL], twice, counted;

	shape.item_blocks = GPU_SLICE_BLOCKS;
	twice = toy_predict(&toy, shape, toy_launch).cycles[BOUND_MUL];
	assert_close(twice - once, 3 * toy.operator_cycles[OPERATOR_MUL]);
	shape.has_tweaks = false;
	counted = toy_predict(&toy, shape, toy_launch).cycles[BOUND_MUL];
	assert_close(counted, once);
}
