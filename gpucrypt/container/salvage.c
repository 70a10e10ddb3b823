/* Salvage, chunk by chunk.  A tag counts only under a page whose MAC holds: Poly1305 does not commit to its key, and
 * one payload can have one tag under two file keys. */
#include "gpucrypt/container/container.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/status.h"

struct salvage {
	struct group_reader reader; /* without a pipeline: one slot, one lane */
	uint64_t n_groups;          /* number of complete or partial groups in the container */
	uint64_t end_bytes;         /* offset in the plaintext where the output ends */
	const char *page_damage;    /* damage of the current group's page; NULL: none */
	char ending[80];            /* the reason that bytes after end_bytes are missing */
	struct salvaged *result;    /* not owned */
	struct damage pending;      /* the next damage may extend it */
	void (*visit)(void *self, const struct damage *damage);
	void *self;
};

static void report_pending(struct salvage *salvage)
{
	if (salvage->pending.reason == NULL)
		return;
	salvage->result->n_damages++;
	salvage->visit(salvage->self, &salvage->pending);
	salvage->pending.reason = NULL;
}

/* Adjacent ranges with the same reason (the same constant) become one. */
static void add_damage(struct salvage *salvage, uint64_t offset, uint64_t n_bytes, const char *reason)
{
	struct damage *pending = &salvage->pending;

	if (pending->reason == reason && n_bytes > 0 && pending->n_bytes > 0 &&
	        pending->offset + pending->n_bytes == offset) {
		pending->n_bytes += n_bytes;
		return;
	}
	report_pending(salvage);
	*pending = (struct damage){ .offset = offset, .n_bytes = n_bytes, .reason = reason };
}

/* Returns the reason why a piece could not be read, or NULL. A medium may fail at one place and work at others. */
static const char *read_piece(const struct salvage *salvage, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	int status = source_read_at(salvage->reader.source, bytes, n_bytes, offset);

	if (status == GPUCRYPT_OK)
		return NULL;
	fail_clear();
	memset(bytes, 0, n_bytes);
	return status == GPUCRYPT_IO ? "cannot be read" : "missing";
}

/* The output ends where the plaintext does, or where the payload does if that is before: a header that claims more
 * bytes must cost neither time nor storage.  Of a detached container the image decides: without payload a page proves
 * nothing. */
static void limit_output(struct salvage *salvage, uint64_t length)
{
	const struct header *header = &salvage->reader.header.header;
	const struct source *source = salvage->reader.source;
	uint64_t there = layout_payload_in(header->group_log2, source->size_bytes),
	         n_there = layout_groups_in(header->group_log2, source->size_bytes),
	         n_claimed = layout_groups(header->group_log2, length);

	if (header->layout == LAYOUT_DETACHED) {
		there = ((const struct detached_source *)source)->image->size_bytes;
		n_there = layout_groups(header->group_log2, there);
	}
	salvage->end_bytes = length < there ? length : there;
	salvage->n_groups = n_claimed < n_there ? n_claimed : n_there > 0 ? n_there : 1;
	if (length != LENGTH_UNKNOWN)
		salvage->result->missing_bytes = length - salvage->end_bytes;
}

static uint64_t start_of(const struct salvage *salvage, uint64_t group)
{
	return group << salvage->reader.header.header.group_log2;
}

/* The range of the current group to write. */
static size_t output_bytes(const struct salvage *salvage, uint64_t number)
{
	return layout_group_bytes(salvage->reader.header.header.group_log2, salvage->end_bytes, number);
}

/* No field of an unauthentic page is used. An authentic final page proves the length where the header does not state
 * it. */
static int read_page(struct salvage *salvage, struct group *group, uint64_t number)
{
	const struct header *header = &salvage->reader.header.header;
	const char *unread =
	        read_piece(salvage, group->bytes, PAGE_BYTES, layout_page_offset(header->group_log2, number));
	int status = reader_open_page(&salvage->reader, group, number);

	salvage->page_damage = NULL;
	if (status == GPUCRYPT_CORRUPT) {
		fail_clear();
		salvage->page_damage = unread != NULL ? unread : "the group's metadata page is damaged";
		group->page = (struct page){ .group = number };
		status = GPUCRYPT_OK;
	}
	if (header->plaintext_bytes == LENGTH_UNKNOWN && (group->page.flags & PAGE_FINAL) != 0)
		limit_output(salvage, start_of(salvage, number) + group->page.n_bytes);
	group_set_length(group, output_bytes(salvage, number), salvage->reader.suite.mode->whole_blocks);
	return status;
}

/* With only one good header copy and without page 0, which is at the same place for all sizes, another file key may be
 * valid here too. */
static void check_only_key(struct salvage *salvage)
{
	const struct header_copies *copies = &salvage->reader.header.copies;

	if (salvage->page_damage != NULL && !(copies->good[0] && copies->good[1]))
		add_damage(salvage, 0, 0,
		        "metadata page 0 and a header copy are damaged: another secret may open other "
		        "bytes");
}

/* Decrypt the good chunks; the others become zeros.  unread: what prevented a chunk from being read, or NULL. */
static int decrypt_chunks(
        struct salvage *salvage, struct group *group, uint64_t number, const char *const unread[MAX_CHUNKS])
{
	size_t n_output = output_bytes(salvage, number);
	int status = group_tags(group, false);

	for (unsigned i = 0; i < layout_chunks(group->chunk_log2, group->stored) && status == GPUCRYPT_OK; i++) {
		size_t start = (size_t)i << group->chunk_log2, n = group_chunk_bytes(group, i),
		       end = start + n < n_output ? start + n : n_output;

		if (unread[i] == NULL && group_chunk_good(group, i)) {
			if (!page_hole(&group->page, i))
				status = group_crypt(&salvage->reader.groups, 0, group, start, n, false);
			salvage->result->good_bytes += end - start;
			continue;
		}
		memset(group->payload + start, 0, n);
		add_damage(salvage, start_of(salvage, number) + start, end - start,
		        unread[i] != NULL ? unread[i] : "a chunk is damaged");
	}
	return status;
}

static int read_chunks(struct salvage *salvage, struct group *group, uint64_t number)
{
	uint64_t payload = layout_page_offset(group->group_log2, number) + PAGE_BYTES;
	const char *unread[MAX_CHUNKS] = { NULL };

	for (unsigned i = 0; i < layout_chunks(group->chunk_log2, group->stored); i++) {
		size_t start = (size_t)i << group->chunk_log2;

		unread[i] = read_piece(salvage, group->payload + start, group_chunk_bytes(group, i), payload + start);
	}
	return decrypt_chunks(salvage, group, number, unread);
}

/* Write the group's plaintext where it is authentic, and zeros elsewhere. */
static int salvage_group(struct salvage *salvage, struct group *group, uint64_t number)
{
	struct sink *sink = salvage->reader.sink;
	uint64_t start = start_of(salvage, number);
	int status = read_page(salvage, group, number);
	size_t n = output_bytes(salvage, number);

	if (status == GPUCRYPT_OK && number == 0)
		check_only_key(salvage);
	if (status == GPUCRYPT_OK && salvage->page_damage == NULL)
		status = read_chunks(salvage, group, number);
	else if (status == GPUCRYPT_OK) {
		memset(group->payload, 0, group->stored);
		if (n > 0)
			add_damage(salvage, start, n, salvage->page_damage);
	}
	if (status == GPUCRYPT_OK && !all_zero(group->payload + n, group->stored - n))
		add_damage(salvage, start + n, 0, "the padding is not zero");
	if (status == GPUCRYPT_OK && n > 0)
		status = sink->write(sink, group->payload, n, start);
	salvage->result->plaintext_bytes += n;
	return status;
}

static void check_final(struct salvage *salvage, const struct page *page, uint64_t end, const uint8_t root[MAC_BYTES])
{
	uint64_t length = salvage->reader.header.header.plaintext_bytes;

	if (CRYPTO_memcmp(root, page->root, MAC_BYTES) != 0)
		add_damage(salvage, end, 0, "the root is wrong: pages are damaged or of another version");
	if (length != LENGTH_UNKNOWN && length != start_of(salvage, page->group) + page->n_bytes)
		add_damage(salvage, end, 0, "the length is not that in the header");
}

/* An authentic page that does not fit its place comes from a faulty writer. */
static int check_last(struct salvage *salvage, const struct group *group, uint64_t number)
{
	const struct source *source = salvage->reader.source;
	bool last = number + 1 == salvage->n_groups, final = (group->page.flags & PAGE_FINAL) != 0;
	uint64_t end = start_of(salvage, number) + output_bytes(salvage, number),
	         stored = layout_page_offset(group->group_log2, number) + PAGE_BYTES + group->stored;
	uint8_t root[MAC_BYTES];
	int status;

	if (salvage->page_damage == NULL && final != last)
		add_damage(salvage, end, 0, last ? "the final page is missing" : "a final page is before the end");
	if (!last)
		return running_hmac_add(&salvage->reader.root, group->bytes + PAGE_MAC, MAC_BYTES);
	status = running_hmac_finish(&salvage->reader.root, root);
	if (status == GPUCRYPT_OK && salvage->page_damage != NULL)
		add_damage(salvage, end, 0, "without its final page, order and age of groups are not proved");
	else if (status == GPUCRYPT_OK && final)
		check_final(salvage, &group->page, end, root);
	if (status == GPUCRYPT_OK && !source->block_device && salvage->result->missing_bytes == 0 &&
	        source->size_bytes > stored)
		add_damage(salvage, end, 0, "there are more bytes after the end");
	wipe(root, sizeof root);
	return status;
}

/* Missing bytes are not in the output. */
static void report_missing(struct salvage *salvage)
{
	uint64_t missing = salvage->result->missing_bytes;

	if (missing == 0)
		return;
	snprintf(salvage->ending, sizeof salvage->ending, "the container ends here: %" PRIu64 " bytes are missing",
	        missing);
	add_damage(salvage, salvage->end_bytes, missing, salvage->ending);
	salvage->pending.after_end = true;
}

static int salvage_groups(struct salvage *salvage, const struct gpucrypt_plan *plan, struct report *report)
{
	struct group_reader *reader = &salvage->reader;
	const struct header *header = &reader->header.header;
	int status = groups_open_one(&reader->groups, &reader->suite, header, plan, report)
	                     ?: running_hmac_start(&reader->root, reader->keys.root);

	limit_output(salvage, header->plaintext_bytes);
	for (uint64_t number = 0; status == GPUCRYPT_OK && number < salvage->n_groups; number++) {
		struct group *group = &reader->groups.group[0];

		status = salvage_group(salvage, group, number)
		                 ?: check_last(salvage, group, number)
		                 ?: report_progress(reader->progress,
		                            layout_page_offset(header->group_log2, number) + PAGE_BYTES + group->stored,
		                            reader->source->size_bytes);
	}
	if (status == GPUCRYPT_OK)
		report_missing(salvage);
	report_pending(salvage);
	return status;
}

int container_salvage(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report,
        struct salvaged *salvaged, void (*visit)(void *self, const struct damage *damage), void *self)
{
	struct salvage salvage = {
		.reader = reader_of(source, sink, progress), .result = salvaged, .visit = visit, .self = self
	};
	int status;

	*report = (struct report){ 0 };
	*salvaged = (struct salvaged){ 0 };
	if (source->size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: salvage needs a file, not a pipe", source->name);
	status = reader_begin(&salvage.reader, secret, report) ?: salvage_groups(&salvage, plan, report);
	report->plaintext_bytes = salvaged->plaintext_bytes;
	reader_close(&salvage.reader);
	return status;
}
