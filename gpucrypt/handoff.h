/* Bytes from one pipeline into another, in memory: what is written to the sink waits until the source's
 * reader has taken it.  One thread writes at a time, another reads. */
#ifndef HANDOFF_H
#define HANDOFF_H

#include <pthread.h>

#include "stream.h"

struct handoff {
	struct sink sink;
	pthread_mutex_t mutex; /* of all that follows */
	pthread_cond_t changed;
	const uint8_t *bytes; /* that the writer waits to be taken */
	size_t n_bytes;
	bool complete;    /* there is no more, and all was right */
	bool writer_gone; /* it will write no more */
	bool reader_gone; /* it will take no more */
	bool refused;     /* something was written nevertheless */
};

void handoff_open(struct handoff *handoff);

/* source: of size_bytes (UINT64_MAX: not known), read in order. */
void handoff_source(struct handoff *handoff, struct source *source, uint64_t size_bytes);

/* The end that the reader sees is GPUCRYPT_OTHER unless complete: part of a stream is none. */
void handoff_end_writing(struct handoff *handoff, bool complete);

/* Whatever is still written is refused with GPUCRYPT_OTHER. */
void handoff_end_reading(struct handoff *handoff);

void handoff_close(struct handoff *handoff);

#endif
