/* RSA with a public exponent for many numbers at once, on an OpenCL device (research/kernels/rsa.cl).  The numbers are
 * not secret: nothing is locked or wiped. */
#ifndef RESEARCH_RSA_H
#define RESEARCH_RSA_H

#include "ppf/measure/bench.h"

#define MAX_RSA_BITS  4096
#define MAX_RSA_BYTES (MAX_RSA_BITS / 8)

struct rsa_key {
	unsigned bits;                  /* 1024, 2048, 3072 or 4096 */
	uint8_t modulus[MAX_RSA_BYTES]; /* bits / 8 bytes, the highest first; odd, and the highest bit is 1 */
	uint64_t exponent;              /* odd, at least 3 */
};

/* Build parameters of the kernel. */
struct rsa_shape {
	bool coalesced; /* the i-th words of a work-group's numbers lie side by side */
	bool chains;    /* chains of carries in place of 64-bit arithmetic */
	bool ptx;       /* with NVIDIA's PTX instructions */
	unsigned work_items;
};

enum rsa_buffer { RSA_IN, RSA_OUT, RSA_POWERS, RSA_SQUARE, N_RSA_BUFFERS };

struct rsa {
	struct bench *bench; /* not owned */
	struct rsa_shape shape;
	unsigned words;   /* 32-bit words of a number */
	size_t n;         /* count of numbers */
	uint32_t *staged; /* the numbers in the order of the device's buffers */
	cl_kernel kernel;
	cl_mem buffers[N_RSA_BUFFERS];
};

/* Build the program in bench, whose more_sources are study_sources.  Errors: GPUCRYPT_DEVICE: the program does not
 * build, or the device has no memory for n numbers.  The caller closes rsa, also after a failure. */
int rsa_open(struct rsa *rsa, struct bench *bench, const struct rsa_key *key, const struct rsa_shape *shape, size_t n);
void rsa_close(struct rsa *rsa);

/* rsa_load() fills the device's buffer with the n given numbers, repeated; each number is below the modulus and has
 * bits / 8 bytes, the highest first.  rsa_run() computes number^exponent mod modulus of each number, and may be called
 * again.  rsa_check() compares the results with those of the given numbers; GPUCRYPT_CORRUPT if one differs. */
int rsa_load(struct rsa *rsa, const uint8_t *numbers, size_t n);
int rsa_run(struct rsa *rsa, double *seconds);
int rsa_check(struct rsa *rsa, const uint8_t *results, size_t n);

/* Compute the powers of n numbers in place on the CPU, by libcrypto. */
int rsa_power(const struct rsa_key *key, uint8_t *numbers, size_t n);

#endif
