/* A container's header in words and in JSON, for `info` and `key list`. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdio.h>

#include "gpucrypt/header.h"
#include "json.h"

/* Open a container by name and read both header copies; no key. */
int describe_read(struct header_state *state, const char *name);

/* `name: value` lines; every one of them is not authenticated. */
void describe_header(FILE *stream, const struct header_state *state);
void describe_slots(FILE *stream, const struct header *header);

/* Members are added to an object. */
void describe_header_json(json_t *object, const struct header_state *state);
json_t *describe_slots_json(const struct header *header);

#endif
