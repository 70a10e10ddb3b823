/* The buffers of a pipeline's slots: all of one size, page aligned, wiped before they are freed. */
#ifndef RING_H
#define RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
	unsigned n_slots;
	size_t slot_bytes;
	uint8_t **slots; /* owned */
	size_t *used;    /* by slot: bytes from its start that ever held something; owned */
};

/*
 * Slots for this many workers that hold one each, and a few more; fewer where they would not stay
 * under RING_BYTES together, or where there are fewer items (UINT64_MAX: not known).  Memory is
 * not touched before it is used.
 */
#define RING_BYTES ((size_t)320 << 20)
int ring_open(struct ring *ring, unsigned workers, size_t slot_bytes, uint64_t n_items);
void ring_close(struct ring *ring); /* zeroed is fine */

/* The first n_bytes of a slot hold something now. */
void ring_use(struct ring *ring, unsigned slot, size_t n_bytes);

/* Threads for a stage: one at least, no more than there are slots. */
unsigned ring_workers(const struct ring *ring, unsigned wanted);

#endif
