#ifndef GPUCRYPT_PIPELINE_REPORT_H
#define GPUCRYPT_PIPELINE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/engine/engine.h"

struct items;

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

#endif
