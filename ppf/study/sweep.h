/*
 * The product's kernels over the size of the plaintext, which several figures are about: as the
 * dissertation's policy has them, and as the model chooses.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/program.h"
#include "ppf/study/study.h"

enum shaping {
	SHAPED_BY_POLICY, /* one copy of the tables and the round keys in local memory */
	SHAPED_BY_MODEL,  /* the predicted fastest shape */
	N_SHAPINGS
};

extern const char *const shaping_names[N_SHAPINGS];

#define MAX_SWEEP_SIZES   10
#define MAX_SWEEP_KERNELS 16

struct sweep_kernel {
	struct suite suite; /* ECB with 128 bits, as in the dissertation */
	enum shaping shaping;
	struct program_shape shape;
	double seconds[MAX_SWEEP_SIZES]; /* 0: not measured */
	int status;                      /* of what has ended it; */
	char failure[240];               /* in words */
};

struct sweep {
	uint64_t n_bytes[MAX_SWEEP_SIZES]; /* 1 MiB, doubled */
	unsigned n_sizes, n_kernels;
	double spread;                                  /* of its runs, as figures have it */
	struct sweep_kernel kernels[MAX_SWEEP_KERNELS]; /* all ciphers, by the policy and by the model */
};

/* Measured when it is first asked for, kept, and the study's.  A kernel that fails does not stop the
 * others. */
int study_sweep(struct study *study, const struct sweep **sweep);

/* "aes, policy"; the fastest in Gbit/s, 0 if none was measured; the last size that was. */
void sweep_name(char name[64], const struct sweep_kernel *kernel);
double sweep_most(const struct sweep *sweep, const struct sweep_kernel *kernel);
unsigned sweep_last(const struct sweep *sweep, const struct sweep_kernel *kernel);

/* NULL: the cipher is not there. */
const struct sweep_kernel *sweep_find(const struct sweep *sweep, const char *cipher, enum shaping shaping);

/* Record in the figure how far the runs differ, and why kernels have no times. */
void sweep_note(struct figure *figure, const struct sweep *sweep);

#endif
