/* What scrypt may cost: chosen for this machine when a slot is made, limited when one is tried. */
#ifndef KDF_COST_H
#define KDF_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/keys/slot.h"

#define KDF_AUTO              (~0u) /* in a secret's scrypt_log2_n: what takes this machine a second */
#define KDF_TARGET_S          1.0
#define MAX_KDF_BYTES_DEFAULT (UINT64_C(1) << 30)

/* log2 N of new slots for this secret: as it says, measured if it says so, else the default. */
int kdf_cost(unsigned *log2_n, const struct gpucrypt_secret *secret);

/* The cost nearest to the target, by ratio, if 2^trial_log2_n took so many seconds; within what
 * writers may spend, and half of memory_bytes. */
unsigned kdf_cost_for(unsigned trial_log2_n, double trial_s, uint64_t memory_bytes);

/* Reader's limits: 128·8·N ≤ the secret's memory, and the sum of N·p over the slots tried at most
 * twice the greatest N.  What is allowed is added to *spent. */
bool kdf_allowed(const struct gpucrypt_secret *secret, unsigned log2_n, unsigned p, uint64_t *spent);

#endif
