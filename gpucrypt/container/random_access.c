/* Slots hold groups: a page that is authenticated, and those chunks of the payload that have been read, authenticated
 * and decrypted.  The mutex guards the state of slots and lanes, not their content: a thread that loads a page or a
 * chunk marks it, and others wait for it. */
#include "gpucrypt/container/container.h"

#include <openssl/crypto.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/container/group.h"
#include "gpucrypt/status.h"

/* Groups in memory: so many, or fewer if they take more than MOST_BYTES. */
#define MOST_SLOTS  64
#define LEAST_SLOTS 4
#define MOST_BYTES  (UINT64_C(256) << 20)

#define NO_GROUP UINT64_MAX

enum loaded { EMPTY, LOADING, READY };

struct slot {
	uint64_t group;    /* or NO_GROUP */
	uint64_t last_use; /* by the clock of random_access */
	unsigned users;    /* threads that read it; without users it may get another group */
	uint8_t *parts;    /* enum loaded of the page (and its keys), and after it of each chunk */
};

#define THE_PAGE 0u

struct random_access {
	struct group_reader reader;
	uint8_t (*macs)[MAC_BYTES]; /* of all pages, as opening saw them */
	uint64_t n_groups, clock;
	struct slot *slots; /* for each group in memory */
	uint8_t *parts;     /* of all slots */
	unsigned n_slots;
	unsigned *free_lanes, n_free;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
};

/* Opening. */

static int keep_page(struct random_access *access, struct group *group, uint64_t number)
{
	struct group_reader *reader = &access->reader;
	int status = reader_read_page(reader, group, number);
	bool final = status == GPUCRYPT_OK && (group->page.flags & PAGE_FINAL) != 0;

	if (status != GPUCRYPT_OK)
		return status;
	if (final != (number + 1 == access->n_groups))
		return reader_corrupt(reader, number, 0, final ? "more bytes after the end" : "truncated");
	memcpy(access->macs[number], group->bytes + PAGE_MAC, MAC_BYTES);
	return reader_check_root_page(reader, group, number);
}

/* All pages, and the root in the final one. */
static int keep_pages(struct random_access *access)
{
	struct group_reader *reader = &access->reader;
	uint8_t bytes[PAGE_BYTES];
	struct group group = { .bytes = bytes };
	int status = running_hmac_start(&reader->root, reader->keys.root);

	access->macs = calloc(access->n_groups, sizeof *access->macs);
	if (status == GPUCRYPT_OK && access->macs == NULL)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	for (uint64_t i = 0; i < access->n_groups && status == GPUCRYPT_OK; i++)
		status = keep_page(access, &group, i);
	wipe(&group, sizeof group);
	return status;
}

static int make_slots(struct random_access *access, const struct gpucrypt_plan *plan)
{
	const struct header *header = &access->reader.header.header;
	struct groups *groups = &access->reader.groups;
	unsigned lanes = groups->engine->lanes, n_parts = 1 + (1u << (header->group_log2 - header->chunk_log2));
	uint64_t n = MOST_BYTES >> header->group_log2;
	int status;

	n = n > MOST_SLOTS ? MOST_SLOTS : n < LEAST_SLOTS ? LEAST_SLOTS : n;
	status = groups_prepare(groups, (unsigned)n, header, access->reader.plaintext_bytes, plan);
	if (status != GPUCRYPT_OK)
		return status;
	access->n_slots = groups->n;
	access->slots = calloc(groups->n, sizeof *access->slots);
	access->parts = calloc(groups->n, n_parts);
	access->free_lanes = calloc(lanes, sizeof *access->free_lanes);
	if (access->slots == NULL || access->parts == NULL || access->free_lanes == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	for (unsigned i = 0; i < groups->n; i++)
		access->slots[i] = (struct slot){ .group = NO_GROUP, .parts = access->parts + (size_t)i * n_parts };
	for (; access->n_free < lanes; access->n_free++)
		access->free_lanes[access->n_free] = access->n_free;
	return GPUCRYPT_OK;
}

/* Compressed content cannot be read from any position: a range of the frames is not a range of the content. */
static int check_content(const struct group_reader *reader)
{
	unsigned content = reader->header.header.content;

	return content == CONTENT_PAX_ZSTD || content == CONTENT_BYTES_ZSTD
	               ? fail(GPUCRYPT_UNKNOWN,
	                         "%s: its content is compressed by zstd: it can only be decrypted as a whole",
	                         reader->source->name)
	               : GPUCRYPT_OK;
}

static int open_container(
        struct random_access *access, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret)
{
	struct group_reader *reader = &access->reader;
	struct gpucrypt_plan on_cpu = *plan;
	struct report unused = { 0 };
	int status = range_begin(reader, secret, &unused) ?: check_content(reader);

	if (status != GPUCRYPT_OK)
		return status;
	reader->partial = false; /* the root is checked */
	access->n_groups = layout_groups(reader->header.header.group_log2, reader->plaintext_bytes);
	status = keep_pages(access);
	on_cpu.engine = GPUCRYPT_CPU;
	return status ?: engine_open(&reader->groups.engine, &reader->suite, &on_cpu) ?: make_slots(access, &on_cpu);
}

int random_access_open(struct random_access **access, struct source *source, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret)
{
	struct random_access *opened = calloc(1, sizeof *opened);
	int status;

	*access = NULL;
	if (opened == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	opened->reader = reader_of(source, NULL, NULL);
	pthread_mutex_init(&opened->mutex, NULL);
	pthread_cond_init(&opened->changed, NULL);
	status = open_container(opened, plan, secret);
	if (status == GPUCRYPT_OK)
		*access = opened;
	else
		random_access_close(opened);
	return status;
}

void random_access_close(struct random_access *access)
{
	if (access == NULL)
		return;
	reader_close(&access->reader);
	pthread_cond_destroy(&access->changed);
	pthread_mutex_destroy(&access->mutex);
	free(access->macs);
	free(access->slots);
	free(access->parts);
	free(access->free_lanes);
	free(access);
}

uint64_t random_access_size(const struct random_access *access)
{
	return access->reader.plaintext_bytes;
}

/* Loading, without the mutex. */

static int load_page(struct random_access *access, unsigned slot)
{
	struct group_reader *reader = &access->reader;
	struct group *group = &reader->groups.group[slot];
	uint64_t number = access->slots[slot].group;
	int status = groups_take_slot(&reader->groups, slot);

	if (status != GPUCRYPT_OK)
		return status;
	ring_use(&reader->groups.ring, slot, SIZE_MAX);
	status = reader_read_page(reader, group, number);
	if (status == GPUCRYPT_OK && CRYPTO_memcmp(group->bytes + PAGE_MAC, access->macs[number], MAC_BYTES) != 0)
		status = reader_corrupt(reader, number, 0, "changed since it was opened");
	group_set_length(group, group->page.n_bytes, reader->suite.mode->whole_blocks);
	return status;
}

static unsigned take_lane(struct random_access *access)
{
	unsigned lane;

	pthread_mutex_lock(&access->mutex);
	while (access->n_free == 0)
		pthread_cond_wait(&access->changed, &access->mutex);
	lane = access->free_lanes[--access->n_free];
	pthread_mutex_unlock(&access->mutex);
	return lane;
}

static void release_lane(struct random_access *access, unsigned lane)
{
	pthread_mutex_lock(&access->mutex);
	access->free_lanes[access->n_free++] = lane;
	pthread_cond_broadcast(&access->changed);
	pthread_mutex_unlock(&access->mutex);
}

/* The chunk is the part of the group that is in memory. */
static int decrypt_chunk(struct random_access *access, struct group *group, unsigned chunk)
{
	struct group_reader *reader = &access->reader;
	size_t n_bytes = group->end - group->start;
	unsigned lane = take_lane(access);
	int status = reader_check_chunks(reader, group, group->page.group);

	if (status == GPUCRYPT_OK && !page_hole(&group->page, chunk))
		status = group_crypt(&reader->groups, lane, group, group->start, n_bytes, false);
	release_lane(access, lane);
	if (status == GPUCRYPT_OK && group->end == group->stored && group->stored > group->page.n_bytes &&
	        !page_hole(&group->page, chunk))
		status = reader_check_padding(reader, group, group->payload + group->page.n_bytes, group->page.group);
	return status;
}

/* Other threads use other chunks of the same group: this thread has its own struct. */
static int load_chunk(struct random_access *access, unsigned slot, unsigned chunk)
{
	struct group_reader *reader = &access->reader;
	struct group group = reader->groups.group[slot];
	uint64_t offset = layout_page_offset(group.group_log2, group.page.group) + PAGE_BYTES;
	int status;

	group.start = (size_t)chunk << group.chunk_log2;
	group.end = group.start + group_chunk_bytes(&group, chunk);
	status = source_read_at(
	                 reader->source, group.payload + group.start, group.end - group.start, offset + group.start)
	                 ?: decrypt_chunk(access, &group, chunk);
	wipe(&group, sizeof group);
	return status;
}

/* Slots, under the mutex. */

/* The slot with the group, else the one that has not been used for the longest time; n_slots: all are in use. */
static unsigned find_slot(const struct random_access *access, uint64_t number)
{
	unsigned found = access->n_slots;

	for (unsigned i = 0; i < access->n_slots; i++) {
		const struct slot *slot = &access->slots[i];

		if (slot->group == number)
			return i;
		if (slot->users == 0 && (found == access->n_slots || slot->last_use < access->slots[found].last_use))
			found = i;
	}
	return found;
}

static void give_slot(struct random_access *access, struct slot *slot, uint64_t number)
{
	const struct header *header = &access->reader.header.header;

	if (slot->group == number)
		return;
	slot->group = number;
	memset(slot->parts, EMPTY, 1 + ((size_t)1 << (header->group_log2 - header->chunk_log2)));
}

static unsigned use_slot(struct random_access *access, uint64_t number)
{
	unsigned i;

	pthread_mutex_lock(&access->mutex);
	while ((i = find_slot(access, number)) == access->n_slots)
		pthread_cond_wait(&access->changed, &access->mutex);
	give_slot(access, &access->slots[i], number);
	access->slots[i].users++;
	access->slots[i].last_use = ++access->clock;
	pthread_mutex_unlock(&access->mutex);
	return i;
}

static void release_slot(struct random_access *access, unsigned slot)
{
	pthread_mutex_lock(&access->mutex);
	access->slots[slot].users--;
	pthread_cond_broadcast(&access->changed);
	pthread_mutex_unlock(&access->mutex);
}

/* Load the page, or a chunk, unless it is there; wait for a thread that loads it. */
static int need(struct random_access *access, unsigned number, unsigned part)
{
	struct slot *slot = &access->slots[number];
	int status;

	pthread_mutex_lock(&access->mutex);
	while (slot->parts[part] == LOADING)
		pthread_cond_wait(&access->changed, &access->mutex);
	if (slot->parts[part] == READY) {
		pthread_mutex_unlock(&access->mutex);
		return GPUCRYPT_OK;
	}
	slot->parts[part] = LOADING;
	pthread_mutex_unlock(&access->mutex);
	status = part == THE_PAGE ? load_page(access, number) : load_chunk(access, number, part - 1);
	pthread_mutex_lock(&access->mutex);
	slot->parts[part] = status == GPUCRYPT_OK ? READY : EMPTY;
	pthread_cond_broadcast(&access->changed);
	pthread_mutex_unlock(&access->mutex);
	return status;
}

/* Reading. */

/* n_bytes from the offset in a group on. */
static int read_group(struct random_access *access, uint8_t *bytes, size_t n_bytes, uint64_t number, size_t from)
{
	unsigned slot = use_slot(access, number), chunk_log2 = access->reader.header.header.chunk_log2;
	unsigned first = (unsigned)(from >> chunk_log2), last = (unsigned)((from + n_bytes - 1) >> chunk_log2);
	int status = need(access, slot, THE_PAGE);

	for (unsigned i = first; i <= last && status == GPUCRYPT_OK; i++)
		status = need(access, slot, 1 + i);
	if (status == GPUCRYPT_OK)
		memcpy(bytes, access->reader.groups.group[slot].payload + from, n_bytes);
	release_slot(access, slot);
	return status;
}

int random_access_read(struct random_access *access, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	const struct header *header = &access->reader.header.header;
	size_t whole = (size_t)1 << header->group_log2;
	int status = GPUCRYPT_OK;

	if (offset > access->reader.plaintext_bytes || n_bytes > access->reader.plaintext_bytes - offset)
		return fail(GPUCRYPT_USAGE, "%s: the range is not within its plaintext", access->reader.source->name);
	for (size_t done = 0, n; done < n_bytes && status == GPUCRYPT_OK; done += n) {
		size_t from = (size_t)((offset + done) & (whole - 1));

		n = n_bytes - done < whole - from ? n_bytes - done : whole - from;
		status = read_group(access, bytes + done, n, (offset + done) >> header->group_log2, from);
	}
	return status;
}
