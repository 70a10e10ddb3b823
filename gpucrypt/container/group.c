#include "gpucrypt/container/group.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/layout.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

/* Poly1305 in libcrypto takes 2 to 4 GB/s a thread: more threads than this only wait. */
#define MAX_TAG_WORKERS 16

/* A thread copies 5 to 12 GB/s out of the page cache. */
#define MAX_READ_WORKERS 8

/* For each of several devices: all slots together have to fit into the host's last cache, so fewer of them are read
 * at once, each by several threads (docs/performance.md). */
#define SEVERAL_READ_WORKERS 4
#define SEVERAL_READ_HELPERS 6

/* A piece, tables and buffers together fit into a core's second-level cache (docs/results/cpu-path.md). */
#define PIECE_LOG2 18

/* Slots. */

/* A small file needs no memory for a whole group, which the kernel clears when it is first touched. */
static size_t payload_room(const struct groups *groups, const struct header *header)
{
	uint64_t group = UINT64_C(1) << header->group_log2;

	return (size_t)(groups->most_bytes == 0 || groups->most_bytes > group ? group : groups->most_bytes);
}

/* Room after the payload: the rest of its last block, and tags of both ciphertexts of a recryption (struct work). */
static size_t slot_bytes(const struct groups *groups, const struct header *header)
{
	return PAGE_BYTES + payload_room(groups, header) + BLOCK_BYTES +
	       ((size_t)2 * TAG_BYTES << (header->group_log2 - header->chunk_log2));
}

int groups_open(
        struct groups *groups, unsigned workers, const struct header *header, uint64_t n_groups, uint64_t memory_bytes)
{
	int status =
	        ring_open(&groups->ring, groups->engine, workers, slot_bytes(groups, header), n_groups, memory_bytes);

	groups->chunk_log2 = header->chunk_log2;
	groups->group_log2 = header->group_log2;
	groups->sector_log2 = header->sector_log2;
	if (status != GPUCRYPT_OK)
		return status;
	groups->n = groups->ring.n_slots;
	groups->group = locked_allocate(groups->n * sizeof *groups->group);
	return groups->group != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

int groups_prepare(struct groups *groups, unsigned workers, const struct header *header, uint64_t n_bytes,
        const struct gpucrypt_plan *plan)
{
	int status =
	        groups_open(groups, workers, header, layout_groups(header->group_log2, n_bytes), plan->memory_bytes);

	if (status != GPUCRYPT_OK)
		return status;
	return recheck_open(&groups->recheck, groups->engine, plan, header->group_log2, header->chunk_log2);
}

int groups_open_one(struct groups *groups, const struct suite *suite, const struct header *header,
        const struct gpucrypt_plan *plan, struct report *report)
{
	int status = engine_open(&groups->engine, suite, plan);

	if (status != GPUCRYPT_OK)
		return status;
	report_engine(report, groups->engine);
	status = groups_open(groups, 1, header, 1, 0) ?: groups_take_slot(groups, 0);
	if (status != GPUCRYPT_OK)
		return status;
	ring_use(&groups->ring, 0, SIZE_MAX);
	return recheck_open(&groups->recheck, groups->engine, plan, header->group_log2, header->chunk_log2);
}

int groups_take_slot(struct groups *groups, unsigned slot)
{
	struct group *group = &groups->group[slot];
	int status = ring_take(&groups->ring, slot, &group->slot);

	if (status == GPUCRYPT_OK)
		group_find_bytes(group);
	group->chunk_log2 = groups->chunk_log2;
	group->group_log2 = groups->group_log2;
	group->sector_log2 = groups->sector_log2;
	return status;
}

void group_find_bytes(struct group *group)
{
	group->bytes = group->slot->bytes;
	group->payload = group->bytes + PAGE_BYTES;
}

void groups_close(struct groups *groups)
{
	locked_free(groups->group, groups->n * sizeof *groups->group);
	ring_close(&groups->ring);
	recheck_close(&groups->recheck);
	engine_close(groups->engine);
}

/* The work on one group. */

void group_set_length(struct group *group, uint64_t n_bytes, bool whole_blocks)
{
	group->stored = group->end = (size_t)payload_bytes(n_bytes, whole_blocks);
	group->start = 0;
}

/* gcrypt(5), "Payload": the counter block of CTR is 0^64 ‖ be64(block in group), the tweak of XTS the data unit's
 * number in the group; both start at zero.  "Detached images": the tweak is the number of 512-byte sectors before the
 * data unit in the image. */
struct work group_work(struct group *group, const struct mode *mode, size_t from, size_t n_bytes, bool tags)
{
	bool units = mode->has_tweaks, image = group->sector_log2 != 0;
	uint64_t before = image ? group->page.group << group->group_log2 : 0;

	return (struct work){ .in = group->payload + from,
		.out = group->payload + from,
		.n_bytes = n_bytes,
		.first_block = (before + from) / BLOCK_BYTES,
		.key = group->keys.cipher,
		.unit_log2 = image   ? group->sector_log2
		             : units ? DATA_UNIT_LOG2
		                     : 0,
		.tweak_step = image ? 1u << (group->sector_log2 - 9) : units,
		.tag_r = tags ? group->keys.r : NULL,
		.tags = tags ? group->tags + (from >> group->chunk_log2) : NULL,
		.slot = from == 0 && n_bytes == group->end ? group->slot : NULL,
		.chunk_log2 = tags ? group->chunk_log2 : 0 };
}

int group_crypt(const struct groups *groups, unsigned lane, struct group *group, size_t from, size_t n_bytes, bool tags)
{
	struct work work = group_work(group, groups->engine->suite.mode, from, n_bytes, tags);
	int status = recheck_crypt(&groups->recheck, lane, &work, group->page.group);

	if (work.slot != NULL)
		group_find_bytes(group);
	return status;
}

int group_crypt_chunks(const struct groups *groups, unsigned lane, struct group *group, bool tags)
{
	struct extent extent;
	int status = GPUCRYPT_OK;

	for (size_t at = group->start; status == GPUCRYPT_OK && group_next_extent(group, at, &extent);
	        at += extent.n_bytes)
		if (!extent.hole)
			status = group_crypt(groups, lane, group, at, extent.n_bytes, tags);
	return status;
}

size_t group_piece_bytes(const struct group *group)
{
	unsigned piece_log2 = group->chunk_log2 > PIECE_LOG2 ? group->chunk_log2 : PIECE_LOG2;

	return (size_t)1 << (piece_log2 < group->group_log2 ? piece_log2 : group->group_log2);
}

size_t group_chunk_bytes(const struct group *group, unsigned chunk)
{
	return layout_chunk_bytes(group->chunk_log2, group->stored, chunk);
}

static uint8_t *chunk_of(const struct group *group, unsigned chunk)
{
	return group->payload + ((size_t)chunk << group->chunk_log2);
}

int group_start_tags(struct group *group)
{
	unsigned n = layout_chunks(group->chunk_log2, group->end);
	int status = GPUCRYPT_OK;

	for (unsigned i = (unsigned)(group->start >> group->chunk_log2); i < n && status == GPUCRYPT_OK; i++)
		if (!page_hole(&group->page, i))
			status = chunk_tags(&group->tags[i], group->keys.r, chunk_of(group, i),
			        group_chunk_bytes(group, i), group->chunk_log2);
	return status;
}

int group_tags(struct group *group, bool started)
{
	unsigned first = (unsigned)(group->start >> group->chunk_log2),
	         n = layout_chunks(group->chunk_log2, group->end);
	int status = started ? GPUCRYPT_OK : group_start_tags(group);

	if (status == GPUCRYPT_OK)
		status = tags_finish(group->tags, &group->keys, n);
	for (unsigned i = first; i < n; i++)
		if (page_hole(&group->page, i))
			memset(group->tags[i], 0, TAG_BYTES);
	return status;
}

bool group_chunk_good(const struct group *group, unsigned chunk)
{
	if (page_hole(&group->page, chunk))
		return all_zero(chunk_of(group, chunk), group_chunk_bytes(group, chunk));
	return CRYPTO_memcmp(group->tags[chunk], group->page.tags[chunk], TAG_BYTES) == 0;
}

int group_find_damage(struct group *group, bool started, unsigned *damaged)
{
	unsigned n = layout_chunks(group->chunk_log2, group->end);
	int status = group_tags(group, started);

	*damaged = UINT_MAX;
	for (unsigned i = (unsigned)(group->start >> group->chunk_log2); i < n && *damaged == UINT_MAX; i++)
		if (!group_chunk_good(group, i))
			*damaged = i;
	return status;
}

/* Holes. */

bool group_next_extent(const struct group *group, size_t at, struct extent *extent)
{
	unsigned n = layout_chunks(group->chunk_log2, group->end), first = (unsigned)(at >> group->chunk_log2),
	         i = first;
	size_t end;

	if (at >= group->end)
		return false;
	extent->hole = page_hole(&group->page, first);
	while (i < n && page_hole(&group->page, i) == extent->hole)
		i++;
	end = (size_t)i << group->chunk_log2;
	extent->from = at;
	extent->n_bytes = (end < group->end ? end : group->end) - at;
	return true;
}

bool group_has_holes(const struct group *group)
{
	return !all_zero(group->page.holes, sizeof group->page.holes);
}

void group_find_holes(struct group *group)
{
	unsigned first = (unsigned)(group->start >> group->chunk_log2),
	         n = layout_chunks(group->chunk_log2, group->end);

	for (unsigned i = first; i < n; i++)
		if (group->hollow || all_zero(chunk_of(group, i), group_chunk_bytes(group, i)))
			group->page.holes[i / 8] |= (uint8_t)(1u << i % 8);
	if (group_has_holes(group))
		group->page.flags |= PAGE_HOLES;
}

static int write_zeros(struct sink *sink, size_t n_bytes, uint64_t offset)
{
	static const uint8_t zeros[64 << 10];
	int status = GPUCRYPT_OK;

	for (size_t done = 0, n; done < n_bytes && status == GPUCRYPT_OK; done += n) {
		n = n_bytes - done < sizeof zeros ? n_bytes - done : sizeof zeros;
		status = sink->write(sink, zeros, n, offset + done);
	}
	return status;
}

int group_write(struct sink *sink, const struct group *group, size_t from, size_t to, uint64_t offset, bool ends)
{
	struct extent extent;
	int status = GPUCRYPT_OK;

	if (!group_has_holes(group))
		return sink->write(sink, group->payload + from, to - from, offset);
	for (size_t at = from; status == GPUCRYPT_OK && at < to && group_next_extent(group, at, &extent);
	        at += extent.n_bytes) {
		size_t n = extent.n_bytes < to - at ? extent.n_bytes : to - at;
		uint64_t place = offset + (at - from);

		if (!extent.hole)
			status = sink->write(sink, group->payload + at, n, place);
		else if (!sink->keeps_holes)
			status = write_zeros(sink, n, place);
		else if (ends && at + n == to)
			status = write_zeros(sink, 1, place + n - 1);
	}
	return status;
}

int group_write_whole(struct sink *sink, const struct group *group, uint64_t offset)
{
	if (!group_has_holes(group))
		return sink->write(sink, group->bytes, PAGE_BYTES + group->stored, offset);
	return sink->write(sink, group->bytes, PAGE_BYTES, offset)
	               ?: group_write(sink, group, 0, group->stored, offset + PAGE_BYTES, group->last);
}

/* Threads. */

static unsigned limit_threads(const struct gpucrypt_plan *plan, unsigned most)
{
	unsigned threads = plan_threads(plan);

	return threads < most ? threads : most;
}

unsigned tag_workers(const struct gpucrypt_plan *plan, bool started)
{
	return limit_threads(plan, started ? 1 : MAX_TAG_WORKERS);
}

/* MAX_READ_WORKERS threads read at least as fast as the bus of one device transfers. */
struct read_threads read_threads(const struct gpucrypt_plan *plan, unsigned devices, size_t piece_bytes)
{
	unsigned n = devices > 1 ? devices : 1, readers;

	if (n == 1 || piece_bytes <= 2 * LOOKAHEAD_PART_BYTES)
		return (struct read_threads){ limit_threads(plan, MAX_READ_WORKERS * n), 0 };
	readers = limit_threads(plan, SEVERAL_READ_WORKERS * n);
	return (struct read_threads){ readers,
		limit_threads(plan, (SEVERAL_READ_WORKERS + SEVERAL_READ_HELPERS) * n) - readers };
}
