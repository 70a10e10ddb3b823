/* The bytes of a pax archive, as they are decrypted, to the caller as entries and their content. */
#ifndef TREE_SINK_H
#define TREE_SINK_H

#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/tree/entry_rules.h"
#include "gpucrypt/tree/extent_map.h"
#include "gpucrypt/tree/pax_decode.h"

enum tree_part { TREE_HEADER, TREE_RECORDS, TREE_MAP, TREE_CONTENT, TREE_PADDING, TREE_LAST_BLOCK, TREE_END };

struct tree_sink {
	struct sink sink;
	const struct gpucrypt_tree_sink *tree; /* not owned */
	struct entry_rules rules;
	enum tree_part part;                   /* that the next byte belongs to */
	uint8_t *held;                         /* owned: the first bytes of a header, or of records */
	size_t held_bytes, held_room, to_hold; /* to_hold: as many as the part has */
	size_t metadata_bytes;                 /* since the last content */
	struct pax_fields fields;              /* of the next entry */
	bool has_records;                      /* of the next entry */
	size_t records_bytes;                  /* without what fills their last block */
	uint64_t file_bytes;                   /* of the entry */
	uint64_t content_bytes;                /* not read yet, of the map too */
	unsigned padding_bytes;                /* not read yet */
	struct extent_map map;
	uint64_t map_bytes;             /* of it, read */
	struct extent extent, *extents; /* the only one, or those of the map; shortened at their start when written */
};

/* The sink must not move in memory. */
void tree_sink_open(struct tree_sink *sink, const struct gpucrypt_tree_sink *tree);

/* After all bytes: GPUCRYPT_CORRUPT if the archive has not ended. */
int tree_sink_finish(struct tree_sink *sink);

void tree_sink_close(struct tree_sink *sink);

#endif
