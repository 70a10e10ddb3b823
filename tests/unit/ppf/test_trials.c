/* Vectors of a CPU that cannot be measured: kernels are tried instead, and no form is left out in silence. */
#include "tests/unit/cmocka_all.h"

#include <string.h>

#include "ppf/model/choose.h"
#include "ppf/measure/bench.h"
#include "ppf/record/records.h"

#define SIZE (UINT64_C(64) << 20)

static struct machine_device at;
static unsigned number; /* of the device, as in a plan */
static struct suite suite = { &cipher_camellia, NULL, 32, ENCRYPT };
static const struct gpucrypt_plan any = { .engine = GPUCRYPT_OPENCL };

/* In place of every chain of vectors: so many cycles, or a chain that was removed if it is 0. */
static double chain_cycles;

WRAPPED(bench_cycles);
int __wrap_bench_cycles(struct bench *bench, const struct chain *chain, unsigned batches, double *cycles)
{
	if (strncmp(chain->kernel, "slice_", 6) != 0)
		return __real_bench_cycles(bench, chain, batches, cycles);
	*cycles = chain_cycles;
	return chain_cycles > 0 ? GPUCRYPT_OK : fail(GPUCRYPT_DEVICE, "the compiler has removed its chain");
}

/* Only one suite can be opened: programs are built for seconds. */
WRAPPED(engine_open);
int __wrap_engine_open(struct engine **engine, const struct suite *asked, const struct gpucrypt_plan *plan)
{
	if (asked->cipher == suite.cipher && asked->mode == suite.mode && asked->key_bytes == suite.key_bytes)
		return __real_engine_open(engine, asked, plan);
	return fail(GPUCRYPT_DEVICE, "its program does not build");
}

/* The default record on the first CPU that OpenCL has; its number is as in a plan, 0 if there is none. */
static unsigned find_cpu(void)
{
	static struct inventory inventory;
	unsigned n = 1;

	inventory_take(&inventory);
	while (n <= inventory.n_devices &&
	        (!inventory.devices[n - 1].cpu || inventory.devices[n - 1].unusable[0] != '\0'))
		n++;
	if (n > inventory.n_devices || device_record_parse(&at.record, records_builtin("cpu"), "cpu") != GPUCRYPT_OK)
		return 0;
	at.device = inventory.devices[n - 1];
	at.record.compute_units = at.device.compute_units;
	return n;
}

static void forget_vectors(void)
{
	memset(at.record.slice_cycles, 0, sizeof(at.record.slice_cycles));
	memset(at.record.trials, 0, sizeof(at.record.trials));
	at.record.slice_words = 0;
}

static int measure(struct device_record *record, double cycles)
{
	struct bench bench;
	int status = bench_open(&bench, &at.device);

	chain_cycles = cycles;
	if (status == GPUCRYPT_OK)
		status = measure_slices(&bench, record);
	bench_close(&bench);
	return status;
}

/* A bit of a key that costs nothing beside the operator that takes it. */
TEST(a_step_that_costs_nothing_is_measured)
{
	forget_vectors();
	assert_ok(measure(&at.record, 0.04));
	assert_true(device_record_has_slices(&at.record));
	assert_true(at.record.slice_cycles[SLICE_KEY_MADE] < 0.001);
	assert_true(at.record.slice_cycles[SLICE_SHIFT] > 0);
	assert_null(choose_unpredicted(&at, &suite, &any, SIZE));
}

/* The speeds of vectors are then unknown, and the rest of the record is valid. */
TEST(a_removed_chain_leaves_vectors_unmeasured)
{
	forget_vectors();
	assert_ok(measure(&at.record, 0));
	assert_string_equal(gpucrypt_error(), "");
	assert_false(device_record_has_slices(&at.record));
	assert_ptr_equal(choose_unpredicted(&at, &suite, &any, SIZE), cipher_form(suite.cipher, TABLE_BITSLICED));
}

TEST(what_is_wanted_is_compared_with_nothing)
{
	const struct gpucrypt_plan bitsliced = { .engine = GPUCRYPT_OPENCL, .kernel.table = TABLE_BITSLICED };

	forget_vectors();
	assert_null(choose_unpredicted(&at, &suite, &bitsliced, SIZE));
}

/* The chooser takes bitsliced kernels by their trials, and those with tables if the trials are slow.  What could not
 * be run is not compared. */
TEST(kernels_are_tried)
{
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;
	struct kernel_config kernel;

	forget_vectors();
	measure_trials(&at.record, number);
	assert_string_equal(gpucrypt_error(), "");
	assert_true(device_record_has_trials(&at.record));
	assert_true(choose_kernel(&kernel, &at, &suite, &any, SIZE));
	assert_int_equal(kernel.table, TABLE_BITSLICED);
	assert_true(predict_launch(&overlap, &thesis, &at.record, &suite, &kernel, SIZE));
	assert_true(overlap.tried && overlap.seconds > 0 && overlap.total_cycles > 0);
	assert_null(choose_unpredicted(&at, &suite, &any, SIZE));
	suite.key_bytes = 16;
	assert_ptr_equal(choose_unpredicted(&at, &suite, &any, SIZE), cipher_form(suite.cipher, TABLE_BITSLICED));
	suite.key_bytes = 32;
	for (unsigned i = 0; i < MAX_TRIALS; i++)
		at.record.trials[i] /= 1000;
	assert_true(choose_kernel(&kernel, &at, &suite, &any, SIZE));
	assert_int_not_equal(kernel.table, TABLE_BITSLICED);
}

/* 192 bits lie between 128 and 256, ECB is as CTR. */
TEST(trials_stand_for_their_neighbours)
{
	const struct gpucrypt_plan bitsliced = { .engine = GPUCRYPT_OPENCL, .kernel.table = TABLE_BITSLICED };
	struct suite tried, other = { &cipher_camellia, &modes[MODE_ECB], 24, ENCRYPT };
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;
	struct kernel_config kernel;

	forget_vectors();
	for (unsigned i = 0; measured_suite(&tried, i); i++)
		if (tried.cipher == &cipher_camellia && !tried.mode->has_tweaks)
			at.record.trials[i] = tried.key_bytes == 16 ? 4e9 : 2e9;
	assert_true(choose_kernel(&kernel, &at, &other, &bitsliced, SIZE));
	assert_true(predict_launch(&overlap, &thesis, &at.record, &other, &kernel, SIZE));
	assert_float_equal(overlap.seconds - at.record.launch_s, SIZE * (1 / 4e9 + 1 / 2e9) / 2, 1e-9);
	other.mode = &modes[MODE_XTS];
	assert_false(predict_launch(&overlap, &thesis, &at.record, &other, &kernel, SIZE));
}

void program_set_up(void)
{
	suite.mode = &modes[MODE_CTR];
	number = find_cpu();
	if (number == 0)
		program_skip("OpenCL has no CPU");
}
