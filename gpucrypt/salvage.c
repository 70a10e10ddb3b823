/* Salvage: group by group, chunk by chunk, whatever its tag proves (gcrypt(5), "Salvage").  A page
 * that does not verify still has a salt and tags, by which chunks may verify: a wrong salt or tag
 * only makes them fail. */
#include "salvage.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "detached.h"
#include "engine.h"
#include "group.h"
#include "status.h"

struct salvage {
	struct source *source;
	struct sink *sink;
	struct authenticated_header header;
	struct file_keys keys;
	struct suite suite;
	struct engine *engine; /* owned */
	struct recheck recheck;
	struct groups groups;     /* one slot */
	struct running_hmac root; /* over the page MACs as stored */
	uint64_t n_groups;
	bool length_known;       /* by the header, else by the container's size */
	bool page_good;          /* of the group at hand */
	struct salvaged *result; /* not owned */
	struct damage pending;   /* what follows may belong to the same damage */
	void (*visit)(void *self, const struct damage *damage);
	void *self;
};

static void flush(struct salvage *salvage)
{
	if (salvage->pending.reason == NULL)
		return;
	salvage->result->n_damages++;
	salvage->visit(salvage->self, &salvage->pending);
	salvage->pending.reason = NULL;
}

/* Ranges that meet and have one reason (the same constant) become one. */
static void damaged(struct salvage *salvage, uint64_t offset, uint64_t n_bytes, const char *reason)
{
	struct damage *pending = &salvage->pending;

	if (pending->reason == reason && n_bytes > 0 && pending->n_bytes > 0 &&
	        pending->offset + pending->n_bytes == offset) {
		pending->n_bytes += n_bytes;
		return;
	}
	flush(salvage);
	*pending = (struct damage){ offset, n_bytes, reason };
}

/* Read at a position; what is wrong, or NULL.  A medium may fail here and be well elsewhere. */
static const char *read_piece(
        const struct salvage *salvage, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	int status = source_read_at(salvage->source, bytes, n_bytes, offset);

	if (status == GPUCRYPT_OK)
		return NULL;
	fail_clear();
	memset(bytes, 0, n_bytes);
	return status == GPUCRYPT_IO ? "cannot be read" : "missing";
}

static uint64_t plaintext_offset(const struct salvage *salvage, uint64_t group)
{
	return group << salvage->header.header.group_log2;
}

/* How many bytes of the container are left for a group's payload, at most G. */
static uint64_t payload_there(const struct salvage *salvage, uint64_t group)
{
	uint64_t start = group_offset(&salvage->header.header, group) + PAGE_BYTES,
	         size = salvage->source->size_bytes, left = size > start ? size - start : 0,
	         whole = UINT64_C(1) << salvage->header.header.group_log2;

	return left < whole ? left : whole;
}

/* Length of the group: as the header says; else as an authentic final page says; else all that is
 * there. */
static void set_length(struct salvage *salvage, struct group *group, uint64_t number)
{
	const struct header *header = &salvage->header.header;
	uint64_t whole = UINT64_C(1) << header->group_log2, left;
	bool final = salvage->page_good && (group->page.flags & PAGE_FINAL) != 0;

	if (salvage->length_known) {
		left = header->plaintext_bytes - plaintext_offset(salvage, number);
		group->page.n_bytes = left < whole ? left : whole;
	} else if (!final)
		group->page.n_bytes = payload_there(salvage, number);
	else if (number + 1 < salvage->n_groups)
		salvage->n_groups = number + 1;
	group->stored = payload_bytes(group->page.n_bytes, salvage->suite.mode->whole_blocks);
}

/* The page, authentic or not; what it says counts in the first case. */
static int read_page(struct salvage *salvage, struct group *group, uint64_t number)
{
	const struct header *header = &salvage->header.header;
	const char *wrong =
	        read_piece(salvage, group->bytes, PAGE_BYTES, group_offset(header, number));
	int status =
	        group_keys_derive(&group->keys, &salvage->keys, number, group->bytes + PAGE_SALT);

	if (status != GPUCRYPT_OK)
		return status;
	status = page_open(&group->page, group->bytes, &group->keys, number, header->group_log2,
	        header->chunk_log2);
	salvage->page_good = status == GPUCRYPT_OK;
	if (status == GPUCRYPT_CORRUPT) {
		fail_clear();
		page_decode(&group->page, group->bytes);
		group->page.group = number;
		memset(group->page.holes, 0, sizeof group->page.holes);
		if (wrong == NULL) /* else the chunks tell */
			damaged(salvage, plaintext_offset(salvage, number), 0,
			        "a page is damaged: its chunks are judged by their tags alone");
		status = GPUCRYPT_OK;
	}
	set_length(salvage, group, number);
	return status;
}

/* Is the hole that an authentic page tells of one, or the tag right?  Tags are those of the payload
 * as read. */
static bool chunk_good(const struct group *group, unsigned chunk, const uint8_t *bytes, size_t n)
{
	if (page_hole(&group->page, chunk))
		return all_zero(bytes, n);
	return CRYPTO_memcmp(group->tags[chunk], group->page.tags[chunk], TAG_BYTES) == 0;
}

/* Judge every chunk and decrypt the good ones; the others become zeros. */
static int decrypt_chunks(struct salvage *salvage, struct group *group, uint64_t number,
        const char *const unread[MAX_CHUNKS])
{
	unsigned chunk_log2 = salvage->header.header.chunk_log2;
	int status = group_tags(group, false, chunk_log2);

	for (unsigned i = 0; i < group_chunks(group, chunk_log2) && status == GPUCRYPT_OK; i++) {
		size_t start = (size_t)i << chunk_log2, n = group_chunk_bytes(group, i, chunk_log2),
		       end = start + n < group->page.n_bytes ? start + n : group->page.n_bytes;
		uint8_t *bytes = group->payload + start;
		bool hole = page_hole(&group->page, i);

		if (unread[i] == NULL && chunk_good(group, i, bytes, n)) {
			if (!hole)
				status = group_crypt(&salvage->recheck, 0, group, start, n, 0);
			salvage->result->good_bytes += end - start;
			continue;
		}
		memset(bytes, 0, n);
		damaged(salvage, plaintext_offset(salvage, number) + start, end - start,
		        unread[i]            ? unread[i]
		        : salvage->page_good ? "a chunk is damaged"
		                             : "a chunk or its tag is damaged");
	}
	return status;
}

/* The group's plaintext, as far as there is one, and zeros. */
static int salvage_group(struct salvage *salvage, struct group *group, uint64_t number)
{
	const struct header *header = &salvage->header.header;
	const char *unread[MAX_CHUNKS] = { NULL };
	int status = read_page(salvage, group, number);

	if (status != GPUCRYPT_OK)
		return status;
	for (unsigned i = 0; i < group_chunks(group, header->chunk_log2); i++) {
		size_t start = (size_t)i << header->chunk_log2;

		unread[i] = read_piece(salvage, group->payload + start,
		        group_chunk_bytes(group, i, header->chunk_log2),
		        group_offset(header, number) + PAGE_BYTES + start);
	}
	status = decrypt_chunks(salvage, group, number, unread);
	if (status == GPUCRYPT_OK && !all_zero(group->payload + group->page.n_bytes,
	                                     group->stored - group->page.n_bytes))
		damaged(salvage, plaintext_offset(salvage, number) + group->page.n_bytes, 0,
		        "the filler is not zero");
	if (status == GPUCRYPT_OK && group->page.n_bytes > 0)
		status = salvage->sink->write(salvage->sink, group->payload, group->page.n_bytes,
		        plaintext_offset(salvage, number));
	salvage->result->plaintext_bytes += group->page.n_bytes;
	return status;
}

/* A page may be authentic and not fit its place: containers of one key and several lengths do not
 * exist, but writers may be wrong. */
static int check_last(struct salvage *salvage, const struct group *group, uint64_t number)
{
	bool last = number + 1 == salvage->n_groups, final = (group->page.flags & PAGE_FINAL) != 0;
	uint64_t end = plaintext_offset(salvage, number) + group->page.n_bytes,
	         stored = group_offset(&salvage->header.header, number) + PAGE_BYTES + group->stored;
	uint8_t root[MAC_BYTES];
	int status;

	if (salvage->page_good && final != last)
		damaged(salvage, end, 0,
		        last ? "the final page is missing" : "a final page stands before the end");
	if (!last)
		return running_hmac_add(&salvage->root, group->bytes + PAGE_MAC, MAC_BYTES);
	status = running_hmac_finish(&salvage->root, root);
	if (status == GPUCRYPT_OK && !salvage->page_good)
		damaged(salvage, end, 0,
		        "without its final page, order and age of groups are not proved");
	else if (status == GPUCRYPT_OK && final &&
	         CRYPTO_memcmp(root, group->page.root, sizeof root) != 0)
		damaged(salvage, end, 0,
		        "the root is wrong: pages are damaged or of another version");
	if (status == GPUCRYPT_OK && !salvage->source->block_device &&
	        salvage->source->size_bytes > stored)
		damaged(salvage, end, 0, "there are more bytes after the end");
	wipe(root, sizeof root);
	return status;
}

static int salvage_groups(struct salvage *salvage, const struct gpucrypt_progress *progress)
{
	const struct header *header = &salvage->header.header;
	struct group *group = &salvage->groups.group[0];
	int status = groups_take(&salvage->groups, 0);

	ring_use(&salvage->groups.ring, 0, SIZE_MAX);
	for (uint64_t number = 0; status == GPUCRYPT_OK && number < salvage->n_groups; number++) {
		status = salvage_group(salvage, group, number);
		if (status == GPUCRYPT_OK)
			status = check_last(salvage, group, number);
		if (status == GPUCRYPT_OK && progress != NULL)
			progress->report(progress->self,
			        group_offset(header, number) + PAGE_BYTES + group->stored,
			        salvage->source->size_bytes);
	}
	flush(salvage);
	return status;
}

/* How many groups there were, or at least are. */
static uint64_t count_groups(const struct salvage *salvage)
{
	const struct header *header = &salvage->header.header;
	uint64_t bytes = salvage->source->size_bytes, n;

	if (salvage->length_known)
		n = header->plaintext_bytes == 0
		            ? 1
		            : ((header->plaintext_bytes - 1) >> header->group_log2) + 1;
	else
		n = bytes <= PAGES_START
		            ? 1
		            : (bytes - PAGES_START - 1) / (group_offset(header, 1) - PAGES_START) +
		                      1;
	return n;
}

static int open_salvage(
        struct salvage *salvage, const struct gpucrypt_plan *plan, struct report *report)
{
	const struct header *header = &salvage->header.header;
	int status;

	salvage->suite = header_suite(&salvage->header, DECRYPT);
	salvage->length_known = header->plaintext_bytes != LENGTH_UNKNOWN;
	salvage->n_groups = count_groups(salvage);
	status = engine_open(&salvage->engine, &salvage->suite, plan);
	if (status != GPUCRYPT_OK)
		return status;
	report_engine(report, salvage->engine);
	status = recheck_open(
	        &salvage->recheck, salvage->engine, plan, header->group_log2, header->chunk_log2);
	if (status == GPUCRYPT_OK)
		status = groups_open(&salvage->groups, salvage->engine, 1, header, 1, 0);
	if (status == GPUCRYPT_OK)
		status = running_hmac_start(&salvage->root, salvage->keys.root);
	return status;
}

int container_salvage(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress,
        struct report *report, struct salvaged *salvaged,
        void (*visit)(void *self, const struct damage *damage), void *self)
{
	struct salvage salvage = {
		.source = source, .sink = sink, .result = salvaged, .visit = visit, .self = self
	};
	int status;

	*report = (struct report){ 0 };
	*salvaged = (struct salvaged){ 0 };
	if (source->size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: salvage needs a file, not a pipe", source->name);
	status = container_unlock(source, &salvage.header, &salvage.keys, secret);
	snprintf(report->header_note, sizeof report->header_note, "%s",
	        status == GPUCRYPT_OK ? salvage.header.copies.note : "");
	if (status == GPUCRYPT_OK)
		status = detached_source_lay(source, &salvage.header.header);
	if (status == GPUCRYPT_OK)
		status = open_salvage(&salvage, plan, report);
	if (status == GPUCRYPT_OK)
		status = salvage_groups(&salvage, progress);
	report->plaintext_bytes = salvaged->plaintext_bytes;
	running_hmac_free(&salvage.root);
	groups_close(&salvage.groups);
	recheck_close(&salvage.recheck);
	engine_close(salvage.engine);
	wipe(&salvage, sizeof salvage);
	return status;
}
