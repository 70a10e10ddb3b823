#include "gpucrypt/tree/tree_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

/* Between the content of two entries, as gcrypt(5) has it. */
#define MAX_METADATA_BYTES ((size_t)16 << 20)

static const char too_much_metadata[] = "one entry has more than 16 MiB of metadata";

static int damaged(const char *what)
{
	return fail(GPUCRYPT_CORRUPT, "tree: the archive in the container is damaged: %s", what);
}

static void expect(struct tree_sink *self, enum tree_part part, size_t n_bytes)
{
	self->part = part;
	self->to_hold = n_bytes;
	self->held_bytes = 0;
}

/* Names of files are wiped where they were. */
static int hold(struct tree_sink *self, const uint8_t *bytes, size_t n_bytes)
{
	size_t needed = self->held_bytes + n_bytes, room = 2 * needed;
	uint8_t *held = self->held;

	if (needed > self->held_room) {
		held = malloc(room);
		if (held == NULL)
			return fail(GPUCRYPT_OTHER, "out of memory");
		memcpy(held, self->held != NULL ? self->held : bytes, self->held_bytes);
		wipe(self->held, self->held_room);
		free(self->held);
		self->held = held;
		self->held_room = room;
	}
	memcpy(held + self->held_bytes, bytes, n_bytes);
	self->held_bytes = needed;
	return GPUCRYPT_OK;
}

/* Behind the content comes what fills its last block, and then another header. */
static void expect_padding(struct tree_sink *self)
{
	self->part = TREE_PADDING;
	self->metadata_bytes = 0;
	if (self->padding_bytes == 0)
		expect(self, TREE_HEADER, PAX_BLOCK_BYTES);
}

static void expect_content(struct tree_sink *self)
{
	self->part = TREE_CONTENT;
	if (self->content_bytes == 0)
		expect_padding(self);
}

/* Fields of the entry are not used any more when this returns. */
static int start_entry(struct tree_sink *self)
{
	const struct gpucrypt_entry *entry = &self->fields.entry;
	int status = entry_admit(&self->rules, entry, GPUCRYPT_CORRUPT);

	if (status == GPUCRYPT_OK && self->tree->entry(self->tree->self, entry) != 0)
		status = fail(GPUCRYPT_CANCELLED, "cancelled by the caller");
	if (status != GPUCRYPT_OK)
		return status;
	self->file_bytes = entry->size;
	self->content_bytes = self->fields.stored_bytes;
	self->padding_bytes = pax_padding(self->content_bytes);
	self->extent = (struct extent){ 0, self->content_bytes };
	self->extents = &self->extent;
	extent_map_reset(&self->map);
	self->map_bytes = 0;
	if (self->fields.sparse)
		self->part = TREE_MAP;
	else
		expect_content(self);
	self->fields = (struct pax_fields){ 0 };
	self->has_records = false;
	return GPUCRYPT_OK;
}

static int start_records(struct tree_sink *self, const struct ustar *header)
{
	uint64_t n_bytes;
	int status = pax_decode_number(&n_bytes, header->size, sizeof header->size);

	if (status == GPUCRYPT_OK && (self->has_records || n_bytes == 0))
		status = damaged("records without an entry, or none");
	if (status == GPUCRYPT_OK && n_bytes > MAX_METADATA_BYTES)
		status = damaged(too_much_metadata);
	if (status != GPUCRYPT_OK)
		return status;
	self->has_records = true;
	self->records_bytes = (size_t)n_bytes;
	expect(self, TREE_RECORDS, (size_t)n_bytes + pax_padding(n_bytes));
	return GPUCRYPT_OK;
}

static bool is_zero(const uint8_t block[PAX_BLOCK_BYTES])
{
	static const uint8_t zeros[PAX_BLOCK_BYTES];

	return memcmp(block, zeros, sizeof zeros) == 0;
}

static int take_header(struct tree_sink *self)
{
	const struct ustar *header = (const struct ustar *)self->held;
	int status;

	if (is_zero(self->held)) {
		expect(self, TREE_LAST_BLOCK, PAX_BLOCK_BYTES);
		return self->has_records ? damaged("records without an entry") : GPUCRYPT_OK;
	}
	status = pax_check_header(header);
	if (status != GPUCRYPT_OK || header->type == USTAR_RECORDS)
		return status == GPUCRYPT_OK ? start_records(self, header) : status;
	status = pax_decode_header(&self->fields, header);
	return status == GPUCRYPT_OK ? start_entry(self) : status;
}

/* All bytes of a header or of records are held. */
static int take_held(struct tree_sink *self)
{
	int status;

	if (self->part == TREE_HEADER)
		return take_header(self);
	if (self->part == TREE_LAST_BLOCK) {
		self->part = TREE_END;
		return is_zero(self->held) ? GPUCRYPT_OK : damaged("one block of zeros at its end");
	}
	status = pax_decode_records(&self->fields, self->held, self->records_bytes);
	expect(self, TREE_HEADER, PAX_BLOCK_BYTES);
	return status;
}

/* A map ends with its last number, and fills whole blocks. */
static int take_map(struct tree_sink *self, const uint8_t *bytes, size_t n_bytes, size_t *used)
{
	int status;

	if (n_bytes > self->content_bytes)
		n_bytes = (size_t)self->content_bytes;
	if (extent_map_complete(&self->map)) { /* zeros behind */
		size_t zeros = pax_padding(self->map_bytes);

		*used = zeros < n_bytes ? zeros : n_bytes;
		status = GPUCRYPT_OK;
	} else {
		status = extent_map_read(&self->map, bytes, n_bytes, used);
	}
	self->map_bytes += *used;
	self->content_bytes -= *used;
	if (status != GPUCRYPT_OK)
		return status;
	if (extent_map_complete(&self->map) && pax_padding(self->map_bytes) == 0) {
		self->extents = self->map.extents;
		status = extent_map_check(&self->map, self->file_bytes, self->content_bytes);
		expect_content(self);
	} else if (self->content_bytes == 0) {
		status = damaged("a map of holes without its end");
	}
	return status;
}

static int write_content(struct tree_sink *self, const uint8_t *bytes, size_t n_bytes, size_t *used)
{
	const struct gpucrypt_tree_sink *tree = self->tree;
	ssize_t n = tree->pwrite != NULL ? tree->pwrite(tree->self, bytes, n_bytes, self->extents->offset)
	                                 : (ssize_t)n_bytes;

	*used = n > 0 ? (size_t)n : 0;
	if (n < 0 && errno == EINTR)
		return GPUCRYPT_OK;
	if (n == 0)
		errno = ENOSPC;
	if (n <= 0)
		return fail_errno("tree", "the content of an entry cannot be written");
	if (*used > n_bytes)
		return fail(GPUCRYPT_USAGE, "tree: the callback has written more bytes than there are");
	return GPUCRYPT_OK;
}

static int take_content(struct tree_sink *self, const uint8_t *bytes, size_t n_bytes, size_t *used)
{
	int status;

	while (self->extents->n_bytes == 0)
		self->extents++;
	if (n_bytes > self->extents->n_bytes)
		n_bytes = (size_t)self->extents->n_bytes;
	status = write_content(self, bytes, n_bytes, used);
	if (status != GPUCRYPT_OK)
		return status;
	self->extents->offset += *used;
	self->extents->n_bytes -= *used;
	self->content_bytes -= *used;
	if (self->content_bytes == 0)
		expect_padding(self);
	return status;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Some bytes of the part, *used of them. */
static int take_some(struct tree_sink *self, const uint8_t *bytes, size_t n_bytes, size_t *used)
{
	int status;

	switch (self->part) {
	case TREE_CONTENT:
		return take_content(self, bytes, n_bytes, used);
	case TREE_MAP:
		status = take_map(self, bytes, n_bytes, used);
		self->metadata_bytes += *used;
		return status;
	case TREE_PADDING:
		*used = smaller(self->padding_bytes, n_bytes);
		self->padding_bytes -= (unsigned)*used;
		if (self->padding_bytes == 0)
			expect(self, TREE_HEADER, PAX_BLOCK_BYTES);
		return GPUCRYPT_OK;
	case TREE_END: /* other bytes may follow, which belong to no entry */
		*used = n_bytes;
		return GPUCRYPT_OK;
	default:
		*used = smaller(self->to_hold - self->held_bytes, n_bytes);
		self->metadata_bytes += *used;
		status = hold(self, bytes, *used);
		return status == GPUCRYPT_OK && self->held_bytes == self->to_hold ? take_held(self) : status;
	}
}

static int write_tree(struct sink *sink, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct tree_sink *self = (struct tree_sink *)sink;
	int status = GPUCRYPT_OK;
	size_t used;

	(void)offset; /* ranges are ascending and adjacent */
	for (; status == GPUCRYPT_OK && n_bytes > 0; bytes += used, n_bytes -= used) {
		used = 0;
		status = take_some(self, bytes, n_bytes, &used);
		if (status == GPUCRYPT_OK && self->metadata_bytes > MAX_METADATA_BYTES)
			status = damaged(too_much_metadata);
	}
	return status;
}

static int check_content(const struct sink *sink, uint8_t content)
{
	(void)sink;
	if (content == CONTENT_PAX)
		return GPUCRYPT_OK;
	return content == CONTENT_PAX_ZSTD ? fail(GPUCRYPT_UNKNOWN, "the tree is compressed, and the library does not "
	                                                            "decompress: use gcrypt dec")
	                                   : fail(GPUCRYPT_USAGE, "the container has no directory tree");
}

void tree_sink_open(struct tree_sink *sink, const struct gpucrypt_tree_sink *tree)
{
	*sink = (struct tree_sink){ .tree = tree, .sink = { .write = write_tree, .check_content = check_content } };
	extent_map_reset(&sink->map);
	expect(sink, TREE_HEADER, PAX_BLOCK_BYTES);
}

int tree_sink_finish(struct tree_sink *sink)
{
	return sink->part == TREE_END && sink->rules.names != NULL ? GPUCRYPT_OK
	                                                           : damaged("it ends before its last entry");
}

void tree_sink_close(struct tree_sink *sink)
{
	wipe(sink->held, sink->held_room);
	free(sink->held);
	wipe(&sink->fields, sizeof sink->fields);
	entry_rules_close(&sink->rules);
	extent_map_reset(&sink->map);
}
