/* Measuring functions: kernel times with compared results, and libgcrypt's engine. */
#include "tests/unit/cmocka_all.h"

#include "cli/bench/bench.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

/* Its known answers are those of every engine. */
TEST(test_libgcrypt)
{
	const struct gpucrypt_plan plan = { 0 };

	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned m = 0; m < N_MODES; m++)
			for (unsigned i = 0; i < 6; i++) {
				const struct suite suite = { *c, &modes[m], 16 + i / 2 * 8, i % 2 ? DECRYPT : ENCRYPT };
				struct engine *engine = NULL;
				int status = engine_open_tested(&engine, &engine_libgcrypt, &suite, &plan, NULL);

				/* It has no XTS with a key of 192 bits. */
				assert_true(status == GPUCRYPT_OK || !libgcrypt_has(&suite) ||
				            (m == MODE_XTS && suite.key_bytes == 24));
				engine_close(engine);
				fail_clear();
			}
}

/* An engine of AES-128 on the first device; without one the test is skipped. */
static struct engine *opened(enum gpucrypt_mode mode, enum direction direction)
{
	const struct gpucrypt_plan plan = {
		.cipher = GPUCRYPT_AES, .key_bits = 128, .mode = mode, .engine = GPUCRYPT_OPENCL
	};
	struct engine *engine;
	struct suite suite;

	assert_ok(suite_of_plan(&suite, &plan, direction));
	if (engine_open(&engine, &suite, &plan) != GPUCRYPT_OK)
		skip();
	return engine;
}

TEST(test_kernel_times)
{
	struct kernel_timing timing;

	for (unsigned m = 0; m < N_MODES; m++) {
		struct engine *engine = opened(modes[m].id, DECRYPT);

		assert_ok(kernel_times(engine, 3 * 4096, 4, &timing));
		assert_int_equal(timing.runs, 4);
		assert_int_equal(timing.compared_bytes, 4 * 8 * 4096);
		assert_false(timing.wrong);
		for (int i = 1; i < 4; i++)
			assert_true(timing.seconds[i - 1] > 0 && timing.seconds[i] >= timing.seconds[i - 1]);
		engine_close(engine);
	}
}

static double pretended_s; /* of each launch, by the device's clock; 0: what it says */
WRAPPED(event_seconds);

cl_int __wrap_event_seconds(cl_event event, double *seconds)
{
	cl_int error = __real_event_seconds(event, seconds);

	if (pretended_s > 0)
		*seconds = pretended_s;
	return error;
}

/* The short launch takes 10 ms, so that a quarter of a second is enough for 25 of 64 parts. */
TEST(a_slow_device_gets_short_launches)
{
	struct engine *engine = opened(GPUCRYPT_ECB, ENCRYPT);
	struct kernel_timing timing;

	pretended_s = 0.01;
	assert_ok(kernel_times(engine, 64 * 4096, 2, &timing));
	assert_close(timing.seconds[0], 0.01 * 64 / 25);
	pretended_s = 0.001; /* as fast as it must be */
	assert_ok(kernel_times(engine, 64 * 4096, 2, &timing));
	assert_close(timing.seconds[0], 0.001);
	pretended_s = 0;
	engine_close(engine);
}

/* The device computes another suite than it is taken for. */
TEST(test_wrong_result)
{
	struct engine *engine = opened(GPUCRYPT_ECB, ENCRYPT);
	struct kernel_timing timing;

	engine->bare->suite.mode = &modes[MODE_CTR];
	assert_status(kernel_times(engine, 1 << 20, 2, &timing), GPUCRYPT_DEVICE);
	assert_true(timing.wrong);
	assert_non_null(strstr(gpucrypt_error(), "wrong result of aes-128-ctr in the 4 KiB at 0"));
	engine_close(engine);
}
