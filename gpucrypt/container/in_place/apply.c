/* The end of an update in place.  The journal has the layout of the new container, but only the changed groups and the
 * last group.  A group whose page is missing in the journal has not changed. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/container/in_place/in_place.h"
#include "gpucrypt/container/update.h"
#include "gpucrypt/status.h"

struct applying {
	struct group_reader container, journal; /* both have the keys and header of the container */
	struct group group;
	uint8_t *old; /* room for the old payload of a detached group; part of group.bytes */
	uint64_t n_groups;
	bool changed; /* the group in memory is from the journal */
};

/* Read the page of a group of the new container, and if the journal has the group, read and check the payload. */
static int load_group(struct applying *applying, uint64_t item)
{
	struct group_reader *journal = &applying->journal;
	struct group *group = &applying->group;
	uint64_t offset = reader_page_offset(journal, item);
	int status = source_read_at(journal->source, group->bytes, PAGE_BYTES, offset);

	applying->changed = item + 1 == applying->n_groups || !all_zero(group->bytes, PAGE_BYTES);
	if (status != GPUCRYPT_OK || !applying->changed)
		return status ?: reader_read_page(&applying->container, group, item);
	status = reader_open_page(journal, group, item);
	if (status != GPUCRYPT_OK)
		return status;
	group_set_length(group, group->page.n_bytes, journal->suite.mode->whole_blocks);
	return source_read_at(journal->source, group->payload, group->stored, offset + PAGE_BYTES)
	               ?: reader_check_chunks(journal, group, item);
}

/* Check the journal's root over the pages of journal and container: a journal of another update has another root. */
static int check_root(struct applying *applying)
{
	struct group_reader *journal = &applying->journal;
	struct group *group = &applying->group;
	int status = running_hmac_start(&journal->root, journal->keys.root);

	for (uint64_t i = 0; i < applying->n_groups && status == GPUCRYPT_OK; i++) {
		bool last = i + 1 == applying->n_groups;

		status = load_group(applying, i);
		if (status == GPUCRYPT_OK && ((group->page.flags & PAGE_FINAL) != 0) != last)
			status = reader_corrupt(journal, i, 0, "truncated");
		status = status ?: reader_check_root_page(journal, group, i);
	}
	return status;
}

/* Punch holes before writing: the old group may have data where the new one has a hole. */
static int store_inline(struct fd_sink *sink, const struct group *group, uint64_t offset)
{
	sink->sink.keeps_holes =
	        !group_has_holes(group) || fallocate(sink->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
	                                           (off_t)(offset + PAGE_BYTES), (off_t)group->stored) == 0;
	return group_write_whole(&sink->sink, group, offset);
}

/* All groups of an image have one key, so sectors that have not changed have the same bytes, and are not written. */
static int store_detached(struct applying *applying, struct update_target *target, uint64_t item)
{
	struct group *group = &applying->group;
	size_t sector = (size_t)1 << group->sector_log2;
	uint64_t offset = item << group->group_log2;
	int status = source_read_at(applying->container.source, applying->old, group->stored,
	        reader_page_offset(&applying->journal, item) + PAGE_BYTES);

	for (size_t at = 0; at < group->stored && status == GPUCRYPT_OK; at += sector)
		if (memcmp(applying->old + at, group->payload + at, sector) != 0)
			status =
			        target->image.sink.write(&target->image.sink, group->payload + at, sector, offset + at);
	return status
	               ?: target->pages.sink.write(
	                          &target->pages.sink, group->bytes, PAGE_BYTES, layout_detached_page_offset(item));
}

static int sync_file(const struct fd_sink *file)
{
	return file->fd < 0 || fsync(file->fd) == 0 ? GPUCRYPT_OK : fail_errno(file->name, "cannot sync");
}

/* Write all groups of the journal.  The journal always has the last group, with which the container ends. */
static int store_groups(struct applying *applying, struct update_target *target)
{
	struct source *container = applying->container.source;
	struct group *group = &applying->group;
	uint64_t offset = 0;
	int status = GPUCRYPT_OK;

	for (uint64_t i = 0; i < applying->n_groups && status == GPUCRYPT_OK; i++) {
		offset = reader_page_offset(&applying->journal, i);
		group->last = i + 1 == applying->n_groups;
		status = load_group(applying, i);
		if (status == GPUCRYPT_OK && applying->changed)
			status = target->image.fd < 0 ? store_inline(&target->pages, group, offset)
			                              : store_detached(applying, target, i);
	}
	container->size_bytes = offset + PAGE_BYTES + group->stored;
	if (status == GPUCRYPT_OK && target->image.fd < 0 &&
	        ftruncate(target->pages.fd, (off_t)container->size_bytes) != 0)
		status = fail_errno(container->name, "cannot set the length of the file");
	return status ?: sync_file(&target->image) ?: sync_file(&target->pages);
}

static int open_both(struct applying *applying, const struct gpucrypt_secret *secret)
{
	struct group_reader *container = &applying->container, *journal = &applying->journal;
	struct group *group = &applying->group;
	int status = source_rewind(container->source) ?: reader_begin(container, secret, &(struct report){ 0 });

	if (status != GPUCRYPT_OK)
		return status;
	journal->header = container->header;
	journal->keys = container->keys;
	journal->suite = container->suite;
	group->chunk_log2 = container->header.header.chunk_log2;
	group->group_log2 = container->header.header.group_log2;
	applying->n_groups = layout_groups_in(group->group_log2, journal->source->size_bytes);
	group->sector_log2 = container->header.header.sector_log2;
	group->bytes = malloc(PAGE_BYTES + ((size_t)2 << group->group_log2) + BLOCK_BYTES);
	if (group->bytes == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	group->payload = group->bytes + PAGE_BYTES;
	applying->old = group->payload + ((size_t)1 << group->group_log2) + BLOCK_BYTES;
	return applying->n_groups > 0 ? GPUCRYPT_OK : reader_corrupt(journal, 0, 0, "truncated");
}

int container_update_apply(struct source *container, const struct update_target *target, struct source *journal,
        const struct gpucrypt_secret *secret)
{
	struct applying applying = {
		.container = reader_of(container, NULL, NULL),
		.journal = reader_of(journal, NULL, NULL),
	};
	struct update_target files = *target;
	int status;

	fd_sink_allow_any_order(&files.pages);
	fd_sink_allow_any_order(&files.image);
	status = open_both(&applying, secret) ?: check_root(&applying) ?: store_groups(&applying, &files);
	free(applying.group.bytes);
	wipe(&applying.group, sizeof applying.group);
	reader_close(&applying.container);
	reader_close(&applying.journal);
	return status;
}
