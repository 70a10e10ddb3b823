/* Read → authenticate → decrypt → write (gcrypt(5), "Reading" 2).  Nothing reaches the sink before its group is
 * authenticated. */
#include "gpucrypt/container/group.h"

#include <inttypes.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

/* Reading. */

/* Read only the page if the payload is read by pieces later, or is a hole of the container's file.  The last group is
 * read as a whole, to find data after the container's end. */
static int read_page_first(struct group_reader *reader, struct group *group, uint64_t item)
{
	uint64_t offset = reader_page_offset(reader, item), whole = UINT64_C(1) << group->group_log2;
	bool more = offset + PAGE_BYTES + whole < reader->source->size_bytes;

	group->hollow = more && reader->source_has_holes && source_hole(reader->source, offset + PAGE_BYTES, whole);
	group->unread = more && (group->hollow || reader->by_pieces);
	if (!group->unread)
		return GPUCRYPT_OK;
	group->n_read = PAGE_BYTES + whole;
	group->last = false;
	return source_read_at(reader->source, group->bytes, PAGE_BYTES, offset);
}

/* The payload has n plaintext bytes; of these, which are wanted, and the chunks around them? */
static void set_extent(const struct group_reader *reader, struct group *group, uint64_t item, uint64_t n_bytes)
{
	uint64_t start = item << group->group_log2, chunk = UINT64_C(1) << group->chunk_log2, end;

	group_set_length(group, n_bytes, reader->suite.mode->whole_blocks);
	if (!reader->partial)
		return;
	if (reader->from > start)
		group->start = (size_t)((reader->from - start) & ~(chunk - 1));
	end = (reader->to - start + chunk - 1) & ~(chunk - 1);
	if (end < group->stored)
		group->end = (size_t)end;
}

/* Read the bytes start … end - 1 of the payload. */
static int read_piece(struct group_reader *reader, struct group *group, uint64_t item)
{
	return source_read_at(reader->source, group->payload + group->start, group->end - group->start,
	        reader_page_offset(reader, item) + PAGE_BYTES + group->start);
}

static int read_part(struct group_reader *reader, struct group *group, unsigned slot, uint64_t item)
{
	uint64_t offset = reader_page_offset(reader, item);
	int status;

	set_extent(reader, group, item, layout_group_bytes(group->group_log2, reader->plaintext_bytes, item));
	group->n_read = PAGE_BYTES + group->stored;
	group->last = item + 1 == layout_groups(group->group_log2, reader->plaintext_bytes);
	ring_use(&reader->groups.ring, slot, PAGE_BYTES + group->end + BLOCK_BYTES);
	group->unread = true;
	status = source_read_at(reader->source, group->bytes, PAGE_BYTES, offset);
	if (status == GPUCRYPT_OK && !reader->by_pieces)
		status = read_piece(reader, group, item);
	return status == GPUCRYPT_OK && (item + 1) << group->group_log2 >= reader->to ? PIPELINE_LAST : status;
}

static int read_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	int status = groups_take_slot(&reader->groups, slot);

	(void)worker;
	if (status == GPUCRYPT_OK && reader->partial)
		return read_part(reader, group, slot, item);
	if (status == GPUCRYPT_OK)
		status = read_page_first(reader, group, item);
	if (status == GPUCRYPT_OK && !group->unread)
		status = lookahead_read(&reader->input, reader_page_offset(reader, item) - PAGES_START, group->bytes,
		        PAGE_BYTES + ((size_t)1 << group->group_log2), &group->n_read, &group->last);
	if (status != GPUCRYPT_OK)
		return status;
	ring_use(&reader->groups.ring, slot, group->hollow ? PAGE_BYTES : group->n_read + BLOCK_BYTES);
	return !group->unread && group->last ? PIPELINE_LAST : GPUCRYPT_OK;
}

/* Authenticating. */

/* The page, and whether as many bytes follow as it says.  A block device may be larger than the container on it: its
 * end says nothing. */
static int check_page(struct group_reader *reader, struct group *group, uint64_t item)
{
	bool end_known = reader->partial || !reader->source->block_device, final;
	size_t n_payload;
	int status;

	if (group->n_read < PAGE_BYTES)
		return reader_corrupt(reader, item, group->n_read, "truncated");
	status = reader_open_page(reader, group, item);
	if (status != GPUCRYPT_OK)
		return status;
	n_payload = group->n_read - PAGE_BYTES;
	final = (group->page.flags & PAGE_FINAL) != 0;
	set_extent(reader, group, item, group->page.n_bytes);
	if (n_payload < group->stored || (end_known && group->last && !final))
		return reader_corrupt(reader, item, group->n_read, "truncated");
	if (end_known && (n_payload > group->stored || (final && !group->last)))
		return reader_corrupt(reader, item, PAGE_BYTES + group->stored, "more bytes after the end");
	return GPUCRYPT_OK;
}

/* Does the engine compute tags during decryption? */
static bool engine_tags(const struct group_reader *reader)
{
	return reader->sink != NULL && reader->groups.engine != NULL && reader->groups.engine->tags;
}

/* The payload may be a hole in the file, and the page have none: then the group is damaged, and its tags show it. */
static void fill_hollow(struct group_reader *reader, unsigned slot, struct group *group)
{
	struct extent first;

	if (!group->hollow || (group_next_extent(group, 0, &first) && first.hole && first.n_bytes == group->stored))
		return;
	ring_use(&reader->groups.ring, slot, PAGE_BYTES + group->stored + BLOCK_BYTES);
	memset(group->payload, 0, group->stored);
	group->hollow = false;
}

int reader_check_chunks(const struct group_reader *reader, struct group *group, uint64_t item)
{
	unsigned damaged = UINT_MAX;
	bool started = reader->by_pieces || engine_tags(reader);
	int status = group->hollow ? GPUCRYPT_OK : group_find_damage(group, started, &damaged);

	if (status != GPUCRYPT_OK || damaged == UINT_MAX)
		return status;
	return reader_corrupt(reader, item, PAGE_BYTES + ((size_t)damaged << group->chunk_log2), "a chunk is damaged");
}

static int decrypt_chunks(struct group_reader *reader, unsigned worker, struct group *group)
{
	return reader->recrypt != NULL ? reader->recrypt(reader, worker, group)
	                               : group_crypt_chunks(&reader->groups, worker, group, engine_tags(reader));
}

/* Read a piece of the payload and compute its tags without their masks; decrypt it if the engine computes tags. */
static int compute_piece(struct group_reader *reader, unsigned worker, struct group *group, uint64_t item)
{
	int status = group->unread && !group->hollow ? read_piece(reader, group, item) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK)
		return status;
	return engine_tags(reader) ? decrypt_chunks(reader, worker, group) : group_start_tags(group);
}

/* Read and process the payload by pieces, each of which fits into the second-level cache. */
static int compute_pieces(struct group_reader *reader, unsigned worker, struct group *group, uint64_t item)
{
	size_t start = group->start, end = group->end, piece = group_piece_bytes(group), at = start;
	int status;

	do {
		group->start = at;
		group->end = end - at < piece ? end : at + piece;
		status = compute_piece(reader, worker, group, item);
		at += piece;
	} while (at < end && status == GPUCRYPT_OK);
	group->start = start;
	group->end = end;
	return status;
}

int reader_check_padding(
        const struct group_reader *reader, const struct group *group, const uint8_t *padding, uint64_t item)
{
	size_t n = group->page.n_bytes;

	return all_zero(padding, group->stored - n)
	               ? GPUCRYPT_OK
	               : reader_corrupt(reader, item, PAGE_BYTES + n, "the padding is not zero");
}

static bool has_padding(const struct group *group)
{
	return !group->hollow && group->end == group->stored && group->stored > group->page.n_bytes;
}

/* Check a decrypted group: its padding, and its tags if the engine has computed them. */
static int check_decrypted(const struct group_reader *reader, struct group *group, uint64_t item)
{
	const uint8_t *padding = reader->recrypt != NULL ? group->padding : group->payload + group->page.n_bytes;
	int status = engine_tags(reader) ? reader_check_chunks(reader, group, item) : GPUCRYPT_OK;

	return status == GPUCRYPT_OK && has_padding(group) ? reader_check_padding(reader, group, padding, item)
	                                                   : status;
}

static int authenticate_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	int last = reader->by_pieces ? read_group(job, worker, slot, item) : GPUCRYPT_OK, status;

	if (last != GPUCRYPT_OK && last != PIPELINE_LAST)
		return last;
	status = check_page(reader, group, item);
	if (status != GPUCRYPT_OK)
		return status;
	fill_hollow(reader, slot, group);
	if (reader->by_pieces)
		status = compute_pieces(reader, worker, group, item);
	if (status == GPUCRYPT_OK && !engine_tags(reader))
		status = reader_check_chunks(reader, group, item);
	else if (status == GPUCRYPT_OK && reader->by_pieces)
		status = check_decrypted(reader, group, item);
	return status == GPUCRYPT_OK && (group->page.flags & PAGE_FINAL) != 0 ? PIPELINE_LAST : status ?: last;
}

/* Decrypting. */

/* When only authenticating, only the data unit with padding is decrypted. */
static int decrypt_padding(struct group_reader *reader, unsigned worker, struct group *group)
{
	size_t from = (group->stored - 1) >> DATA_UNIT_LOG2 << DATA_UNIT_LOG2;
	bool hole = page_hole(&group->page, (unsigned)(from >> group->chunk_log2));

	return hole ? GPUCRYPT_OK : group_crypt(&reader->groups, worker, group, from, group->stored - from, false);
}

/* An engine with tags computes the tags of the ciphertext before decryption. */
static int decrypt_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	int status = GPUCRYPT_OK;

	if (reader->groups.engine == NULL)
		return GPUCRYPT_OK;
	if (reader->sink != NULL)
		status = decrypt_chunks(reader, worker, group);
	else if (has_padding(group))
		status = decrypt_padding(reader, worker, group);
	return status ?: check_decrypted(reader, group, item);
}

/* In order: root, output and progress. */

/* Root and length can only be checked at the end, before the last group is released. */
static int check_end(struct group_reader *reader, const struct group *group, uint64_t item)
{
	const struct header *header = &reader->header.header;
	uint8_t root[MAC_BYTES];
	int status = running_hmac_finish(&reader->root, root);

	if (status == GPUCRYPT_OK && CRYPTO_memcmp(root, group->page.root, sizeof root) != 0)
		status = reader_corrupt(reader, item, 0, "the root is wrong: groups of another version");
	reader->plaintext_bytes = (item << header->group_log2) + group->page.n_bytes;
	if (status == GPUCRYPT_OK && header->plaintext_bytes != LENGTH_UNKNOWN &&
	        header->plaintext_bytes != reader->plaintext_bytes)
		status = reader_corrupt(reader, item, 0, "the length is not that in the header");
	reader->ended = status == GPUCRYPT_OK;
	memcpy(reader->final_mac, group->bytes + PAGE_MAC, MAC_BYTES);
	wipe(root, sizeof root);
	return status;
}

/* Of a part: the digest of its pages. */
static int add_page(struct group_reader *reader, const struct group *group, uint64_t item)
{
	int status = running_hmac_add(&reader->root, group->bytes + PAGE_MAC, MAC_BYTES);

	return status == GPUCRYPT_OK && (item + 1) << group->group_log2 >= reader->to
	               ? running_hmac_finish(&reader->root, reader->digest)
	               : status;
}

int reader_check_root_page(struct group_reader *reader, const struct group *group, uint64_t item)
{
	if (reader->partial)
		return add_page(reader, group, item);
	if ((group->page.flags & PAGE_FINAL) != 0)
		return check_end(reader, group, item);
	return running_hmac_add(&reader->root, group->bytes + PAGE_MAC, MAC_BYTES);
}

int reader_check_root(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_reader *reader = job;
	const struct group *group = &reader->groups.group[slot];

	(void)worker;
	return reader_check_root_page(reader, group, item);
}

static int write_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_reader *reader = job;
	const struct group *group = &reader->groups.group[slot];
	uint64_t start = item << group->group_log2, n_bytes = group->page.n_bytes,
	         from = reader->from > start ? reader->from - start : 0,
	         to = reader->to - start < n_bytes ? reader->to - start : n_bytes;
	bool ends = (group->page.flags & PAGE_FINAL) != 0 || start + to == reader->to;

	(void)worker;
	return n_bytes == 0 ? GPUCRYPT_OK
	                    : group_write(reader->sink, group, from, to, start + from - reader->origin, ends);
}

static int report_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_reader *reader = job;
	const struct group *group = &reader->groups.group[slot];
	uint64_t done = reader_page_offset(reader, item) + PAGE_BYTES + group->stored,
	         total = reader->source->size_bytes;

	(void)worker;
	if (reader->partial) {
		uint64_t end = (item + 1) << group->group_log2;

		done = (end < reader->to ? end : reader->to) - reader->from;
		total = reader->to - reader->from;
	}
	return report_progress(reader->progress, done, total);
}

/* Stages together. */

/* Which threads do the steps read, tag and engine of a group.  A thread that does two steps in sequence finds the group
 * in its cache. */
enum division { STEPS_APART, READER_AUTHENTICATES, READER_DECRYPTS };
static stage_run *const divisions[][3] = {
	[STEPS_APART] = { read_group, authenticate_group, decrypt_group },
	[READER_AUTHENTICATES] = { authenticate_group, NULL, decrypt_group },
	[READER_DECRYPTS] = { NULL, NULL, authenticate_group },
};

/* On the CPU no core waits for another.  Threads that wait for a slow source do nothing else, and neither does the one
 * thread that reads a source in order. */
static enum division choose_division(const struct group_reader *reader, bool slow)
{
	if (slow || !(reader->partial || reader->input.by_position))
		return STEPS_APART;
	if (reader->sink != NULL && engine_on_cpu(reader->groups.engine))
		return READER_DECRYPTS;
	return engine_tags(reader) ? STEPS_APART : READER_AUTHENTICATES;
}

int reader_stages(struct group_reader *reader, const struct gpucrypt_plan *plan, struct stage stages[READER_STAGES],
        unsigned *slots)
{
	const struct engine *engine = reader->groups.engine;
	unsigned readers, taggers = tag_workers(plan, engine_tags(reader)), lanes = engine != NULL ? engine->lanes : 1;
	bool slow;
	int status = reader_threads(reader, plan, &readers, &slow);
	enum division by = choose_division(reader, slow);

	reader->by_pieces = by != STEPS_APART;
	stages[0] = (struct stage){ "read", divisions[by][0], reader->by_pieces ? taggers : readers };
	stages[1] = (struct stage){ "tag", divisions[by][1], taggers };
	stages[2] = (struct stage){ "engine", engine != NULL ? divisions[by][2] : NULL, lanes };
	/* A second group for each lane, so that a slow lane does not delay the others. */
	*slots = (by == READER_DECRYPTS ? lanes : readers) + lanes + taggers + 1;
	return status;
}

int reader_run(struct group_reader *reader, const struct gpucrypt_plan *plan, uint64_t first, struct report *report)
{
	const struct header *header = &reader->header.header;
	struct stage stages[READER_STAGES + 3] = {
		[READER_STAGES] = { "check", reader_check_root, 1 },
		{ "write", reader->sink != NULL ? write_group : NULL, 1 },
		{ "report", report_group, 1 },
	};
	unsigned slots;
	int status = reader_stages(reader, plan, stages, &slots);
	uint64_t n_bytes = reader->partial ? reader->to - (first << header->group_log2) : reader->source->size_bytes;
	struct items items = { .first = first,
		.alone = layout_groups_in(header->group_log2, reader->source->size_bytes) <= 1 };

	if (!reader->partial && reader->input.by_position)
		reader->groups.most_bytes = n_bytes;
	running_hmac_free(&reader->root);
	status = status ?: running_hmac_start(&reader->root, reader->keys.root);
	if (status == GPUCRYPT_OK && reader->groups.group == NULL)
		status = groups_prepare(&reader->groups, slots, header, n_bytes, plan);
	if (status == GPUCRYPT_OK)
		status = pipeline_run(
		        reader, stages, sizeof stages / sizeof *stages, reader->groups.ring.n_slots, &items);
	report_items(report, &items);
	if (reader->ended)
		report_digest(report, reader->final_mac);
	return status;
}
