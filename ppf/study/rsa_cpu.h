/* RSA with a public exponent for many numbers at once, by libcrypto's BIGNUM on the CPU. */
#ifndef RSA_CPU_H
#define RSA_CPU_H

#include "ppf/study/rsa_device.h"

/* Replace each of n numbers (as for rsa_device_load()) by number^exponent mod modulus, in so many
 * threads.  GPUCRYPT_OTHER: libcrypto failed, or there is no memory. */
int rsa_cpu(const struct rsa_key *key, uint8_t *numbers, size_t n, unsigned threads);

#endif
