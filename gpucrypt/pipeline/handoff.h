/* A pipe between two threads without a buffer: a write to the sink returns when the reading thread no longer needs the
 * bytes.  One thread at a time writes, one reads. */
#ifndef GPUCRYPT_PIPELINE_HANDOFF_H
#define GPUCRYPT_PIPELINE_HANDOFF_H

#include <pthread.h>

#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

enum handoff_end { HANDOFF_FLOWS, HANDOFF_COMPLETE, HANDOFF_BROKEN };

struct handoff {
	struct sink sink;
	pthread_mutex_t mutex; /* protects all members below */
	pthread_cond_t changed;
	const uint8_t *bytes; /* bytes of the waiting write; NULL: no write waits */
	size_t n_bytes;
	bool started;         /* the reader has these bytes */
	enum handoff_end end; /* not HANDOFF_FLOWS: the writer is closed */
	bool reader_closed;   /* writes return at once, with this status: */
	int status;
	char text[1024];
	const uint8_t *left; /* bytes not yet read from the source */
	size_t left_bytes;
};

void handoff_open(struct handoff *handoff);

/* Wait for the next bytes, which stay until the next call.  HANDOFF_FLOWS, or how the stream ended. */
enum handoff_end handoff_next(struct handoff *handoff, const uint8_t **bytes, size_t *n_bytes);

/* Read the bytes as a source; size_bytes may be UINT64_MAX (not known).  GPUCRYPT_OTHER if the stream breaks off. */
void handoff_source(struct handoff *handoff, struct source *source, uint64_t size_bytes);

/* Close the reader: later writes are dropped, or fail with this status and the calling thread's text if it is not
 * GPUCRYPT_OK. */
void handoff_end_reading(struct handoff *handoff, int status);

/* After handoff_end_reading(): wait until the writer is closed; true: the stream is complete. */
bool handoff_wait(struct handoff *handoff);

/* Close the writer; complete: all bytes have been written. */
void handoff_end_writing(struct handoff *handoff, bool complete);

void handoff_close(struct handoff *handoff);

#endif
