/*
 * What it costs to unlock a volume, known before the first derivation: a header asks for as much memory and time as
 * its maker liked, and nothing authenticates it.
 */
#ifndef LUKS_COST_H
#define LUKS_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Of all key slots and digests that are tried, in iterations of PBKDF2: about a minute. */
#define LUKS_BUDGET (1u << 27)
/* What a pass of Argon2 over as much memory as is allowed counts. */
#define LUKS_PASS (1u << 20)

struct luks_volume;
struct luks_slot;

struct luks_cost {
	uint64_t max_bytes;  /* for one derivation; set by the caller */
	double iterations;   /* of PBKDF2, of the slots that are tried */
	uint64_t memory_kib; /* of the dearest one */
	uint32_t slots;      /* a bit for each that is tried */
	unsigned n_skipped;
};

/* Is the next slot, which is used, to be tried?  Adds it to the cost.  A slot is skipped if its area has no real cipher
 * or another size of key, and if it is over the budget or the memory. */
bool luks_slot_is_tried(struct luks_cost *cost, const struct luks_volume *volume, const struct luks_slot *slot);

#endif
