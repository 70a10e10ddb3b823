/* Read → encrypt → tag → seal → write (gcrypt(5)). */
#include "gpucrypt/container/group.h"

#include <limits.h>
#include <string.h>

#include "gpucrypt/container/update.h"
#include "gpucrypt/status.h"

/* Groups that an earlier run wrote. */

void writer_place_group(const struct group_writer *writer, struct group *group, uint64_t number)
{
	const struct header *header = &writer->header;
	size_t n = layout_group_bytes(header->group_log2, header->plaintext_bytes, number);

	group_set_length(group, n, writer->suite.mode->whole_blocks);
	group->page = (struct page){ .group = number, .n_bytes = n };
	group->last = number + 1 == layout_groups(header->group_log2, header->plaintext_bytes);
	group->page.flags = group->last ? PAGE_FINAL : 0;
}

bool writer_page_good(const struct group_writer *writer, struct group *group, uint64_t number)
{
	uint64_t n_bytes = group->page.n_bytes;
	uint32_t flags = group->page.flags;
	int status = page_unlock(&group->page, &group->keys, group->bytes, &writer->keys, number, &writer->header);

	fail_clear();
	return status == GPUCRYPT_OK && group->page.n_bytes == n_bytes && group->page.flags == flags;
}

bool writer_payload_good(struct group *group)
{
	unsigned damaged;
	int status = group_find_damage(group, false, &damaged);

	fail_clear();
	return status == GPUCRYPT_OK && damaged == UINT_MAX;
}

/* Where nothing was written, only the page is read. */
static bool is_good(const struct group_writer *writer, struct group *group, uint64_t number, uint64_t offset)
{
	return source_read_at(writer->part, group->bytes, PAGE_BYTES, offset) == GPUCRYPT_OK &&
	       writer_page_good(writer, group, number) &&
	       source_read_at(writer->part, group->payload, group->stored, offset + PAGE_BYTES) == GPUCRYPT_OK &&
	       writer_payload_good(group);
}

/* A group of the part file that cannot be read or is damaged is encrypted again. */
static void keep_group(const struct group_writer *writer, struct group *group, uint64_t number)
{
	uint64_t offset = layout_page_offset(writer->header.group_log2, number);

	if (number >= layout_groups(writer->header.group_log2, writer->header.plaintext_bytes))
		return;
	writer_place_group(writer, group, number);
	if (writer->part->size_bytes < offset + PAGE_BYTES + group->stored)
		return;
	group->kept = is_good(writer, group, number, offset);
	fail_clear();
}

/* Stages. */

/* After the range's last item, or the input's. */
static int end_status(const struct group_writer *writer, const struct group *group, uint64_t item)
{
	return group->last || (writer->ranged && item + 1 == writer->end) ? PIPELINE_LAST : GPUCRYPT_OK;
}

/* Does the file system know that the group is nothing but zeros?  Not the last group: there the end of the file has to
 * be read. */
static bool is_hollow(const struct group_writer *writer, uint64_t item)
{
	unsigned group_log2 = writer->header.group_log2;

	return writer->source_has_holes && (item + 1) << group_log2 < writer->source->size_bytes &&
	       source_hole(writer->source, item << group_log2, UINT64_C(1) << group_log2);
}

static bool engine_tags(const struct group_writer *writer)
{
	return writer->groups.engine != NULL && writer->groups.engine->tags;
}

/* The salt is fresh each time that plaintext is read, so no key encrypts two plaintexts. */
static int make_keys(const struct group_writer *writer, struct group *group, uint64_t item)
{
	return random_bytes(group->page.salt, sizeof group->page.salt)
	               ?: group_keys_derive(&group->keys, &writer->keys, item, group->page.salt);
}

/* Read at most n bytes of the payload from `at` on, and mark their holes. */
static int read_piece(struct group_writer *writer, struct group *group, uint64_t item, size_t at, size_t n)
{
	uint8_t *bytes = group->payload + at;
	int status = GPUCRYPT_OK;

	if (!group->hollow)
		status = lookahead_read(&writer->input, (item << group->group_log2) + at, bytes, n, &n, &group->last);
	if (status != GPUCRYPT_OK)
		return status;
	group_set_length(group, at + n, writer->suite.mode->whole_blocks);
	group->start = at;
	group->page.n_bytes = at + n;
	memset(bytes + n, 0, group->stored - at - n);
	if (group->sparse && !group->old)
		group_find_holes(group);
	return GPUCRYPT_OK;
}

static int read_payload(struct group_writer *writer, unsigned worker, struct group *group, uint64_t item)
{
	bool encrypts = writer->by_pieces;
	size_t whole = (size_t)1 << group->group_log2,
	       piece = encrypts && !group->hollow ? group_piece_bytes(group) : whole;
	int status = encrypts && !group->old ? make_keys(writer, group, item) : GPUCRYPT_OK;

	for (size_t at = 0; status == GPUCRYPT_OK && at < whole && !group->last; at += piece)
		status = read_piece(writer, group, item, at, piece)
		                 ?: (encrypts ? group_crypt_chunks(&writer->groups, worker, group, engine_tags(writer))
		                              : GPUCRYPT_OK);
	group->start = 0;
	group->page.flags |= group->last ? PAGE_FINAL : 0;
	return status;
}

/* Encrypt a group that is in memory.  Not for groups that were encrypted while they were read (by_pieces). */
static int encrypt_group(struct group_writer *writer, unsigned worker, struct group *group, uint64_t item)
{
	int status = group->old ? GPUCRYPT_OK : make_keys(writer, group, item);

	if (status == GPUCRYPT_OK && writer->groups.engine != NULL)
		status = group_crypt_chunks(&writer->groups, worker, group, engine_tags(writer));
	return status;
}

/* Load the content of a group.  While a group is compared, it has the page and the holes of the old group. */
static int load_group(struct group_writer *writer, unsigned worker, struct group *group, uint64_t item)
{
	group->last = false;
	group->hollow = !group->old && is_hollow(writer, item);
	if (!group->old)
		group->page = (struct page){ .group = item };
	return read_payload(writer, worker, group, item);
}

/* The new content was encrypted under the keys of the old group.  If its tags are those of the old page, the group has
 * not changed, and its bytes are those of the old group.  Otherwise the group is read again, for a fresh salt. */
static int compare_group(struct group_writer *writer, unsigned worker, struct group *group, uint64_t item)
{
	unsigned changed;
	int status = group_find_damage(group, engine_tags(writer), &changed);

	group->old = false;
	group->kept = changed == UINT_MAX;
	if (status != GPUCRYPT_OK || group->kept)
		return status;
	return load_group(writer, worker, group, item)
	               ?: (writer->by_pieces ? GPUCRYPT_OK : encrypt_group(writer, worker, group, item));
}

/* Find the group among those that an earlier run wrote, or in the container that is updated. */
static int find_group(struct group_writer *writer, struct group *group, uint64_t item)
{
	int status = GPUCRYPT_OK;

	group->kept = group->old = false;
	if (writer->old == NULL && writer->part != NULL)
		keep_group(writer, group, item);
	if (writer->old != NULL)
		status = old_group_load(writer->old, group, item);
	group->sparse = writer->sparse || (group->old && group_has_holes(group));
	return status;
}

static int read_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	int status = groups_take_slot(&writer->groups, slot) ?: find_group(writer, group, item);

	if (status == GPUCRYPT_OK && group->kept)
		return end_status(writer, group, item);
	status = status ?: load_group(writer, worker, group, item);
	if (status == GPUCRYPT_OK && writer->by_pieces && group->old)
		status = compare_group(writer, worker, group, item);
	/* After a failure it is not known how many bytes were read: the whole slot counts as used. */
	ring_use(&writer->groups.ring, slot,
	        status != GPUCRYPT_OK ? SIZE_MAX : PAGE_BYTES + (group->hollow ? 0 : group->stored) + BLOCK_BYTES);
	return status ?: end_status(writer, group, item);
}

int writer_encrypt(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	int status = group->kept ? GPUCRYPT_OK : encrypt_group(writer, worker, group, item);

	return status == GPUCRYPT_OK && group->old ? compare_group(writer, worker, group, item) : status;
}

int writer_tag(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	int status;

	(void)worker;
	(void)item;
	if (group->kept)
		return GPUCRYPT_OK;
	status = group_tags(group, engine_tags(writer));
	memcpy(group->page.tags, group->tags, layout_chunks(group->chunk_log2, group->stored) * TAG_BYTES);
	return status;
}

/* In order: the final page holds the root, a MAC over the MACs of all earlier pages. A kept page stays as it was, with
 * its salt, because ciphertext and tags are the same; only a changed root changes it. */
int writer_seal(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	bool rooted = group->last && !writer->ranged;
	int status = writer->old != NULL ? old_group_check_root(writer->old, group, item) : GPUCRYPT_OK;

	(void)worker;
	memset(group->page.root, 0, sizeof group->page.root);
	if (status == GPUCRYPT_OK && rooted)
		status = running_hmac_finish(&writer->root, group->page.root);
	page_encode(group->bytes, &group->page);
	if (status == GPUCRYPT_OK)
		status = page_seal(group->bytes, &group->keys);
	if (status == GPUCRYPT_OK && !rooted)
		status = running_hmac_add(&writer->root, group->bytes + PAGE_MAC, MAC_BYTES);
	if (rooted)
		memcpy(writer->final_mac, group->bytes + PAGE_MAC, MAC_BYTES);
	if (status == GPUCRYPT_OK && writer->ranged && item + 1 == writer->end)
		status = running_hmac_finish(&writer->root, writer->digest);
	return status;
}

int writer_write(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_writer *writer = job;
	struct group *group = &writer->groups.group[slot];

	(void)worker;
	if (group->kept && writer->old != NULL)
		return old_group_keep(writer->old, writer->sink, group, item);
	if (group->kept && !group->last)
		return GPUCRYPT_OK;
	return group_write_whole(writer->sink, group, layout_page_offset(writer->header.group_log2, item));
}

int writer_report(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct group_writer *writer = job;
	const struct group *group = &writer->groups.group[slot];
	uint64_t done = ((item - writer->first) << writer->header.group_log2) + group->page.n_bytes;
	struct extent extent;

	(void)worker;
	if (group->kept) {
		writer->kept_bytes += group->page.n_bytes;
		writer->n_unread += group->unread;
	} else {
		writer->n_written++;
		writer->written_bytes += PAGE_BYTES;
		for (size_t at = 0; group_next_extent(group, at, &extent); at += extent.n_bytes)
			writer->written_bytes += extent.hole ? 0 : extent.n_bytes;
	}
	return report_progress(writer->progress, done, writer_bytes(writer));
}

/* All stages. */

int writer_run(struct group_writer *writer, const struct gpucrypt_plan *plan, struct report *report)
{
	struct engine *engine = writer->groups.engine;
	size_t group_bytes = (size_t)1 << writer->header.group_log2;
	unsigned readers =
	                 lookahead_readers(&writer->input, 0, read_threads(plan, engine_devices(engine), group_bytes)),
	         taggers = tag_workers(plan, engine_tags(writer)), lanes = engine != NULL ? engine->lanes : 1;
	/* On the CPU no core waits for another.  A second group for each lane, so that a slow lane does not delay the
	 * others. */
	bool by_pieces = writer->input.by_pieces && engine_on_cpu(engine);
	unsigned workers = (by_pieces ? lanes : readers) + lanes + taggers;
	const struct stage stages[] = {
		{ "read", by_pieces ? NULL : read_group, readers },
		{ "engine", by_pieces ? read_group : writer_encrypt, lanes },
		{ "tag", writer_tag, taggers },
		{ "seal", writer_seal, 1 },
		{ "write", writer->sink != NULL ? writer_write : NULL, 1 },
		{ "report", writer_report, 1 },
	};
	struct items all = { .first = writer->first, .alone = writer_bytes(writer) <= group_bytes };
	int status;

	running_hmac_free(&writer->root);
	status = running_hmac_start(&writer->root, writer->keys.root);
	writer->by_pieces = by_pieces;
	writer->source_has_holes = writer->sparse && writer->input.by_position && writer->source->has_holes;
	if (writer->input.by_position && writer->old == NULL)
		writer->groups.most_bytes = writer_bytes(writer);
	if (status == GPUCRYPT_OK && writer->groups.group == NULL)
		status = groups_prepare(&writer->groups, workers, &writer->header, writer_bytes(writer), plan);
	if (status == GPUCRYPT_OK)
		status =
		        pipeline_run(writer, stages, sizeof stages / sizeof *stages, writer->groups.ring.n_slots, &all);
	report_items(report, &all);
	report->kept_bytes = writer->kept_bytes;
	report->n_written = writer->n_written;
	report->n_unread = writer->n_unread;
	report->written_bytes = writer->written_bytes;
	if (status == GPUCRYPT_OK && !writer->ranged)
		report_digest(report, writer->final_mac);
	return status ?: lookahead_finish(&writer->input);
}
