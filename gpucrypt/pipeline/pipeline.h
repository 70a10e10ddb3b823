/*
 * A line of stages over a ring of slots.  Item i (a group of a container, a segment of raw data)
 * lives in slot i mod n_slots and passes the stages in turn; each stage has its own threads and
 * takes items in order, so a stage with one worker sees 0, 1, 2, …  A slot is used again only
 * after the last stage has left it: memory is bounded by the ring.
 *
 * A failure at item f stops everything after f; items before f still pass all stages, so what was
 * written and what is reported do not depend on timing: the failure of the lowest item counts.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Returned by a stage instead of GPUCRYPT_OK: this item is the last one. */
#define PIPELINE_LAST (-1)

/* worker counts from 0 within its stage; slot = item mod n_slots */
typedef int stage_run(void *job, unsigned worker, unsigned slot, uint64_t item);

struct stage {
	const char *name; /* for people */
	stage_run *run;
	unsigned workers;
};

/* What two stages would do, by one worker: the second only after the first's success, and the item is the
 * last one if either says so. */
int stage_both(stage_run *first, stage_run *second, void *job, unsigned worker, unsigned slot, uint64_t item);

/* Run items through the stages until an item is declared the last or one fails.  The failure's
 * text is moved to the calling thread.  n_stages ≤ 8. */
int pipeline_run(void *job, const struct stage *stages, unsigned n_stages, unsigned n_slots);

/* A part of all items.  Item i lives in slot (i − first) mod n_slots. */
struct items {
	uint64_t first; /* afterwards: the first one that was not begun */
	/* Once it is true, and one item at least has been begun, no other is; those that were pass all stages.
	 * NULL: all. */
	const atomic_bool *enough;
	bool ended; /* afterwards: the last item was among them */
	/* Afterwards: the stage whose workers waited least for the others, and the share of the time that they
	 * did not.  That it waits for a pipe or for storage is its work. */
	const char *busiest;
	double busy;
};

/* The same for items from items->first on. */
int pipeline_run_items(void *job, const struct stage *stages, unsigned n_stages, unsigned n_slots, struct items *items);

#endif
