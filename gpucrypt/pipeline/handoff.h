/* Bytes from one thread to another, hand to hand in memory: what is written to the sink waits until the
 * other thread is done with it.  One thread writes at a time, one reads. */
#ifndef HANDOFF_H
#define HANDOFF_H

#include <pthread.h>

#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

enum handoff_end { HANDOFF_FLOWS, HANDOFF_COMPLETE, HANDOFF_BROKEN };

struct handoff {
	struct sink sink;
	pthread_mutex_t mutex; /* of all that follows */
	pthread_cond_t changed;
	const uint8_t *bytes; /* what the writer waits with; NULL: nothing */
	size_t n_bytes;
	bool begun;           /* the reader has it */
	enum handoff_end end; /* nothing more is written */
	bool deaf;            /* nothing more is read, and whatever is written gets this: */
	int status;
	char text[1024];
	const uint8_t *left; /* of the source's: what was not asked for yet */
	size_t left_bytes;
};

void handoff_open(struct handoff *handoff);

/* The next bytes, which stay until this is called again, the writer having waited; it waits for them.
 * HANDOFF_FLOWS, or how it has ended. */
enum handoff_end handoff_next(struct handoff *handoff, const uint8_t **bytes, size_t *n_bytes);

/* A source of the bytes: size_bytes (UINT64_MAX: not known), read in order.  A stream that breaks off is
 * GPUCRYPT_OTHER: a part of it is none. */
void handoff_source(struct handoff *handoff, struct source *source, uint64_t size_bytes);

/* Nothing more is read: what is still written is dropped, or fails like the reader if that is not
 * GPUCRYPT_OK with the calling thread's text. */
void handoff_end_reading(struct handoff *handoff, int status);

/* Wait until nothing more is written; was all of it right?  After handoff_end_reading(). */
bool handoff_wait(struct handoff *handoff);

/* Nothing more is written; complete: and all was right. */
void handoff_end_writing(struct handoff *handoff, bool complete);

void handoff_close(struct handoff *handoff);

#endif
