/*
 * The cost of unlocking a volume, computed before the first derivation: nothing authenticates a header, so it can ask
 * for any amount of memory and time.
 */
#ifndef LUKS_COST_H
#define LUKS_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Budget of all key slots and digests that are tried, in iterations of PBKDF2: about a minute. */
#define LUKS_BUDGET (1u << 27)
/* Cost of a pass of Argon2 over all the memory that is allowed, in iterations of PBKDF2. */
#define LUKS_PASS (1u << 20)

struct luks_volume;
struct luks_slot;

struct luks_cost {
	uint64_t max_bytes;  /* for one derivation; set by the caller */
	double iterations;   /* of PBKDF2, sum over the slots that are tried */
	uint64_t memory_kib; /* maximum over these slots */
	uint32_t slots;      /* bit i: slot i is tried */
	unsigned n_skipped;
};

/* Shall the next slot be tried?  If so, its cost is added.  Precondition: the slot is used.  A slot is skipped if its
 * area has no real cipher, if its key has another size than the volume key, or if it exceeds budget or memory. */
bool luks_slot_is_tried(struct luks_cost *cost, const struct luks_volume *volume, const struct luks_slot *slot);

#endif
