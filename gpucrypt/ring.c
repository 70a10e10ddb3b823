#include "ring.h"

#include <stdbool.h>
#include <stdlib.h>

#include "keys.h"
#include "status.h"

#define ALIGNMENT_BYTES 4096

int ring_open(struct ring *ring, unsigned workers, size_t slot_bytes, uint64_t n_items)
{
	size_t n = workers + 2, aligned = (slot_bytes + ALIGNMENT_BYTES - 1) & ~(size_t)(4096 - 1);

	if (n > RING_BYTES / aligned)
		n = RING_BYTES / aligned;
	if (n < 2)
		n = 2;
	if (n > n_items)
		n = n_items > 0 ? (size_t)n_items : 1;
	*ring = (struct ring){ .n_slots = (unsigned)n, .slot_bytes = slot_bytes };
	ring->slots = calloc(n, sizeof *ring->slots);
	ring->used = calloc(n, sizeof *ring->used);
	if (ring->slots == NULL || ring->used == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	for (size_t i = 0; i < n; i++) {
		ring->slots[i] = aligned_alloc(ALIGNMENT_BYTES, aligned);
		if (ring->slots[i] == NULL)
			return fail(GPUCRYPT_OTHER, "out of memory for %zu buffers of %zu bytes", n,
			        aligned);
	}
	return GPUCRYPT_OK;
}

void ring_close(struct ring *ring)
{
	bool opened = ring->slots != NULL && ring->used != NULL;

	for (unsigned i = 0; opened && i < ring->n_slots; i++) {
		wipe(ring->slots[i], ring->used[i]);
		free(ring->slots[i]);
	}
	free(ring->slots);
	free(ring->used);
	*ring = (struct ring){ 0 };
}

void ring_use(struct ring *ring, unsigned slot, size_t n_bytes)
{
	if (n_bytes > ring->used[slot])
		ring->used[slot] = n_bytes < ring->slot_bytes ? n_bytes : ring->slot_bytes;
}

unsigned ring_workers(const struct ring *ring, unsigned wanted)
{
	if (wanted < 1)
		return 1;
	return wanted < ring->n_slots ? wanted : ring->n_slots;
}
