/* A tree of the caller's as the bytes of a pax archive, made as they are read. */
#ifndef TREE_SOURCE_H
#define TREE_SOURCE_H

#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/tree/entry_rules.h"
#include "gpucrypt/tree/pax_encode.h"

struct tree_source {
	struct source source;
	const struct gpucrypt_tree_source *tree; /* not owned */
	struct entry_rules rules;
	uint8_t head[PAX_HEAD_BYTES];
	size_t head_from, head_end;
	uint64_t content_bytes; /* of the entry, not read yet */
	unsigned zero_bytes;    /* behind the content */
	bool ended;
};

/* The source must not move in memory. */
void tree_source_open(struct tree_source *source, const struct gpucrypt_tree_source *tree);

void tree_source_close(struct tree_source *source);

#endif
