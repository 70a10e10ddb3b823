#include "gpucrypt/container/update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/status.h"

/* Old groups. */

/* The file must end with the final group, and with no other. */
static int check_place(const struct old_groups *old, const struct group *group, uint64_t item)
{
	uint64_t size = old->reader.source->size_bytes,
	         end = reader_page_offset(&old->reader, item) + PAGE_BYTES + group->stored;
	bool final = (group->page.flags & PAGE_FINAL) != 0;

	if (end > size || (item + 1 == old->n_groups && !final))
		return reader_corrupt(&old->reader, item, PAGE_BYTES, "truncated");
	if (final && end < size)
		return reader_corrupt(&old->reader, item, PAGE_BYTES + group->stored, "more bytes after the end");
	return GPUCRYPT_OK;
}

int ranges_mark(bool **marked, const struct byte_range *ranges, size_t n_ranges, unsigned log2, uint64_t n_items)
{
	bool *items = calloc(n_items + 1, sizeof *items);

	*marked = items;
	if (items == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	for (const struct byte_range *range = ranges; range < ranges + n_ranges; range++)
		for (uint64_t i = range->from >> log2; i < n_items && i << log2 < range->to; i++)
			items[i] = true;
	return GPUCRYPT_OK;
}

static int mark_changed(struct old_groups *old, unsigned group_log2)
{
	const struct update *update = old->update;

	return update->changed == NULL
	               ? GPUCRYPT_OK
	               : ranges_mark(&old->changed, update->changed, update->n_changed, group_log2, old->n_groups);
}

static int read_payload(const struct old_groups *old, struct group *group, uint64_t item)
{
	return source_read_at(
	        old->reader.source, group->payload, group->stored, reader_page_offset(&old->reader, item) + PAGE_BYTES);
}

/* Is the group a hole in the source and in the old container?  Then neither has to be read. */
static bool stays_hole(const struct old_groups *old, const struct group *group, uint64_t item)
{
	const struct source *source = old->update->source, *container = old->reader.source;
	struct extent first;

	return source->has_holes && container->has_holes && group_next_extent(group, 0, &first) && first.hole &&
	       first.n_bytes == group->stored && source_hole(source, item << group->group_log2, group->stored) &&
	       source_hole(container, reader_page_offset(&old->reader, item) + PAGE_BYTES, group->stored);
}

int old_group_load(const struct old_groups *old, struct group *group, uint64_t item)
{
	uint64_t new_bytes = old->update->source->size_bytes;
	bool last = item + 1 == layout_groups(group->group_log2, new_bytes), same;
	int status;

	group->old = group->hollow = group->unread = false;
	if (item >= old->n_groups)
		return GPUCRYPT_OK;
	status = reader_read_page(&old->reader, group, item);
	if (status != GPUCRYPT_OK)
		return status;
	group_set_length(group, group->page.n_bytes, old->reader.suite.mode->whole_blocks);
	same = ((group->page.flags & PAGE_FINAL) != 0) == last &&
	       group->page.n_bytes == layout_group_bytes(group->group_log2, new_bytes, item);
	group->kept = group->unread = same && !last && old->changed != NULL && !old->changed[item];
	group->old = same && !group->kept;
	group->last = last;
	status = check_place(old, group, item);
	if (status == GPUCRYPT_OK && group->old && !last && stays_hole(old, group, item)) {
		group->kept = true;
		group->old = false; /* no payload is there to be compared */
	}
	if (status != GPUCRYPT_OK || group->kept)
		return status;
	return read_payload(old, group, item) ?: reader_check_chunks(&old->reader, group, item);
}

int old_group_check_root(struct old_groups *old, const struct group *group, uint64_t item)
{
	struct group before = { .bytes = group->bytes, .group_log2 = group->group_log2 };

	if (item >= old->n_groups)
		return GPUCRYPT_OK;
	page_decode(&before.page, group->bytes);
	return reader_check_root_page(&old->reader, &before, item);
}

/* Of old groups behind the end of the new container, only the pages are read, because the old root covers them. */
static int check_rest(struct old_groups *old, uint64_t first)
{
	uint8_t bytes[PAGE_BYTES];
	struct group group = { .bytes = bytes, .group_log2 = old->reader.header.header.group_log2 };
	int status = GPUCRYPT_OK;

	for (uint64_t i = first; i < old->n_groups && status == GPUCRYPT_OK; i++) {
		status = reader_read_page(&old->reader, &group, i);
		if (status != GPUCRYPT_OK)
			break;
		group_set_length(&group, group.page.n_bytes, old->reader.suite.mode->whole_blocks);
		status = check_place(old, &group, i) ?: reader_check_root_page(&old->reader, &group, i);
	}
	wipe(&group, sizeof group);
	return status;
}

/* Groups that are kept. */

/* copy_file_range(2) shares extents if the file system can do so (as FICLONERANGE does).  False: see errno, by which
 * old_group_keep() knows whether it cannot copy between these files. */
static bool copy_range(int from, int to, uint64_t offset, size_t n_bytes)
{
	off_t in = (off_t)offset, out = in;
	ssize_t n = 1;

	for (size_t left = n_bytes; left > 0 && n > 0; left -= n > 0 ? (size_t)n : 0)
		n = copy_file_range(from, &in, to, &out, left, 0);
	if (n == 0)
		errno = EINVAL; /* the file is shorter now */
	return n > 0;
}

static bool copy_group(const struct old_groups *old, const struct group *group, uint64_t offset)
{
	int from = old->reader.source->fd, to = old->update->fd;
	struct extent extent;

	if (!group_has_holes(group))
		return copy_range(from, to, offset, PAGE_BYTES + group->stored);
	if (!copy_range(from, to, offset, PAGE_BYTES))
		return false;
	for (size_t at = 0; group_next_extent(group, at, &extent); at += extent.n_bytes)
		if (!extent.hole && !copy_range(from, to, offset + PAGE_BYTES + at, extent.n_bytes))
			return false;
	return true;
}

/* After a comparison, the slot has the bytes of the old container, because it encrypts under the old group's keys. */
int old_group_keep(const struct old_groups *old, struct sink *sink, struct group *group, uint64_t item)
{
	uint64_t offset = reader_page_offset(&old->reader, item);
	int status = GPUCRYPT_OK;

	if (old->update->fd < 0 && !group->last)
		return GPUCRYPT_OK;
	if (old->update->fd < 0 || (group->last && group_has_holes(group))) /* a copied hole sets no length */
		return group_write_whole(sink, group, offset);
	if (copy_group(old, group, offset)) /* write the final page again, because the root may have changed */
		return group->last ? sink->write(sink, group->bytes, PAGE_BYTES, offset) : GPUCRYPT_OK;
	if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return fail_errno(old->reader.source->name, "cannot copy");
	if (group->unread)
		status = read_payload(old, group, item);
	return status ?: group_write_whole(sink, group, offset);
}

/* The new container. */

/* All keys depend on a length in the header, so a new length changes all groups.  The new header gives no length: later
 * updates write only groups that changed.  container_decrypt() only authenticates the old container. */
static int change_length(struct group_writer *writer, uint8_t copy[HEADER_COPY_BYTES], const struct old_groups *old)
{
	const struct update *update = old->update;

	writer->header.plaintext_bytes = LENGTH_UNKNOWN;
	return source_rewind(update->container)
	               ?: container_decrypt(update->container, NULL, update->plan, update->secret, NULL, NULL)
	               ?: header_encode(copy, &writer->header)
	               ?: file_keys_derive(&writer->keys, old->reader.keys.file, copy)
	               ?: header_seal(copy, &writer->keys);
}

int old_groups_begin(struct group_writer *writer, struct old_groups *old)
{
	struct group_reader *reader = &old->reader;
	const struct update *update = old->update;

	old->n_groups = layout_groups_in(reader->header.header.group_log2, update->container->size_bytes);
	writer->header = reader->header.header;
	writer->keys = reader->keys;
	writer->suite = header_suite(&reader->header, ENCRYPT);
	writer->sparse = update->plan->sparse;
	writer->old = old;
	return mark_changed(old, writer->header.group_log2) ?: running_hmac_start(&reader->root, reader->keys.root);
}

static int start_update(struct group_writer *writer, struct old_groups *old, struct report *report)
{
	const struct update *update = old->update;
	struct group_reader *reader = &old->reader;
	const struct header *header = &reader->header.header;
	uint8_t copy[HEADER_COPY_BYTES];
	bool new_length;
	int status = source_rewind(update->container)
	                     ?: reader_begin(reader, update->secret, report)
	                     ?: reader_check_sizes(reader)
	                     ?: old_groups_begin(writer, old);

	if (status != GPUCRYPT_OK)
		return status;
	new_length = header->plaintext_bytes != LENGTH_UNKNOWN && header->plaintext_bytes != update->source->size_bytes;
	if (new_length && update->sink != NULL && update->fd < 0)
		return fail(GPUCRYPT_USAGE, "%s: an update in place cannot change the length in the header",
		        update->container->name);
	memcpy(copy, reader->header.bytes, sizeof copy);
	if (new_length) {
		writer->old = NULL;
		status = change_length(writer, copy, old);
	}
	for (uint64_t i = 0; i < 2 && update->sink != NULL && status == GPUCRYPT_OK; i++)
		status = update->sink->write(update->sink, copy, sizeof copy, i * sizeof copy);
	return status;
}

void old_groups_close(struct group_writer *writer, struct old_groups *old)
{
	writer_close(writer);
	reader_close(&old->reader);
	free(old->changed);
}

/* The pipeline has authenticated the old groups up to the end of the new container; check the others. */
static int end_update(struct old_groups *old, const struct group_writer *writer, struct report *report)
{
	int status;

	report->n_groups = layout_groups(writer->header.group_log2, writer->source->size_bytes);
	report->plaintext_bytes = writer_bytes(writer);
	if (writer->old == NULL)
		return GPUCRYPT_OK;
	status = check_rest(old, report->n_groups);
	return status == GPUCRYPT_OK && !old->reader.ended ? reader_corrupt(&old->reader, old->n_groups, 0, "truncated")
	                                                   : status;
}

int container_update(const struct update *update, struct report *report)
{
	struct group_writer writer = writer_of(update->source, update->sink, update->progress);
	struct old_groups old = { .update = update, .reader = reader_of(update->container, NULL, NULL) };
	int status;

	*report = (struct report){ 0 };
	status = start_update(&writer, &old, report) ?: engine_open(&writer.groups.engine, &writer.suite, update->plan);
	if (status == GPUCRYPT_OK)
		report_engine(report, writer.groups.engine);
	status = status ?: writer_run(&writer, update->plan, report) ?: end_update(&old, &writer, report);
	old_groups_close(&writer, &old);
	return status;
}
