/* The buffers of a pipeline's slots: all of one size, page aligned, wiped before they are freed. */
#ifndef GPUCRYPT_PIPELINE_RING_H
#define GPUCRYPT_PIPELINE_RING_H

#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/engine/engine.h"

#define RING_BYTES ((size_t)640 << 20)

struct ring {
	struct engine *engine; /* allocates the memory; NULL: ordinary memory */
	unsigned n_slots;
	size_t slot_bytes;
	struct host_buffer *slots; /* owned; an engine may exchange them (struct work) */
};

/* Number of slots: one for each worker and a few more, unless lanes own as many buffers (results); fewer if they would
 * exceed memory_bytes (0: RING_BYTES or an eighth of the machine's memory) or n_items (UINT64_MAX: not known); but at
 * least two. */
unsigned ring_slots(unsigned workers, unsigned results, size_t slot_bytes, uint64_t n_items, uint64_t memory_bytes);

/* Open a ring of so many slots and the engine's spare ones, without memory yet; GPUCRYPT_USAGE if they exceed
 * memory_bytes.  Close the ring before the engine. */
int ring_open(struct ring *ring, struct engine *engine, unsigned workers, size_t slot_bytes, uint64_t n_items,
        uint64_t memory_bytes);
void ring_close(struct ring *ring); /* zeroed is fine */

/* The slot's memory, allocated by the first call: page-locking takes some ms a slot, and so runs beside the work on
 * other slots.  Not for one slot from two threads at once. */
int ring_take(struct ring *ring, unsigned slot, struct host_buffer **buffer);

/* Record that the first n_bytes of a slot are in use and must be wiped. */
void ring_use(struct ring *ring, unsigned slot, size_t n_bytes);

#endif
