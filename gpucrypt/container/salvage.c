/* Salvage: group by group, chunk by chunk, whatever tags prove (gcrypt(5), "Salvage").  A tag
 * counts only under a metadata page whose MAC holds: Poly1305 does not commit to its key, and one
 * payload can have one tag under two file keys. */
#include "gpucrypt/container/salvage.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/detached.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/status.h"

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
	uint64_t n_groups;        /* that are there, at least in part */
	uint64_t end_bytes;       /* of the plaintext: the output ends here */
	size_t n_bytes;           /* of the group at hand: those that are written */
	bool page_good;           /* of the group at hand */
	const char *page_damage;  /* what is wrong with its metadata page; NULL: nothing */
	char ending[80];          /* the reason that bytes after end_bytes are missing */
	struct salvaged *result;  /* not owned */
	struct damage pending;    /* what follows may belong to the same damage */
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
	*pending = (struct damage){ .offset = offset, .n_bytes = n_bytes, .reason = reason };
}

/* Read at a position; what is wrong, or NULL.  A medium may fail here and be well elsewhere. */
static const char *read_piece(const struct salvage *salvage, uint8_t *bytes, size_t n_bytes, uint64_t offset)
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

/* Bytes behind the header copies in the inline layout.  Of a detached container the image decides:
 * without payload a metadata page proves nothing. */
static uint64_t group_area_bytes(const struct salvage *salvage)
{
	const struct header *header = &salvage->header.header;
	uint64_t size = salvage->source->size_bytes, whole = UINT64_C(1) << header->group_log2;

	if (header->layout == LAYOUT_DETACHED) {
		size = ((const struct detached_source *)salvage->source)->image->size_bytes;
		return size + ((size + whole - 1) >> header->group_log2) * PAGE_BYTES;
	}
	return size > PAGES_START ? size - PAGES_START : 0;
}

/* The output ends where the plaintext ends, or where the payload does if that is before: a claim of
 * more bytes than there are must cost neither time nor storage. */
static void limit_output(struct salvage *salvage, uint64_t length)
{
	unsigned group_log2 = salvage->header.header.group_log2;
	uint64_t stride = PAGE_BYTES + (UINT64_C(1) << group_log2), area = group_area_bytes(salvage),
	         rest = area % stride,
	         there = (area / stride << group_log2) + (rest > PAGE_BYTES ? rest - PAGE_BYTES : 0),
	         n_there = area > 0 ? (area - 1) / stride + 1 : 1,
	         n_claimed = length > 0 ? ((length - 1) >> group_log2) + 1 : 1;

	salvage->end_bytes = length < there ? length : there;
	salvage->n_groups = n_claimed < n_there ? n_claimed : n_there;
	if (length != LENGTH_UNKNOWN)
		salvage->result->missing_bytes = length - salvage->end_bytes;
}

/* An authentic final page proves the length that the header does not know. */
static void set_length(struct salvage *salvage, struct group *group, uint64_t number)
{
	const struct header *header = &salvage->header.header;
	uint64_t start = plaintext_offset(salvage, number), whole = UINT64_C(1) << header->group_log2, left;

	if (header->plaintext_bytes == LENGTH_UNKNOWN && (group->page.flags & PAGE_FINAL) != 0)
		limit_output(salvage, start + group->page.n_bytes);
	left = salvage->end_bytes - start;
	salvage->n_bytes = left < whole ? left : whole;
	group->stored = payload_bytes(salvage->n_bytes, salvage->suite.mode->whole_blocks);
}

/* Of a metadata page that is not authentic nothing is used. */
static int read_page(struct salvage *salvage, struct group *group, uint64_t number)
{
	const struct header *header = &salvage->header.header;
	const char *unread = read_piece(salvage, group->bytes, PAGE_BYTES, group_offset(header, number));
	int status = group_open_page(group, salvage->source, header, &salvage->keys, number);

	salvage->page_good = status == GPUCRYPT_OK;
	salvage->page_damage = NULL;
	if (status == GPUCRYPT_CORRUPT) {
		fail_clear();
		salvage->page_damage = unread != NULL ? unread : "the group's metadata page is damaged";
		group->page = (struct page){ .group = number };
		status = GPUCRYPT_OK;
	}
	set_length(salvage, group, number);
	return status;
}

/* A file key that has neither both header copies nor page 0, which is at one place whatever the
 * header says, may not be the only one that opens something here. */
static void check_only_key(struct salvage *salvage)
{
	const struct authenticated_header *state = &salvage->header;

	if (!salvage->page_good && !(state->copies.good[0] && state->copies.good[1]))
		damaged(salvage, 0, 0,
		        "metadata page 0 and a header copy are damaged: another secret may open other "
		        "bytes");
}

/* Under an authentic metadata page: is the hole one, or the tag right?  group->tags are those of
 * the payload as read. */
static bool chunk_good(const struct group *group, unsigned chunk, const uint8_t *bytes, size_t n)
{
	if (page_hole(&group->page, chunk))
		return all_zero(bytes, n);
	return CRYPTO_memcmp(group->tags[chunk], group->page.tags[chunk], TAG_BYTES) == 0;
}

/* Judge every chunk and decrypt the good ones; the others become zeros. */
static int decrypt_chunks(
        struct salvage *salvage, struct group *group, uint64_t number, const char *const unread[MAX_CHUNKS])
{
	unsigned chunk_log2 = salvage->header.header.chunk_log2;
	int status = group_tags(group, false, chunk_log2);

	for (unsigned i = 0; i < group_chunks(group, chunk_log2) && status == GPUCRYPT_OK; i++) {
		size_t start = (size_t)i << chunk_log2, n = group_chunk_bytes(group, i, chunk_log2),
		       end = start + n < salvage->n_bytes ? start + n : salvage->n_bytes;
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
		        unread[i] != NULL ? unread[i] : "a chunk is damaged");
	}
	return status;
}

static int read_chunks(struct salvage *salvage, struct group *group, uint64_t number)
{
	const struct header *header = &salvage->header.header;
	const char *unread[MAX_CHUNKS] = { NULL };

	for (unsigned i = 0; i < group_chunks(group, header->chunk_log2); i++) {
		size_t start = (size_t)i << header->chunk_log2;

		unread[i] = read_piece(salvage, group->payload + start, group_chunk_bytes(group, i, header->chunk_log2),
		        group_offset(header, number) + PAGE_BYTES + start);
	}
	return decrypt_chunks(salvage, group, number, unread);
}

/* The group's plaintext as far as it is proved, and zeros. */
static int salvage_group(struct salvage *salvage, struct group *group, uint64_t number)
{
	uint64_t start = plaintext_offset(salvage, number);
	int status = read_page(salvage, group, number);
	size_t n = salvage->n_bytes;

	if (status == GPUCRYPT_OK && number == 0)
		check_only_key(salvage);
	if (status == GPUCRYPT_OK && salvage->page_good)
		status = read_chunks(salvage, group, number);
	else if (status == GPUCRYPT_OK) {
		memset(group->payload, 0, group->stored);
		if (n > 0)
			damaged(salvage, start, n, salvage->page_damage);
	}
	if (status == GPUCRYPT_OK && !all_zero(group->payload + n, group->stored - n))
		damaged(salvage, start + n, 0, "the padding is not zero");
	if (status == GPUCRYPT_OK && n > 0)
		status = salvage->sink->write(salvage->sink, group->payload, n, start);
	salvage->result->plaintext_bytes += n;
	return status;
}

static void check_final(struct salvage *salvage, const struct page *page, const uint8_t root[MAC_BYTES])
{
	uint64_t start = plaintext_offset(salvage, page->group), length = salvage->header.header.plaintext_bytes;

	if (CRYPTO_memcmp(root, page->root, MAC_BYTES) != 0)
		damaged(salvage, start + salvage->n_bytes, 0,
		        "the root is wrong: pages are damaged or of another version");
	if (length != LENGTH_UNKNOWN && length != start + page->n_bytes)
		damaged(salvage, start + salvage->n_bytes, 0, "the length is not that in the header");
}

/* A page may be authentic and not fit its place: containers of one key and several lengths do not
 * exist, but writers may be wrong. */
static int check_last(struct salvage *salvage, const struct group *group, uint64_t number)
{
	bool last = number + 1 == salvage->n_groups, final = (group->page.flags & PAGE_FINAL) != 0;
	uint64_t end = plaintext_offset(salvage, number) + salvage->n_bytes,
	         stored = group_offset(&salvage->header.header, number) + PAGE_BYTES + group->stored;
	uint8_t root[MAC_BYTES];
	int status;

	if (salvage->page_good && final != last)
		damaged(salvage, end, 0, last ? "the final page is missing" : "a final page stands before the end");
	if (!last)
		return running_hmac_add(&salvage->root, group->bytes + PAGE_MAC, MAC_BYTES);
	status = running_hmac_finish(&salvage->root, root);
	if (status == GPUCRYPT_OK && !salvage->page_good)
		damaged(salvage, end, 0, "without its final page, order and age of groups are not proved");
	else if (status == GPUCRYPT_OK && final)
		check_final(salvage, &group->page, root);
	if (status == GPUCRYPT_OK && !salvage->source->block_device && salvage->result->missing_bytes == 0 &&
	        salvage->source->size_bytes > stored)
		damaged(salvage, end, 0, "there are more bytes after the end");
	wipe(root, sizeof root);
	return status;
}

/* What was never there is not in the output. */
static void report_missing(struct salvage *salvage)
{
	uint64_t missing = salvage->result->missing_bytes;

	if (missing == 0)
		return;
	snprintf(salvage->ending, sizeof salvage->ending, "the container ends here: %" PRIu64 " bytes are missing",
	        missing);
	damaged(salvage, salvage->end_bytes, missing, salvage->ending);
	salvage->pending.after_end = true;
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
			progress->report(progress->self, group_offset(header, number) + PAGE_BYTES + group->stored,
			        salvage->source->size_bytes);
	}
	if (status == GPUCRYPT_OK)
		report_missing(salvage);
	flush(salvage);
	return status;
}

static int open_salvage(struct salvage *salvage, const struct gpucrypt_plan *plan, struct report *report)
{
	const struct header *header = &salvage->header.header;
	int status;

	salvage->suite = header_suite(&salvage->header, DECRYPT);
	limit_output(salvage, header->plaintext_bytes);
	status = engine_open(&salvage->engine, &salvage->suite, plan);
	if (status != GPUCRYPT_OK)
		return status;
	report_engine(report, salvage->engine);
	status = recheck_open(&salvage->recheck, salvage->engine, plan, header->group_log2, header->chunk_log2);
	if (status == GPUCRYPT_OK)
		status = groups_open(&salvage->groups, salvage->engine, 1, header, 1, 0);
	if (status == GPUCRYPT_OK)
		status = running_hmac_start(&salvage->root, salvage->keys.root);
	return status;
}

int container_salvage(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report,
        struct salvaged *salvaged, void (*visit)(void *self, const struct damage *damage), void *self)
{
	struct salvage salvage = { .source = source, .sink = sink, .result = salvaged, .visit = visit, .self = self };
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
