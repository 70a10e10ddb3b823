/* RSA with a public exponent for many numbers at once, on an OpenCL device (kernels/study/rsa.cl).  The numbers are
 * not secret: nothing is locked or wiped. */
#ifndef RSA_DEVICE_H
#define RSA_DEVICE_H

#include "ppf/measure/bench.h"

#define MAX_RSA_BITS  4096
#define MAX_RSA_BYTES (MAX_RSA_BITS / 8)

struct rsa_key {
	unsigned bits;                  /* 1024, 2048, 3072 or 4096 */
	uint8_t modulus[MAX_RSA_BYTES]; /* bits / 8 bytes, the highest first, and the highest bit is
	                                   1 */
	uint64_t exponent;              /* odd, at least 3 */
};

/* Build parameters of the kernel. */
struct rsa_shape {
	bool coalesced; /* the i-th words of a work-group's numbers lie side by side */
	bool chains;    /* chains of carries in place of 64-bit arithmetic */
	bool ptx;       /* with NVIDIA's assembly */
	unsigned work_items;
};

struct rsa_device;

/* Build the program in bench, whose more_sources are study_sources.  GPUCRYPT_USAGE: a key that is none of these;
 * GPUCRYPT_DEVICE: the program does not build, or the device has no memory for `most` numbers. */
int rsa_device_open(struct rsa_device **rsa, struct bench *bench, const struct rsa_key *key,
        const struct rsa_shape *shape, size_t most);

/* n ≤ most numbers below the modulus, each of bits / 8 bytes, the highest first. */
int rsa_device_load(struct rsa_device *rsa, const uint8_t *numbers, size_t n);

/* Repeat the loaded numbers until there are `most`, for measurements. */
int rsa_device_repeat(struct rsa_device *rsa);

/* number^exponent mod modulus of each that was loaded, as often as wanted; seconds of the kernel.
 */
int rsa_device_run(struct rsa_device *rsa, double *seconds);

/* The results, as they are loaded. */
int rsa_device_fetch(struct rsa_device *rsa, uint8_t *numbers);

/* NULL is fine. */
void rsa_device_close(struct rsa_device *rsa);

#endif
