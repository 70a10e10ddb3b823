/* The cost of scrypt: chosen for this machine when a slot is made, limited when a slot is tried. */
#ifndef KDF_COST_H
#define KDF_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/keys/slot.h"

#define KDF_AUTO              (~0u) /* in a secret's scrypt_log2_n: one second on this machine */
#define KDF_TARGET_S          1.0
#define MAX_KDF_BYTES_DEFAULT (UINT64_C(1) << 30)

/* log2 N of new slots for this secret: its own, measured for KDF_AUTO, else the default. */
int kdf_cost(unsigned *log2_n, const struct gpucrypt_secret *secret);

/* The cost nearest to the target, by ratio, if 2^trial_log2_n took trial_s; at most SCRYPT_LOG2_N_MAX and half of
 * memory_bytes. */
unsigned kdf_cost_for(unsigned trial_log2_n, double trial_s, uint64_t memory_bytes);

/* Limits for readers: 128·8·N ≤ the secret's max_kdf_bytes, and the sum of N·p over all tried slots at most twice the
 * greatest allowed N.  An allowed cost is added to *spent. */
bool kdf_allowed(const struct gpucrypt_secret *secret, unsigned log2_n, unsigned p, uint64_t *spent);

#endif
