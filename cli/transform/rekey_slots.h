/* Key slots of the old container that the new one gets again. */
#ifndef CLI_TRANSFORM_REKEY_SLOTS_H
#define CLI_TRANSFORM_REKEY_SLOTS_H

#include "gpucrypt/container/start_record.h"
#include "gpucrypt/keys/header.h"
#include "cli/secrets/secret.h"
#include "cli/transform/plan.h"

#define MAX_REKEY_SECRETS (MAX_IDENTITIES + MAX_RECIPIENTS)

/* The secrets that get a slot in the new container, linked by next. */
struct rekey_secrets {
	struct gpucrypt_secret list[MAX_REKEY_SECRETS]; /* bytes are not owned */
	unsigned n;
};

/* Recipients of the old container.  The one that was opened, and whose secret another one takes the place of, is
 * replaced. */
struct rekey_slots {
	const struct authenticated_header *old;
	struct recipient_set kept, replaced, dropped;
};

/* old: authenticated.  opening: all private keys that were given, or what opens the old container
 * otherwise; changed takes its place, NULL: nothing does.  recipients may be NULL. */
void rekey_secrets_choose(struct rekey_secrets *secrets, const struct authenticated_header *old,
        const struct gpucrypt_secret *opening, const struct gpucrypt_secret *changed,
        const struct gpucrypt_secret *recipients);

struct rekey_slots rekey_slots_find(
        const struct authenticated_header *old, const struct rekey_secrets *secrets, bool changed);

/* GPUCRYPT_USAGE: a slot is neither kept nor among those that may be dropped (1 << number of each),
 * or one of these is kept or not used. */
int rekey_slots_check(const struct rekey_slots *slots, unsigned may_drop);

/* Add the lines kept, replaced and dropped to the plan. */
void rekey_slots_plan(struct plan_lines *lines, const struct rekey_slots *slots);

/* Describe the recipients in the set, separated by "; ", as far as they fit. */
#define REKEY_SLOTS_TEXT 1024
void rekey_slots_describe(
        char text[REKEY_SLOTS_TEXT], const struct authenticated_header *old, const struct recipient_set *set);

/* The state of a file whose container is rekeyed. */
struct rekey_state {
	struct rekey_secrets secrets;       /* of the new container's key slots */
	struct rekey_slots slots;           /* of the old container */
	struct authenticated_header old;    /* its header */
	uint8_t record[START_RECORD_BYTES]; /* of this run's part */
};

#endif
