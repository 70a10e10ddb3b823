/* dec --salvage: report damage as text or JSON. */
#ifndef CLI_SALVAGE_H
#define CLI_SALVAGE_H

#include <jansson.h>

#include "gpucrypt/container/salvage.h"
#include "cli/args/options.h"

struct salvage_list {
	const struct options *options;
	const char *name; /* of the container; not owned */
	json_t *damages;  /* owned, with --json; NULL without */
	struct salvaged salvaged;
};

/* container_salvage(): each piece of damage is a warning, or kept for the JSON. */
int salvage_crypt(struct salvage_list *list, const struct options *options, struct source *source, struct sink *sink,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report);

/* When the output has its name: the JSON, and GPUCRYPT_CORRUPT if anything was damaged. */
int salvage_finish(struct salvage_list *list);

void salvage_drop(struct salvage_list *list); /* zeroed is fine */

#endif
