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

#include "gpucrypt/engine/engine.h"

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

/* Reports to the caller. */

/* Tell the caller how many bytes of total_bytes are done; progress may be NULL.  GPUCRYPT_CANCELLED if the caller wants
 * no more. */
int report_progress(const struct gpucrypt_progress *progress, uint64_t done_bytes, uint64_t total_bytes);

/* Results of a run besides its status. */
struct report {
	uint64_t plaintext_bytes;
	uint64_t kept_bytes;          /* of them: in groups that an earlier run wrote */
	uint64_t n_groups, n_written; /* number of groups of an updated container, and of those that were written */
	uint64_t n_unread;            /* groups that were believed to be unchanged */
	uint64_t written_bytes;       /* pages and payloads of the groups that were written */
	char engine[ENGINE_TEXT];     /* description of the engine; "" if there was none */
	enum gpucrypt_engine class;   /* of its class; GPUCRYPT_ENGINE_AUTO if there was none */
	char engine_note[NOTE_BYTES]; /* see struct engine */
	char header_note[128];        /* see struct header_copies */
	const char *busiest;          /* see struct items; of the last engine */
	double busy;
	bool has_digest;    /* a container was written, or read to its end */
	uint8_t digest[32]; /* MAC of the final page, which covers the root and so all pages: gcrypt(5) */
	bool payload_good;  /* at a failure: only a header copy is damaged or older */
};

/* Copy the results of the engine or of the pipeline to the report; it and the engine may be NULL. */
void report_engine(struct report *report, const struct engine *engine);
void report_items(struct report *report, const struct items *items);
void report_digest(struct report *report, const uint8_t digest[32]);

/* Threads that work on the parts of a task together with the thread that submits it. */

struct pool;

typedef void pool_part(void *job, unsigned part);

/* Start the given number of threads, or as many as possible; NULL: out of memory. */
struct pool *pool_open(unsigned n_threads);

/* Call run(job, part) once for each part, in the pool's threads and the caller's; returns when all calls have.  Several
 * threads may call it at once; the pool's threads help the first one first.  pool NULL: all in the caller's. */
void pool_run(struct pool *pool, pool_part *run, void *job, unsigned n_parts);

/* Do not call this during pool_run(). NULL is allowed. */
void pool_close(struct pool *pool);

/* The buffers of a pipeline's slots: all of one size, page aligned, wiped before they are freed. */

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
