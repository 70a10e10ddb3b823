/*
 * The bound of an instruction form, by the throughput of instructions.  The counts are in the ciphers' descriptors; the
 * issue rate is measured here instead of taken from tables of processors: of AES instructions for AES, else of XOR,
 * which no instruction of a byte-sliced form exceeds in throughput.  Assumed: the core could overlap loads, stores,
 * counters, tweaks and transpositions completely.
 */
#include "cli/bench/bench_core.h"

#include "gpucrypt/clock.h"
#include "gpucrypt/crypto/host_core.h"

#define RUNS          5 /* the fastest counts, because other programs only reduce the speed */
#define CHAIN         (1u << 21)
#define ISSUED        (12u << 18)
#define BATCH_VECTORS 16

double core_clock_hz(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	double best = 0;

	for (int run = 0; run < RUNS; run++) {
		uint64_t x = 1, y = (uint64_t)run + 1;
		double start = clock_seconds(CLOCK_MONOTONIC), seconds;

		for (unsigned i = 0; i < CHAIN; i += 16)
			_Pragma("GCC unroll 16") for (int step = 0; step < 16; step++)
			{
				x ^= y;
				__asm__ volatile("" : "+r"(x), "+r"(y));
			}
		seconds = clock_seconds(CLOCK_MONOTONIC) - start;
		if (CHAIN / seconds > best)
			best = CHAIN / seconds;
	}
	return best;
#else
	return 0;
#endif
}

static double instructions_per_s(const struct instruction_form *form)
{
	double best = 0;

	for (int run = 0; run < RUNS; run++) {
		double start = clock_seconds(CLOCK_MONOTONIC), seconds;

		form->core->issue(ISSUED);
		seconds = clock_seconds(CLOCK_MONOTONIC) - start;
		if (ISSUED / seconds > best)
			best = ISSUED / seconds;
	}
	return best;
}

double form_bound_bytes_per_s(const struct suite *suite, const struct instruction_form *form)
{
	const unsigned n = suite->cipher->vector_instructions[suite->key_bytes / 8 - 2];

	return instructions_per_s(form) * BATCH_VECTORS * form->vector_bits / (8.0 * n);
}
