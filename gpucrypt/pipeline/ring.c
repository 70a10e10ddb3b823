
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/status.h"

/* One slot each that waits between two stages, before and behind the engine.  Buffers that lanes of devices own take
 * their place: more memory in use is slower (docs/decisions/0029-takeover.md). */
#define SPARE_SLOTS 2

/* For all slots together. */
static size_t budget_bytes(uint64_t memory_bytes)
{
	size_t eighth = (size_t)sysconf(_SC_PHYS_PAGES) / 8 * (size_t)sysconf(_SC_PAGESIZE);

	if (memory_bytes != 0)
		return (size_t)memory_bytes;
	return eighth < RING_BYTES ? eighth : RING_BYTES;
}

unsigned ring_slots(unsigned workers, unsigned results, size_t slot_bytes, uint64_t n_items, uint64_t memory_bytes)
{
	size_t n = workers + (results < SPARE_SLOTS ? SPARE_SLOTS - results : 0),
	       most = budget_bytes(memory_bytes) / slot_bytes;

	if (n > most)
		n = most;
	if (n < 2)
		n = 2;
	if (n > n_items)
		n = n_items > 0 ? (size_t)n_items : 1;
	return (unsigned)n;
}

static unsigned workers_with(const struct engine *engine, unsigned workers)
{
	return workers + (engine != NULL ? engine->spare_slots : 0);
}

/* What the results of lanes leave.  A lane works if it has a slot, so they take half at most. */
static uint64_t memory_for_slots(const struct engine *engine, size_t slot_bytes, uint64_t memory_bytes)
{
	uint64_t results = engine != NULL ? engine->results * slot_bytes : 0;

	return memory_bytes - (results < memory_bytes / 2 ? results : memory_bytes / 2);
}

int ring_open(struct ring *ring, struct engine *engine, unsigned workers, size_t slot_bytes, uint64_t n_items,
        uint64_t memory_bytes)
{
	unsigned n = ring_slots(workers_with(engine, workers), engine != NULL ? engine->results : 0, slot_bytes,
	        n_items, memory_for_slots(engine, slot_bytes, memory_bytes));

	if (memory_bytes != 0 && n * slot_bytes > memory_bytes)
		return fail(GPUCRYPT_USAGE, "%u buffers of %zu bytes are needed: more than %llu bytes of memory", n,
		        slot_bytes, (unsigned long long)memory_bytes);
	*ring = (struct ring){ .engine = engine, .n_slots = n, .slot_bytes = slot_bytes };
	ring->slots = calloc(n, sizeof *ring->slots);
	return ring->slots != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

int ring_take(struct ring *ring, unsigned slot, struct host_buffer **buffer)
{
	int status = GPUCRYPT_OK;

	if (ring->slots[slot].bytes == NULL)
		status = engine_allocate(ring->engine, &ring->slots[slot], ring->slot_bytes);
	*buffer = &ring->slots[slot];
	return status;
}

/* To wipe and free some hundred MiB takes one thread as long as a GPU takes for a GiB. */
#define CLEARING_THREADS 4
#define CLEARING_BYTES   ((size_t)16 << 20) /* for a thread, at least */

static void clear_slot(void *ring, unsigned slot)
{
	engine_release(((struct ring *)ring)->engine, &((struct ring *)ring)->slots[slot]);
}

static void clear_ring(struct ring *ring)
{
	size_t threads = ring->n_slots * ring->slot_bytes / CLEARING_BYTES;
	struct pool *pool =
	        threads > 1 ? pool_open((threads < CLEARING_THREADS ? (unsigned)threads : CLEARING_THREADS) - 1) : NULL;

	pool_run(pool, clear_slot, ring, ring->n_slots);
	pool_close(pool);
}

void ring_close(struct ring *ring)
{
	if (ring->slots != NULL)
		clear_ring(ring);
	free(ring->slots);
	*ring = (struct ring){ 0 };
}

void ring_use(struct ring *ring, unsigned slot, size_t n_bytes)
{
	struct host_buffer *buffer = &ring->slots[slot];

	if (n_bytes > buffer->used_bytes)
		buffer->used_bytes = n_bytes < ring->slot_bytes ? n_bytes : ring->slot_bytes;
}
