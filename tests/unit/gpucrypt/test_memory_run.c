/* The run in memory. */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/container/container.h"

TEST(test_memory_run)
{
	const struct gpucrypt_plan plan = { .cipher = GPUCRYPT_AES, .engine = GPUCRYPT_CPU },
	                           xts = { .mode = GPUCRYPT_XTS, .engine = GPUCRYPT_CPU }, wrong = { .cipher = 99 };
	struct memory_run run;
	double seconds = 0;

	assert_ok(memory_run_open(&run, 1000));
	assert_ok(memory_run(&run, &plan, 0, &seconds));
	assert_ok(memory_run(&run, &plan, (40 << 20) + 5, &seconds));
	assert_true(seconds > 0);
	for (uint64_t n = 0; n <= UINT64_C(17) << 20; n = 3 * n + (1 << 20) - (n > 0) * 16) {
		assert_ok(memory_run_decrypt(&run, &plan, n, &seconds));
		assert_ok(memory_run_decrypt(&run, &xts, n, &seconds));
	}
	assert_ok(memory_run_decrypt(&run, &xts, 16 << 20, &seconds));
	assert_status(memory_run(&run, &wrong, 1, &seconds), GPUCRYPT_USAGE);
	fail_clear();
	memory_run_close(&run);
}
