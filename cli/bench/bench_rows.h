/* Construction of the rows of gcrypt bench. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "cli/bench/bench.h"

#define UNIT_BYTES 4096 /* sizes are multiples of it: whole units of XTS */

/* The user's selection of rows. */
struct selection {
	struct bench *bench;
	const struct machine *machine;
	const struct options *options;
	const struct gpucrypt_plan *wanted;
	bool cpu, opencl, all; /* which engines */
};

/* Whether the user wants this device, and the device is usable. */
bool bench_is_wanted(const struct selection *selection, unsigned device);

/* Record a missing row and the reason; only the first note is kept. */
void bench_note(struct bench *bench, const char *text);

/* bench_kernels.c: the model's own choice, the policy's placement, and with --all every form. */
int bench_add_kernels(
        const struct selection *selection, const struct suite *suite, const struct machine_device *device);

/* bench_memory.c: from memory to memory on every engine, all over as many bytes. */
int bench_add_memory(const struct selection *selection, const struct suite *suite);

/* bench_engines.c: add rows of a suite for the CPU, each device that is wanted, or all together; the plan
 * has the engine, and is not complete. */
typedef int bench_add(const struct selection *selection, const struct suite *suite, const struct gpucrypt_plan *plan);
int bench_each_engine(const struct selection *selection, const struct suite *suite, bench_add *add);

/* Bytes for all such rows, if none are named. */
uint64_t bench_default_bytes(const struct selection *selection);

/* A row with the plan completed, and predicted.  false with GPUCRYPT_OK in *status: there is no such row, since
 * the engine cannot be used, which is noted, or has one already. */
bool bench_choose(int *status, struct bench_pipeline *row, const struct selection *selection,
        const struct gpucrypt_plan *plan, const struct task *task);

#endif
