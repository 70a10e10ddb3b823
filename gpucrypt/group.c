#include "group.h"

#include <stdio.h>
#include <stdlib.h>

#include "status.h"

/* Poly1305 in libcrypto takes 2 to 4 GB/s a thread: more of them than this only wait. */
#define MAX_TAG_WORKERS 8

/* A thread copies 5 to 12 GB/s out of the page cache. */
#define MAX_READ_WORKERS 4

int groups_open(struct groups *groups, unsigned workers, unsigned group_log2, uint64_t n_groups)
{
	size_t slot_bytes = PAGE_BYTES + ((size_t)1 << group_log2) + BLOCK_BYTES;
	int status = ring_open(&groups->ring, workers, slot_bytes, n_groups);

	if (status != GPUCRYPT_OK)
		return status;
	groups->group = calloc(groups->ring.n_slots, sizeof *groups->group);
	if (groups->group == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	for (unsigned i = 0; i < groups->ring.n_slots; i++) {
		groups->group[i].bytes = groups->ring.slots[i];
		groups->group[i].payload = groups->ring.slots[i] + PAGE_BYTES;
	}
	return GPUCRYPT_OK;
}

void groups_close(struct groups *groups)
{
	wipe(groups->group, groups->ring.n_slots * sizeof *groups->group);
	free(groups->group);
	groups->group = NULL;
	ring_close(&groups->ring);
}

uint64_t group_offset(const struct header *header, uint64_t group)
{
	return PAGES_START + group * (PAGE_BYTES + (UINT64_C(1) << header->group_log2));
}

/* gcrypt(5), "Payload": the counter block of CTR is 0^64 ‖ be64(block in group), the tweak of XTS
 * the unit's number in the group; both start at zero. */
int group_crypt(struct engine *engine, unsigned lane, const struct group *group, size_t from,
        size_t n_bytes)
{
	bool units = engine->suite.mode->has_tweaks;
	struct work work = { .in = group->payload + from,
		.out = group->payload + from,
		.n_bytes = n_bytes,
		.first_block = from / BLOCK_BYTES,
		.key = group->keys.cipher,
		.unit_log2 = units ? GROUP_UNIT_LOG2 : 0,
		.tweak_step = units };

	return engine_crypt(engine, lane, &work);
}

unsigned tag_workers(const struct gpucrypt_plan *plan)
{
	unsigned threads = plan_threads(plan);

	return threads < MAX_TAG_WORKERS ? threads : MAX_TAG_WORKERS;
}

unsigned read_workers(const struct gpucrypt_plan *plan)
{
	unsigned threads = plan_threads(plan);

	return threads < MAX_READ_WORKERS ? threads : MAX_READ_WORKERS;
}

int failed_in(const struct source *source, int status)
{
	char why[1024];

	snprintf(why, sizeof why, "%s", gpucrypt_error());
	fail_clear();
	return fail((enum gpucrypt_status)status, "%s: %s", source->name, why);
}
