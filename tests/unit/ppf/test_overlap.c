/* The terms of the overlap model one by one, for a device and a cipher of round figures: what stands behind each number
 * is worked out by hand; and cases that it must not predict. */
#include "tests/unit/toy_model.h"

TEST(every_resource_gets_its_part)
{
	const struct profile mode = { .operators = { [OPERATOR_ADD] = 3, [OPERATOR_LOGIC] = 5 } };
	struct launch shape = { .kernel.replicas = 1, .kernel.key_space = MEMORY_LOCAL };
	struct device_record fusing = toy;
	struct overlap_prediction p = toy_predict(&toy, shape, toy_launch);

	assert_close(p.cycles[BOUND_LOCAL], 10 * 6 + 8 * 1.5);
	/* 75 of operators; look-ups: 4 bytes, 3 parts, 3 across (2 of them high). */
	assert_close(p.cycles[BOUND_LOGIC], 16 * 2 + 3 * 3 + 2 * 5 + 11 + 13 + 1 + 3 + 6);
	assert_close(p.cycles[BOUND_MUL], 7 + 2 + 0 + 3);
	assert_close(p.cycles[BOUND_ISSUE], 0.5 * (12 + 1 + 16 + 3 + 2 + 1 + 1 + 1 + 2) + 3 + 4.5 + 6);
	assert_close(p.cycles[BOUND_GLOBAL], 2 * 16 * 4 * 2 * 1e9 / 64e9);
	assert_close(p.cycles[BOUND_LATENCY], (5 * (4 * 20 + 17) + 7 * 17 + 90) / 6.0);
	assert_int_equal(p.bound, BOUND_LATENCY);

	shape.kernel.key_space = MEMORY_OPEN;
	shape.wavefronts = 30;
	shape.mode = &mode;
	p = toy_predict(&toy, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOCAL], 30 * 1.5);
	assert_close(p.cycles[BOUND_LOGIC], 85 + 5 * 2);
	assert_close(p.cycles[BOUND_ISSUE], 33 - 0.5 * 2 + 0.5 * (3 + 5));

	shape = (struct launch){ .kernel.replicas = 4, .kernel.key_space = MEMORY_LOCAL };
	p = toy_predict(&toy, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOCAL], 10 * 3 + 8 * 1.5);
	assert_close(p.cycles[BOUND_LOGIC], 75 + 0 + 3 + 2);
	assert_close(p.cycles[BOUND_MUL], 7 + 0 + 3 + 2);
	assert_close(p.cycles[BOUND_ISSUE], 19.5 + 18 + 3 + 2);

	/* Three inputs an instruction, or two instructions in fact. */
	fusing.fusion_cycles[FUSION_LOGIC] = 2.9;
	p = toy_predict(&fusing, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOGIC], 80 - 16 * 2 + 9 * 2);
	fusing.fusion_cycles[FUSION_LOGIC] = 3;
	p = toy_predict(&fusing, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOGIC], 80);
}

/* Each of 4 counters bears a quarter of the shared cost. The counters are consecutive, and their warps are distributed
 * over the groups: 21 warps of 4 work-items over 3 groups. */
TEST(counters_share)
{
	const struct profile shared = { .n_tbl = 8,
		.n_key = 4,
		.operators = { [OPERATOR_LOGIC] = 12, [OPERATOR_SHIFT] = 4 },
		.n_pt = 8,
		.fields = { 8, 0, 0 },
		.field_operators = { [OPERATOR_LOGIC] = 4 },
		.logic_functions = 5,
		.lookups_deep = 2,
		.operators_deep = 4 };
	struct launch shape = { .kernel.replicas = 1, .kernel.key_space = MEMORY_LOCAL };
	const struct launch launch = {
		.n_bytes = 16 * 16 * 21, .kernel = { .work_groups = 3, .work_items = 8 }, .table_words = 512
	};
	struct overlap_prediction alone = toy_predict(&toy, shape, launch), p;
	struct device_record cpu = toy;

	shape.shared = &shared;
	shape.item_blocks = 4;
	p = toy_predict(&toy, shape, launch);
	assert_close(p.cycles[BOUND_LOCAL], alone.cycles[BOUND_LOCAL] + 2 * 6 + 1 * 1.5);
	assert_close(p.cycles[BOUND_LOGIC], alone.cycles[BOUND_LOGIC] + 2 * 2 + 1 * 3 + 2 * 0.25);
	assert_close(p.cycles[BOUND_MUL], alone.cycles[BOUND_MUL] + 2 * 0.5);
	assert_close(p.cycles[BOUND_ISSUE], alone.cycles[BOUND_ISSUE] + 0.5 * (2 + 1 + 0.25) + 2 * 0.75);
	assert_close(p.cycles[BOUND_LATENCY], (5.5 * (4 * 20 + 17) + 8 * 17 + 90) / 4.0);
	assert_close(p.unit_batches, 4 * 2 * 7);

	cpu.is_cpu = true;
	shape.shared = NULL;
	shape.item_blocks = 0;
	alone = toy_predict(&cpu, shape, launch);
	shape.shared = &shared;
	shape.item_blocks = 4;
	p = toy_predict(&cpu, shape, launch);
	assert_close(
	        p.cycles[BOUND_ISSUE], alone.cycles[BOUND_ISSUE] + 2 * 2 + 1 * 3 + (1 + 2) * 0.5 + 2 * (3 - 1) + 2 * 1);
	assert_close(p.cycles[BOUND_LATENCY], alone.cycles[BOUND_LATENCY] + 0.5 * (4 * (20 + 2) + 17) + 1 * 17);
	assert_close(p.unit_batches, 4 * 2 * 2 * 4);
}

TEST(the_launch_and_its_batches)
{
	struct launch shape = { .kernel.replicas = 1, .kernel.key_space = MEMORY_LOCAL };
	struct launch launch = toy_launch;
	struct overlap_prediction p = toy_predict(&toy, shape, launch);

	assert_close(p.unit_batches, 6 * 2);
	assert_close(p.launch_cycles, 300 + 1000);
	assert_close(p.batch_cycles, 694 / 6.0); /* what else there is is far less: p = 64 */
	assert_close(p.total_cycles, 694 / 6.0 * 12 + 1300);
	assert_close(p.seconds, 1e-9 * p.total_cycles);
	shape.has_tweaks = true;
	p = toy_predict(&toy, shape, launch);
	/* The pass before: one unit, so one group of 2 batches, which wait for themselves. */
	assert_close(p.total_cycles, 694 / 6.0 * 12 + 1300 + 694 / 2.0 * 2 + 1300);
	shape = (struct launch){ .kernel.replicas = 4, .kernel.key_space = MEMORY_LOCAL };
	p = toy_predict(&toy, shape, launch);
	assert_close(p.launch_cycles, 900 + 1000);

	shape.kernel.replicas = 1;
	launch.kernel.work_items = 16; /* 12 batches of which 8 are resident; 6 groups are needed */
	p = toy_predict(&toy, shape, launch);
	assert_close(p.unit_batches, 12);
	assert_close(p.cycles[BOUND_LATENCY], 694 / 8.0);
	launch.n_bytes = 16; /* one group has something to do */
	p = toy_predict(&toy, shape, launch);
	assert_close(p.unit_batches, 4);
	assert_close(p.cycles[BOUND_LATENCY], 694 / 4.0);
}

/* Three pipes alike full: 3^(1/p) times one of them was measured, so p is 3. */
TEST(the_exponent_is_solved_for)
{
	struct device_record record = toy;
	struct overlap_prediction p;

	record.balanced_cycles = 4 * cbrt(3);
	p = toy_predict(&record, (struct launch){ .kernel.replicas = 1 }, toy_launch);
	assert_true(fabs(p.contention - 3) < 0.02);
}

/* A core does all instructions in one pipe, while it waits for the critical path and for memory. */
TEST(a_cpu_waits_for_the_critical_path)
{
	struct device_record record = toy;
	struct overlap_prediction p;

	record.is_cpu = true;
	p = toy_predict(&record, (struct launch){ .kernel.replicas = 1 }, toy_launch);
	/* operators, loads, fields, and look-ups beyond the measured table */
	assert_close(p.cycles[BOUND_ISSUE],
	        (1000 + 32 + 9 + 10 + 7 + 11 + 13) + (8 + 4 + 4) * 0.5 + (6 * 1 + 3 * 2 + 1 * 3) + 10 * (3 - 1));
	assert_close(p.cycles[BOUND_LATENCY], 5 * (4 * (20 + 2) + 17) + 7 * 17);
	assert_close(p.cycles[BOUND_GLOBAL], 10);
	assert_close(p.cycles[BOUND_LOCAL] + p.cycles[BOUND_LOGIC] + p.cycles[BOUND_MUL], 0);
	assert_close(p.batch_cycles, sqrt(1125 * 1125 + 644 * 644 + 10 * 10));
	assert_int_equal(p.bound, BOUND_ISSUE);
}

/* A block is a line of the cache, or several: the blocks of a work-item are not neighbours. */
TEST(a_cpu_moves_lines_of_the_cache)
{
	static const struct {
		unsigned block_bytes, lines;
	} rows[] = { { 8, 1 }, { 16, 1 }, { 64, 1 }, { 65, 2 }, { 128, 2 } };
	struct device_record record = toy;

	record.is_cpu = true;
	for (size_t i = 0; i < N_OF(rows); i++) {
		struct launch launch = toy_launch;
		struct overlap_prediction p;

		launch.block_bytes = rows[i].block_bytes;
		p = toy_predict(&record, (struct launch){ .kernel.replicas = 1 }, launch);
		assert_close(p.cycles[BOUND_GLOBAL], 10 * rows[i].lines);
	}
}

/* Half of the 64-bit operations is for devices with words of 32 bits; there, an addition needs the pipe with carries.
 */
TEST(words_of_64_bits)
{
	struct profile wide = toy_cipher;
	struct device_record gpu = toy, cpu = toy;
	const struct launch shape = { .kernel.replicas = 1 };
	struct overlap_prediction narrow, p;

	cpu.is_cpu = true;
	wide.halves[OPERATOR_ADD] = 1;
	wide.halves[OPERATOR_LOGIC] = 5;
	narrow = toy_predict(&cpu, shape, toy_launch);
	assert_true(predict_sized(&p, &cpu, &wide, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_ISSUE], narrow.cycles[BOUND_ISSUE] - 1 * 1000 - 5 * 2);
	narrow = toy_predict(&gpu, shape, toy_launch);
	assert_true(predict_sized(&p, &gpu, &wide, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_LOGIC], narrow.cycles[BOUND_LOGIC] + 2 * 1 * 2);
	gpu.carry_cycles = 9;
	assert_true(predict_sized(&p, &gpu, &wide, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_LOGIC], narrow.cycles[BOUND_LOGIC] + 9);
}

/* Two rotations by data, one of them through 64 bits, and what the critical path has of slow operators.  An old record
 * takes all operators as fast ones. */
TEST(slow_operators)
{
	struct profile turning = toy_cipher;
	struct device_record record = toy;
	const struct launch shape = { .kernel.replicas = 1 };
	struct overlap_prediction before = toy_predict(&toy, shape, toy_launch), p;

	turning.turns[TURN_WORD] = turning.turns[TURN_LONG] = 1;
	turning.slow_deep[SLOW_ADD] = 3;
	turning.slow_deep[SLOW_TURN] = 2;
	assert_true(predict_sized(&p, &toy, &turning, &shape, &toy_launch));
	assert_memory_equal(p.cycles, before.cycles, sizeof p.cycles);
	record.turn_cycles[TURN_WORD] = 9;
	record.turn_cycles[TURN_LONG] = 13;
	record.slow_latencies[SLOW_ADD] = 20;
	record.slow_latencies[SLOW_TURN] = 30;
	record.slow_latencies[SLOW_CARRY] = 1000;
	assert_true(predict_sized(&p, &record, &turning, &shape, &toy_launch));
	/* Rotations by a constant cost 5; an instruction of the logic pipe 2 of its cycles, and half a cycle of issue.
	 */
	assert_close(p.cycles[BOUND_LOGIC], before.cycles[BOUND_LOGIC] + (9 - 5) + (13 - 5));
	assert_close(p.cycles[BOUND_ISSUE], before.cycles[BOUND_ISSUE] + 0.5 * 12 / 2);
	assert_close(p.cycles[BOUND_LATENCY], (5 * (4 * 20 + 17) + 2 * 17 + 3 * 20 + 2 * 30 + 90) / 6.0);
	record.is_cpu = true;
	before = toy_predict(&record, shape, toy_launch);
	assert_true(predict_sized(&p, &record, &turning, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_ISSUE], before.cycles[BOUND_ISSUE] + 12);
	assert_close(p.cycles[BOUND_LATENCY], before.cycles[BOUND_LATENCY] + 3 * 3 + 2 * 13);
}

/* One warp: its part of the pipes takes longer than a short critical path. */
TEST(one_warp_issues_or_waits)
{
	struct profile flat = toy_cipher;
	const struct launch shape = { .kernel.replicas = 1 };
	struct overlap_prediction p;

	flat.lookups_deep = flat.operators_deep = 1;
	assert_true(predict_sized(&p, &toy, &flat, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_LATENCY], (85 * 4 / 2 + 90) / 6.0);
}

/* The loop of a source's kernel: its key words stay in registers, of which 2048 work-items have 32 each, less 12 for
 * the loop and 4 for the block; and warps that wait for the same pipe wait for their blocks at the same time. */
TEST(a_source_keeps_its_keys)
{
	struct device_record record = toy;
	struct profile keyed = toy_cipher;
	struct launch launch = toy_launch;
	const struct launch shape = { .kernel.replicas = 1, .kernel.key_space = MEMORY_LOCAL };
	struct overlap_prediction p;

	record.batch_items = 256;
	record.banks = 0; /* every look-up costs as the measured one */
	launch.kernel.work_items = 4 * 256;
	launch.n_bytes = 16 * 6 * 1024;
	keyed.lookups_deep = keyed.operators_deep = 1;
	assert_true(predict_sized(&p, &record, &keyed, &shape, &launch));
	assert_close(p.cycles[BOUND_LOCAL], 10 * 6 + 8 * 1.5);
	launch.block_bytes = 16;
	assert_true(predict_sized(&p, &record, &keyed, &shape, &launch));
	assert_close(p.cycles[BOUND_LOCAL], 10 * 6);
	keyed.keys_once = 18;
	assert_true(predict_sized(&p, &record, &keyed, &shape, &launch));
	assert_close(p.cycles[BOUND_LOCAL], 10 * 6 + 2 * 1.5);
	record.global_bytes_per_s = 64e15;
	assert_true(predict_sized(&p, &record, &keyed, &shape, &launch));
	assert_close(p.batch_cycles, 85 + 90 / 8.0);
}

/*
 * Four look-ups in four banks: no conflict in a table of four words.  In a large one the most in a bank are 1, 2, 3 or
 * 4 in 24, 180, 48 and 4 of the 256 cases, 2.125 on average.
 */
TEST(small_tables_have_fewer_conflicts)
{
	const struct launch shape = { .kernel.replicas = 1 };
	struct profile small = toy_cipher;
	struct overlap_prediction p;

	assert_true(predict_sized(&p, &toy, &small, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_LOCAL], 10 * 6);
	small.lookups[2] = 4;
	small.lookups[8] = 6;
	assert_true(predict_sized(&p, &toy, &small, &shape, &toy_launch));
	assert_true(fabs(p.cycles[BOUND_LOCAL] - (4 * 6 / 2.125 + 6 * 6)) < 0.05 * 4 * 6 / 2.125);
}

/* Ten look-ups in the caches of other memory, and eight keys there, by the record's figures; nothing is copied. */
TEST(tables_in_other_memory)
{
	struct device_record record = toy;
	struct launch shape = { .kernel.replicas = 1, .kernel.table_space = MEMORY_GLOBAL, .wavefronts = 99 };
	struct overlap_prediction p;

	record.curves[RESOURCE_CONSTANT] = (struct curve){ 2, { 1, 8 }, { 30, 9 } };
	p = toy_predict(&record, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOCAL], 10 * 3);
	assert_close(p.launch_cycles, 1000);
	shape.kernel.table_space = MEMORY_CONSTANT;
	p = toy_predict(&record, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOCAL], 10 * 9);
	record.curves[RESOURCE_CONSTANT_REGULAR] = (struct curve){ 2, { 1, 8 }, { 30, 2 } };
	shape.kernel.key_space = MEMORY_CONSTANT;
	p = toy_predict(&record, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOCAL], 10 * 9 + 8 * 2);
	shape.kernel.key_space = MEMORY_OPEN;
	shape.kernel.table_space = MEMORY_LOCAL;
	p = toy_predict(&record, shape, toy_launch);
	assert_close(p.cycles[BOUND_LOCAL], 99 * 1.5);
	assert_close(p.launch_cycles, 300 + 1000);
}

/* Keys that stay in registers are loaded once; shifts to the left are products where additions show a second pipe. */
TEST(keys_once_and_left_shifts)
{
	const struct launch shape = { .kernel.replicas = 1, .kernel.key_space = MEMORY_LOCAL };
	struct device_record record = toy;
	struct profile cipher = toy_cipher;
	struct overlap_prediction before, p;

	assert_true(predict_sized(&before, &record, &cipher, &shape, &toy_launch));
	cipher.keys_once = 2;
	cipher.left_shifts = 2;
	assert_true(predict_sized(&p, &record, &cipher, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_LOCAL], before.cycles[BOUND_LOCAL] - (8 - 2) * 1.5);
	assert_close(p.cycles[BOUND_LOGIC], before.cycles[BOUND_LOGIC]); /* an addition costs 1000, a shift 3 */
	record.operator_cycles[OPERATOR_ADD] = 1.5;
	assert_true(predict_sized(&p, &record, &cipher, &shape, &toy_launch));
	assert_close(p.cycles[BOUND_LOGIC], before.cycles[BOUND_LOGIC] - 2 * 3);
}

/* The estimate and its bottleneck beside SA = 100 and SI = 200. */
TEST(a_note_compares_with_the_bounds)
{
	static const struct {
		enum bottleneck bound;
		double cycles;
		const char *note; /* a part of it; NULL: none */
	} rows[] = { { BOUND_LOCAL, 150, NULL }, { BOUND_LOCAL, 99, "below SA" }, { BOUND_LOCAL, 201, "above SI" },
		{ BOUND_LOGIC, 150, "SA ignores" }, { BOUND_ISSUE, 99, "below SA" },
		{ BOUND_MUL, 201, "multiplication" }, { BOUND_GLOBAL, 150, "not a bandwidth" },
		{ BOUND_LATENCY, 201, "critical path" } };
	const struct thesis_prediction thesis = { .total_sa = 100, .total_si = 200 };

	for (size_t i = 0; i < N_OF(rows); i++) {
		const struct overlap_prediction p = { .bound = rows[i].bound, .total_cycles = rows[i].cycles };
		const char *note = overlap_note(&p, &thesis);

		assert_int_equal(note != NULL, rows[i].note != NULL);
		if (note)
			assert_non_null(strstr(note, rows[i].note));
	}
}

TEST(what_is_missing_is_not_guessed)
{
	const struct launch shape = { .kernel.replicas = 1 }, many = { .kernel.replicas = 128 };
	struct device_record records[3] = { toy, toy, toy };
	struct overlap_prediction p;

	records[0].copies_cycles[0] = 0;
	records[1].lookups[LOOKUP_LOCAL][FIELD_BYTE][LOOKUP_CYCLES] = 0;
	records[2].global_bytes_per_s = 0;
	for (size_t i = 0; i < N_OF(records); i++)
		assert_false(predict_sized(&p, &records[i], &toy_cipher, &shape, &toy_launch));
	assert_false(predict_sized(&p, &toy, &toy_cipher, &many, &toy_launch));
}
