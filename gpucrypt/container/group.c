#include "gpucrypt/container/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/detached.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

/* Poly1305 in libcrypto takes 2 to 4 GB/s a thread: more of them than this only wait. */
#define MAX_TAG_WORKERS 16

/* A thread copies 5 to 12 GB/s out of the page cache. */
#define MAX_READ_WORKERS 8

/* For each of several devices: what all slots take is to stay in the host's last cache, so fewer of them are
 * read at once, each by several threads (docs/performance.md). */
#define SEVERAL_READ_WORKERS 4
#define SEVERAL_READ_HELPERS 6

static int make_groups(struct groups *groups)
{
	groups->n = groups->ring.n_slots;
	groups->group = locked_allocate(groups->n * sizeof *groups->group);
	return groups->group != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

static void free_groups(struct groups *groups)
{
	locked_free(groups->group, groups->n * sizeof *groups->group);
	groups->group = NULL;
}

/* Behind the payload, the rest of its last block, and tags (struct work). */
static size_t slot_bytes(const struct header *header)
{
	return PAGE_BYTES + ((size_t)1 << header->group_log2) + BLOCK_BYTES +
	       ((size_t)TAG_BYTES << (header->group_log2 - header->chunk_log2));
}

int groups_open(struct groups *groups, struct engine *engine, unsigned workers, const struct header *header,
        uint64_t n_groups, uint64_t memory_bytes)
{
	int status = ring_open(&groups->ring, engine, workers, slot_bytes(header), n_groups, memory_bytes);

	groups->sector_log2 = header->sector_log2;
	return status == GPUCRYPT_OK ? make_groups(groups) : status;
}

int groups_take(struct groups *groups, unsigned slot)
{
	struct group *group = &groups->group[slot];
	int status = ring_take(&groups->ring, slot, &group->bytes);

	if (status == GPUCRYPT_OK)
		group->payload = group->bytes + PAGE_BYTES;
	group->sector_log2 = groups->sector_log2;
	group->tag_room = true;
	return status;
}

void groups_close(struct groups *groups)
{
	free_groups(groups);
	ring_close(&groups->ring);
}

int groups_room(struct groups *groups, struct recheck *recheck, struct engine *engine, unsigned workers,
        const struct header *header, const struct source *source, const struct gpucrypt_plan *plan)
{
	uint64_t size = source->size_bytes;
	uint64_t n_groups = size == UINT64_MAX ? UINT64_MAX : (size >> header->group_log2) + 1;
	int status = GPUCRYPT_OK;

	recheck_close(recheck);
	if (groups->group == NULL) {
		status = groups_open(groups, engine, workers, header, n_groups, plan->memory_bytes);
	} else {
		free_groups(groups);
		status = ring_hand_over(&groups->ring, engine, workers, n_groups, plan->memory_bytes);
		if (status == GPUCRYPT_OK)
			status = make_groups(groups);
	}
	return status == GPUCRYPT_OK ? recheck_open(recheck, engine, plan, header->group_log2, header->chunk_log2)
	                             : status;
}

uint64_t group_offset(const struct header *header, uint64_t group)
{
	return PAGES_START + group * (PAGE_BYTES + (UINT64_C(1) << header->group_log2));
}

int group_corrupt(const struct source *source, const struct header *header, uint64_t group, uint64_t offset_in_group,
        const char *what)
{
	uint64_t offset = group_offset(header, group) + offset_in_group;
	const char *name = detached_place(source, &offset);

	return fail(
	        GPUCRYPT_CORRUPT, "%s: corrupt at byte %" PRIu64 " (group %" PRIu64 "): %s", name, offset, group, what);
}

int group_open_page(struct group *group, const struct source *source, const struct header *header,
        const struct file_keys *keys, uint64_t number)
{
	char why[128];
	int status = group_keys_derive(&group->keys, keys, number, group->bytes + PAGE_SALT);

	if (status == GPUCRYPT_OK)
		status = page_open(
		        &group->page, group->bytes, &group->keys, number, header->group_log2, header->chunk_log2);
	if (status == GPUCRYPT_OK && header->layout == LAYOUT_DETACHED && (group->page.flags & PAGE_HOLES) != 0)
		status = fail(GPUCRYPT_CORRUPT, "an image has no holes");
	if (status != GPUCRYPT_CORRUPT)
		return status;
	snprintf(why, sizeof why, "%s", gpucrypt_error());
	fail_clear();
	return group_corrupt(source, header, number, 0, why);
}

/* gcrypt(5), "Payload": the counter block of CTR is 0^64 ‖ be64(block in group), the tweak of XTS
 * the unit's number in the group; both start at zero.  "Detached images": the tweak is the number of
 * 512-byte sectors before the unit in the image. */
struct work group_work(struct group *group, const struct mode *mode, unsigned group_log2, size_t from, size_t n_bytes,
        unsigned chunk_log2)
{
	bool units = mode->has_tweaks, image = group->sector_log2 != 0;
	uint64_t before = image ? group->page.group << group_log2 : 0;

	return (struct work){ .in = group->payload + from,
		.out = group->payload + from,
		.n_bytes = n_bytes,
		.first_block = (before + from) / BLOCK_BYTES,
		.key = group->keys.cipher,
		.unit_log2 = image   ? group->sector_log2
		             : units ? GROUP_UNIT_LOG2
		                     : 0,
		.tweak_step = image ? 1u << (group->sector_log2 - 9) : units,
		.tag_r = chunk_log2 != 0 ? group->keys.r : NULL,
		.tags = chunk_log2 != 0 ? group->tags + (from >> chunk_log2) : NULL,
		.tag_room = group->tag_room && from + n_bytes >= group->stored,
		.chunk_log2 = chunk_log2 };
}

int group_crypt(const struct recheck *recheck, unsigned lane, struct group *group, size_t from, size_t n_bytes,
        unsigned chunk_log2)
{
	struct work work =
	        group_work(group, recheck->engine->suite.mode, recheck->item_log2, from, n_bytes, chunk_log2);

	return recheck_crypt(recheck, lane, &work, group->page.group);
}

unsigned group_chunks(const struct group *group, unsigned chunk_log2)
{
	return (unsigned)((group->stored + ((size_t)1 << chunk_log2) - 1) >> chunk_log2);
}

size_t group_chunk_bytes(const struct group *group, unsigned chunk, unsigned chunk_log2)
{
	size_t whole = (size_t)1 << chunk_log2, left = group->stored - ((size_t)chunk << chunk_log2);

	return left < whole ? left : whole;
}

/* Holes have none. */
static int tag_chunks(struct group *group, bool begun, unsigned chunk_log2)
{
	unsigned n = group_chunks(group, chunk_log2);
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < n && status == GPUCRYPT_OK && !begun; i++)
		if (!page_hole(&group->page, i))
			status = chunk_tag(group->tags[i], group->keys.r, group->payload + ((size_t)i << chunk_log2),
			        group_chunk_bytes(group, i, chunk_log2));
	if (status == GPUCRYPT_OK)
		status = tags_finish(group->tags, &group->keys, n);
	for (unsigned i = 0; i < n; i++)
		if (page_hole(&group->page, i))
			memset(group->tags[i], 0, TAG_BYTES);
	return status;
}

int group_tags(struct group *group, bool begun, unsigned chunk_log2)
{
	if (!all_zero(group->page.holes, sizeof group->page.holes))
		return tag_chunks(group, begun, chunk_log2);
	if (begun)
		return tags_finish(group->tags, &group->keys, group_chunks(group, chunk_log2));
	return tags_compute(group->tags, &group->keys, group->payload, group->stored, chunk_log2);
}

static unsigned workers(const struct gpucrypt_plan *plan, unsigned most)
{
	unsigned threads = plan_threads(plan);

	return threads < most ? threads : most;
}

unsigned tag_workers(const struct gpucrypt_plan *plan, bool begun)
{
	return workers(plan, begun ? 1 : MAX_TAG_WORKERS);
}

/* One device's bus takes as much as MAX_READ_WORKERS bring. */
struct read_threads read_threads(const struct gpucrypt_plan *plan, unsigned devices, size_t piece_bytes)
{
	unsigned n = devices > 1 ? devices : 1, readers;

	if (n == 1 || piece_bytes <= 2 * LOOKAHEAD_PART_BYTES)
		return (struct read_threads){ workers(plan, MAX_READ_WORKERS * n), 0 };
	readers = workers(plan, SEVERAL_READ_WORKERS * n);
	return (struct read_threads){ readers,
		workers(plan, (SEVERAL_READ_WORKERS + SEVERAL_READ_HELPERS) * n) - readers };
}

int failed_in(const struct source *source, int status)
{
	return fail_named(source->name, status);
}
