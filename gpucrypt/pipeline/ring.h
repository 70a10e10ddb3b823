/* The buffers of a pipeline's slots: all of one size, page aligned, wiped before they are freed. */
#ifndef RING_H
#define RING_H

#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/engine/engine.h"

#define RING_BYTES ((size_t)640 << 20)

struct ring {
	struct engine *engine; /* whose memory it is; NULL: ordinary memory */
	unsigned n_slots;
	size_t slot_bytes;
	struct host_buffer *slots; /* owned */
	size_t *used;              /* by slot: bytes from its start that ever held something; owned */
};

/*
 * How many slots: one for each of the workers and a few more; fewer where they would not stay under
 * RING_BYTES or an eighth of the machine's memory together, or under memory_bytes if that is not 0, or
 * where there are fewer items (UINT64_MAX: not known); but two at least.
 */
unsigned ring_slots(unsigned workers, size_t slot_bytes, uint64_t n_items, uint64_t memory_bytes);

/* So many slots, and those the engine has to spare, without memory yet; GPUCRYPT_USAGE if that is more
 * than memory_bytes allow.  Close the ring before the engine. */
int ring_open(struct ring *ring, struct engine *engine, unsigned workers, size_t slot_bytes, uint64_t n_items,
        uint64_t memory_bytes);
void ring_close(struct ring *ring); /* zeroed is fine */

/* From now on another engine's: so many slots as ring_open() would make for it, of which those that there are
 * have memory.  Nothing that they hold is wanted any more: they are wiped.  The engine before locks no
 * memory. */
int ring_hand_over(struct ring *ring, struct engine *engine, unsigned workers, uint64_t n_items, uint64_t memory_bytes);

/* The slot's memory, taken when it is first asked for: page-locking takes some ms a slot, and
 * goes on beside the work on others.  Not for one slot from two threads at once. */
int ring_take(struct ring *ring, unsigned slot, uint8_t **bytes);

/* The first n_bytes of a slot hold something now. */
void ring_use(struct ring *ring, unsigned slot, size_t n_bytes);

#endif
