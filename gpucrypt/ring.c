#include "ring.h"

#include <stdlib.h>
#include <unistd.h>

#include "keys.h"
#include "status.h"

/* What all slots together may take. */
static size_t budget_bytes(uint64_t memory_bytes)
{
	size_t eighth = (size_t)sysconf(_SC_PHYS_PAGES) / 8 * (size_t)sysconf(_SC_PAGESIZE);

	if (memory_bytes != 0)
		return (size_t)memory_bytes;
	return eighth < RING_BYTES ? eighth : RING_BYTES;
}

unsigned ring_slots(
        unsigned workers, size_t slot_bytes, uint64_t n_items, uint64_t memory_bytes)
{
	size_t n = workers + 2, most = budget_bytes(memory_bytes) / slot_bytes;

	if (n > most)
		n = most;
	if (n < 2)
		n = 2;
	if (n > n_items)
		n = n_items > 0 ? (size_t)n_items : 1;
	return (unsigned)n;
}

int ring_open(struct ring *ring, struct engine *engine, unsigned workers, size_t slot_bytes,
        uint64_t n_items, uint64_t memory_bytes)
{
	unsigned spare = engine != NULL ? engine->spare_slots : 0;
	unsigned n = ring_slots(workers + spare, slot_bytes, n_items, memory_bytes);

	if (memory_bytes != 0 && n * slot_bytes > memory_bytes)
		return fail(GPUCRYPT_USAGE, "%u buffers of %zu bytes are needed: more than %llu bytes of memory",
		        n, slot_bytes, (unsigned long long)memory_bytes);
	*ring = (struct ring){ .engine = engine, .n_slots = n, .slot_bytes = slot_bytes };
	ring->slots = calloc(n, sizeof *ring->slots);
	ring->used = calloc(n, sizeof *ring->used);
	if (ring->slots == NULL || ring->used == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	return GPUCRYPT_OK;
}

int ring_take(struct ring *ring, unsigned slot, uint8_t **bytes)
{
	int status = GPUCRYPT_OK;

	if (ring->slots[slot].bytes == NULL)
		status = engine_allocate(ring->engine, &ring->slots[slot], ring->slot_bytes);
	*bytes = ring->slots[slot].bytes;
	return status;
}

void ring_close(struct ring *ring)
{
	unsigned n = ring->slots != NULL && ring->used != NULL ? ring->n_slots : 0;

	for (unsigned i = 0; i < n; i++) {
		wipe(ring->slots[i].bytes, ring->used[i]);
		engine_release(ring->engine, &ring->slots[i]);
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
