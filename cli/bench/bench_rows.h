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

/* bench_memory.c: from memory to memory, in both directions on every engine. */
int bench_add_memory(const struct selection *selection, const struct suite *suite);

#endif
