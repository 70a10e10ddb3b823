/*
 * A line of stages over a ring of slots.  Item i (a group of a container, a segment of raw data) is in slot i mod
 * n_slots and passes the stages in turn; each stage has its own threads and starts items in order, so a stage with one
 * worker gets 0, 1, 2, …  A slot is used again only after the last stage has left it: the ring limits the memory.
 *
 * A failure at item f stops everything after f; items before f still pass all stages, so the output and the reported
 * failure do not depend on timing: the failure of the lowest item is returned.
 */
#ifndef GPUCRYPT_PIPELINE_PIPELINE_H
#define GPUCRYPT_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

/* Returned by a stage instead of GPUCRYPT_OK: this item is the last one. */
#define PIPELINE_LAST (-1)

/* worker counts from 0 within its stage; slot = item mod n_slots */
typedef int stage_run(void *job, unsigned worker, unsigned slot, uint64_t item);

struct stage {
	const char *name; /* for people */
	stage_run *run;   /* NULL: the job does not have this stage */
	unsigned workers; /* one at least, and no more than there are slots, are started */
};

/* Items from `first` on; item i is in slot (i − first) mod n_slots. */
struct items {
	uint64_t first;
	bool alone; /* there is one item: run it in the calling thread, which costs less than starting threads, and
	             * which has locked its stack (crypto/locked.h) */
	/* Afterwards: the stage whose workers waited least for other stages, and the share of the time that they did
	 * not wait.  Waiting for a pipe or for storage counts as work.  "--bwlimit": the rate limit. */
	const char *busiest;
	double busy;
};

/* Run items through the stages until a stage declares an item the last or one fails.  The failure's text is moved to
 * the calling thread.  n_stages ≤ 8. */
int pipeline_run(void *job, const struct stage *stages, unsigned n_stages, unsigned n_slots, struct items *items);

/* In a thread of a pipeline: the stage that was busiest since the last call, or "--bwlimit"; NULL: not known. */
const char *pipeline_busiest(void);

#endif
