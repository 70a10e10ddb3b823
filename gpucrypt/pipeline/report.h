#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/engine/engine.h"

struct items;

/* What a run tells its caller besides the status. */
struct report {
	uint64_t plaintext_bytes;
	char engine[ENGINE_TEXT];   /* description of the engine that worked; "" if none did */
	enum gpucrypt_engine class; /* of its class; GPUCRYPT_ENGINE_AUTO if none did */
	char engine_note[256];      /* see struct engine */
	char header_note[128];      /* see struct header_copies */
	const char *busiest;        /* see struct items; of who worked last */
	double busy;
	bool payload_good; /* of a failure: only a copy of the header is not as it should be */
};

/* Fill in the engine's part, and the stages'; report may be NULL. */
void report_engine(struct report *report, const struct engine *engine);
void report_items(struct report *report, const struct items *items);

#endif
