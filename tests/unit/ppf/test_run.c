/* The translation of a C source to OpenCL C: results on the host, and a planted fault on the device. */
#include "tests/unit/sources.h"

#include "ppf/run/device_run.h"

#define SPECK  "examples/ciphers/speck128.c"
#define BLOCKS (PERIOD_BLOCKS + 5000)

static struct memory_list memory;
static struct translation translation;
static struct host_results results;

/* SPECK-128/128 by its paper, section 4.1, in place. */
static void speck_block(const uint64_t rk[32], uint64_t block[2])
{
	for (int i = 0; i < 32; i++) {
		block[1] = ((block[1] >> 8 | block[1] << 56) + block[0]) ^ rk[i];
		block[0] = (block[0] << 3 | block[0] >> 61) ^ block[1];
	}
}

static void run_speck_on_host(void)
{
	const struct translation_request request = {
		.analysis = { .file = SPECK, .function = "speck128_encrypt", .by_value = true, .memory = &memory },
		.memory = &memory,
		.block_bytes = 16
	};

	analyzed(&request.analysis);
	assert_int_equal(translate(&translation, &request), GPUCRYPT_OK);
	assert_int_equal(host_run(&results, &translation, 16, SPECK), GPUCRYPT_OK);
}

TEST(host_computes_the_cipher)
{
	uint64_t block[2], rk[32];

	run_speck_on_host();
	assert_int_equal(translation.n_bytes[OBJECT_TABLE], 0);
	assert_int_equal(translation.n_bytes[OBJECT_KEY], sizeof rk);
	memcpy(rk, results.keys, sizeof rk);
	for (size_t i = 0; i < PERIOD_BLOCKS; i += 4097) {
		memcpy(block, results.plaintext + 16 * i, 16);
		speck_block(rk, block);
		assert_memory_equal(block, results.ciphertext + 16 * i, 16);
	}
	host_results_free(&results);
}

TEST(device_reports_a_planted_fault)
{
	const struct run_shape shape = { 2, 64, MEMORY_LOCAL, MEMORY_LOCAL };
	struct session session;
	struct device_run run;
	double seconds = 0;

	run_speck_on_host();
	assert_int_equal(session_open(&session, 0), GPUCRYPT_OK);
	assert_int_equal(device_run_open(&run, &session, &translation, &results, 16, 16 * BLOCKS, SPECK), GPUCRYPT_OK);
	session.plant = true;
	assert_int_equal(device_run_time(&run, &shape, &seconds), GPUCRYPT_CORRUPT);
	session.plant = false;
	device_run_close(&run);
	assert_int_equal(device_run_open(&run, &session, &translation, &results, 16, 16 * BLOCKS, SPECK), GPUCRYPT_OK);
	assert_int_equal(device_run_time(&run, &shape, &seconds), GPUCRYPT_OK);
	assert_true(seconds > 0);
	device_run_close(&run);
	session_close(&session);
	host_results_free(&results);
}
