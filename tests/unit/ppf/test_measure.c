/* Micro-benchmarks: chains that a compiler removes are refused, and a whole record comes out. */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpucrypt/engine/engine.h"
#include "ppf/measure/bench.h"
#include "ppf/measure/measure.h"
#include "ppf/measure/threads_speed.h"

/* Chains of operators and of look-ups, as in kernels/micro/bench.cl. */
#define STEPS       256
#define FEWER_STEPS 64

static struct inventory inventory;
static struct bench bench;

void program_set_up(void)
{
	const struct device *device;

	inventory_take(&inventory);
	device = inventory_choose(&inventory, 0);
	assert_false(device == NULL || bench_open(&bench, device) != GPUCRYPT_OK);
}

void program_tear_down(void)
{
	bench_close(&bench);
}

/* A kernel whose loop does `step` so many times on two words, and then stores what `end` says. */
static int try_chain(const char *step, unsigned steps, const char *end, double *cycles)
{
	static const char *const form = "#define ONCE(x) x\n#define T4(x) x x x x\n#define T64(x) T4(T4(T4(x)))\n"
	                                "__kernel void planted(__global const uint *in, __global uint *out, ulong n)\n"
	                                "{ uint a = in[get_local_id(0)], b = in[get_local_id(0) + 256];\n"
	                                "for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
	                                "%s(%s)) }\n"
	                                "out[get_global_id(0)] = %s; }\n";
	const struct chain chain = { .kernel = "planted", .operations = steps };
	char text[1024];

	fail_clear();
	snprintf(text, sizeof(text), form, steps == STEPS ? "T4(T64" : "ONCE(T64", step, end);
	assert_ok(bench_build(&bench, NULL, text, ""));
	*cycles = 0;
	return bench_cycles(&bench, &chain, bench.max_batches, cycles);
}

/* On a busy machine noise may look like a chain, but not again and again. */
static int refusal(const char *step, unsigned steps, const char *end)
{
	double cycles;
	int status = GPUCRYPT_OK;

	for (int i = 0; i < 3 && status == GPUCRYPT_OK; i++)
		status = try_chain(step, steps, end, &cycles);
	return status;
}

/* The dissertation's chain: two XORs undo themselves after three rounds. */
TEST(a_chain_that_folds_is_refused)
{
	assert_fails_about(refusal("a ^= b; b ^= a;", STEPS, "a ^ b"), GPUCRYPT_DEVICE, "below what hardware can do");
	assert_non_null(strstr(gpucrypt_error(), "planted"));
	assert_status(refusal("a += 12345;", STEPS, "a"), GPUCRYPT_DEVICE);
}

TEST(a_short_chain_that_folds_is_refused)
{
	assert_status(refusal("a ^= b; b ^= a;", FEWER_STEPS, "a ^ b"), GPUCRYPT_DEVICE);
	assert_status(refusal("a += 12345;", FEWER_STEPS, "a"), GPUCRYPT_DEVICE);
}

/* All units at work make chains and loops longer. */
TEST(a_chain_that_folds_is_refused_where_units_hinder_each_other)
{
	double cycles = 0, factor = bench.units_factor;
	int refused, honest;

	bench.units_factor = 4;
	refused = refusal("a ^= b; b ^= a;", FEWER_STEPS, "a ^ b");
	honest = try_chain("a = a * b + 1; b ^= a;", STEPS, "a", &cycles);
	bench.units_factor = factor;
	assert_int_equal(refused, GPUCRYPT_DEVICE);
	assert_int_equal(honest, GPUCRYPT_OK);
}

TEST(a_chain_whose_result_is_unused_is_refused)
{
	assert_status(refusal("a = a * b + 1;", STEPS, "1"), GPUCRYPT_DEVICE);
}

TEST(an_honest_chain_is_measured)
{
	double cycles = 0;

	assert_ok(try_chain("a = a * b + 1; b ^= a;", STEPS, "a", &cycles));
	assert_true(cycles > 0);
}

TEST(a_program_that_does_not_build_is_one_line)
{
	assert_status(bench_build(&bench, NULL, "__kernel void f(", ""), GPUCRYPT_DEVICE);
	assert_null(strchr(gpucrypt_error(), '\n'));
}

/* Other work on a CPU only lengthens runs. */
TEST(what_several_runs_come_to)
{
	double odd[] = { 5, 1, 3 }, even[] = { 4, 2, 8, 6 };

	assert_float_equal(robust_seconds(odd, 3, false), 3, 0);
	assert_float_equal(robust_seconds(odd, 3, true), 1, 0);
	assert_float_equal(robust_seconds(even, 4, false), 5, 0);
	assert_float_equal(robust_seconds(even, 4, true), 2, 0);
}

/* A later pass lowers a figure and never raises it. */
TEST(a_later_pass_keeps_what_is_less)
{
	const struct chain chain = { .kernel = "planted", .operations = STEPS };
	double cycles = 0, less = 1e-9, more = 1e9;

	assert_ok(try_chain("a = a * b + 1; b ^= a;", STEPS, "a", &cycles));
	assert_ok(bench_cycles(&bench, &chain, bench.max_batches, &less));
	assert_float_equal(less, 1e-9, 0);
	assert_ok(bench_cycles(&bench, &chain, bench.max_batches, &more));
	assert_true(more > 0 && more < 1e9);
	cycles = 0;
	assert_ok(bench_cycles(&bench, &chain, bench.max_batches, &cycles));
	assert_true(cycles > 0);
}

/* A thread that other work holds up in some of its runs. */
static int held_up_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes)
{
	const struct timespec pause = { 0, *self->memory * 1000000L };

	(void)thread, (void)done, (void)piece, (void)n_bytes;
	nanosleep(&pause, NULL);
	return GPUCRYPT_OK;
}

TEST(a_pace_is_that_of_the_fastest_run)
{
	uint8_t pause_ms = 20;
	const struct chore chore = { .run = held_up_chore, .memory = &pause_ms };
	struct pace pace = { 0 }, slow;

	assert_ok(threads_pace(&chore, 2, 0.01, &pace));
	assert_true(pace.one_thread > 0 && pace.all_threads > 0);
	slow = pace;
	pause_ms = 1;
	assert_ok(threads_pace(&chore, 2, 0.01, &pace));
	assert_true(pace.one_thread > slow.one_thread && pace.all_threads > slow.all_threads);
	slow = pace;
	pause_ms = 40;
	assert_ok(threads_pace(&chore, 2, 0.01, &pace));
	assert_memory_equal(&pace, &slow, sizeof(pace));
}

/* Numbers that every device and host has, and the text of the records is one. */
TEST(a_machine_gives_whole_records)
{
	struct device_record record, device;
	struct host_record host = { .cpu_threads = 0 };
	struct storage_record storage;
	unsigned n_speeds = 0;
	char *text;

	assert_ok(measure_device(&record, 0, NULL));
	assert_ok(measure_host(&host));
	assert_ok(measure_folder(&storage, "/tmp"));
	for (unsigned i = 0; i < N_RESOURCES; i++)
		assert_true(device_record_cycles(&record, (enum resource)i, record.max_batches) > 0);
	for (unsigned i = 0; i < N_OPERATORS; i++)
		assert_true(record.operator_cycles[i] > 0);
	for (unsigned i = 0; i < N_SLOW_OPERATORS; i++)
		assert_true(record.slow_latencies[i] >= record.operator_latency);
	for (unsigned i = 0; i < N_TURNS; i++)
		assert_true(record.turn_cycles[i] >= record.operator_cycles[OPERATOR_ROTATE]);
	assert_true(record.lookups[LOOKUP_LOCAL][FIELD_BYTE][LOOKUP_CYCLES] > 0);
	for (unsigned i = 0; i < N_SLICE_OPERATIONS && record.is_cpu; i++) /* a key's bit may cost nothing */
		assert_true(record.slice_cycles[i] > 0 || i == SLICE_KEY || i == SLICE_KEY_MADE);
	assert_true((record.slice_words > 0) == record.is_cpu);
	assert_true(record.transfer.pinned_both > 0);
	assert_true(record.build_s > 0 && record.context_s > 0);
	/* Four suites of each cipher in each available instruction form and as without them; if there is none, as the
	 * engine chooses, and bitsliced where its choice is not constant-time. */
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		const struct suite suite = { *c, &modes[MODE_XTS], 32, ENCRYPT };
		unsigned n_forms = 0;

		for (unsigned i = 0; i < (*c)->n_instructions; i++)
			n_forms += instruction_form_is_available(&(*c)->instructions[i]);
		n_speeds += n_forms > 0 ? 4 * (n_forms + 1) : cpu_code(&suite, true) == CODE_BITSLICED ? 8 : 4;
	}
	assert_int_equal(host.cpu.n, n_speeds);
	assert_non_null(cpu_speed_find(&host.cpu, "camellia-256-xts"));
	assert_null(cpu_speed_find(&host.cpu, "camellia-256-ecb"));
	assert_true(host.tag.all_threads > 0 && storage.write > 0 && storage.sync > 0);
	text = records_text(&(struct records){ &record, &host, &storage });
	assert_ok(records_parse(&(struct records){ &device, &host, &storage }, text, "measured"));
	free(text);
}

TEST(there_is_no_device_99)
{
	struct device_record record;

	assert_fails_about(measure_device(&record, 100, NULL), GPUCRYPT_DEVICE, "99");
}
