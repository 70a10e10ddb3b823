/* Decrypting and authenticating a container: read → authenticate → decrypt → write (gcrypt(5),
 * "Reading" 2).  Nothing reaches the sink before its group is authenticated. */
#include "gpucrypt/container/reader.h"

#include <openssl/crypto.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/group_holes.h"
#include "gpucrypt/pipeline/relay.h"
#include "gpucrypt/status.h"

static int corrupt(const struct reader *reader, uint64_t group, uint64_t offset_in_group, const char *what)
{
	return group_corrupt(reader->source, &reader->header.header, group, offset_in_group, what);
}

/* A container's group of which the file system knows that all after the page is zeros: only the page is
 * read.  Not the last one. */
static int read_hollow(struct reader *reader, struct group *group, uint64_t item)
{
	const struct header *header = &reader->header.header;
	uint64_t offset = group_offset(header, item), whole = UINT64_C(1) << header->group_log2;

	group->hollow = reader->source_has_holes && offset + PAGE_BYTES + whole < reader->source->size_bytes &&
	                source_hole(reader->source, offset + PAGE_BYTES, whole);
	if (!group->hollow)
		return GPUCRYPT_OK;
	group->n_read = PAGE_BYTES + whole;
	group->last = false;
	return source_read_at(reader->source, group->bytes, PAGE_BYTES, offset);
}

int reader_read(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	int status = groups_take(&reader->groups, slot);

	(void)worker;
	if (status == GPUCRYPT_OK)
		status = read_hollow(reader, group, item);
	if (status != GPUCRYPT_OK || group->hollow)
		return status;
	status = lookahead_read(&reader->input, item, group->bytes,
	        PAGE_BYTES + ((size_t)1 << reader->header.header.group_log2), &group->n_read, &group->last);
	if (status != GPUCRYPT_OK)
		return status;
	ring_use(&reader->groups.ring, slot, group->n_read + BLOCK_BYTES);
	return group->last ? PIPELINE_LAST : GPUCRYPT_OK;
}

/* The page, and whether what follows it is as long as it says.  A block device may be larger than
 * the container on it: its end says nothing. */
static int check_page(struct reader *reader, struct group *group, uint64_t item)
{
	bool whole_input = !reader->source->block_device, final;
	size_t there;
	int status;

	if (group->n_read < PAGE_BYTES)
		return corrupt(reader, item, group->n_read, "truncated");
	status = group_open_page(group, reader->source, &reader->header.header, &reader->keys, item);
	if (status != GPUCRYPT_OK)
		return status;
	there = group->n_read - PAGE_BYTES;
	final = (group->page.flags & PAGE_FINAL) != 0;
	group->stored = payload_bytes(group->page.n_bytes, reader->suite.mode->whole_blocks);
	if (there < group->stored || (whole_input && group->last && !final))
		return corrupt(reader, item, group->n_read, "truncated");
	if (whole_input && (there > group->stored || (final && !group->last)))
		return corrupt(reader, item, PAGE_BYTES + group->stored, "more bytes after the end");
	return GPUCRYPT_OK;
}

bool reader_engine_tags(const struct reader *reader)
{
	return reader->sink != NULL && reader->engine != NULL && reader->engine->tags;
}

/* A hole against zeros.  A group may be hollow without its page saying so: then it is damaged, and
 * its tags tell. */
static int check_holes(struct reader *reader, unsigned slot, struct group *group, uint64_t item)
{
	unsigned chunk_log2 = reader->header.header.chunk_log2;
	struct stretch first;

	if (group->hollow && group_next_stretch(group, chunk_log2, 0, &first) && first.hole &&
	        first.n_bytes == group->stored)
		return GPUCRYPT_OK;
	if (group->hollow) {
		ring_use(&reader->groups.ring, slot, PAGE_BYTES + group->stored + BLOCK_BYTES);
		memset(group->payload, 0, group->stored);
	}
	group->hollow = false;
	for (unsigned i = 0; i < group_chunks(group, chunk_log2); i++) {
		size_t start = (size_t)i << chunk_log2;

		if (page_hole(&group->page, i) &&
		        !all_zero(group->payload + start, group_chunk_bytes(group, i, chunk_log2)))
			return corrupt(reader, item, PAGE_BYTES + start, "a chunk is damaged");
	}
	return GPUCRYPT_OK;
}

/* Each chunk against its tag, in constant time. */
int reader_check_tags(const struct reader *reader, struct group *group, uint64_t item)
{
	unsigned chunk_log2 = reader->header.header.chunk_log2;
	int status = group_tags(group, reader_engine_tags(reader), chunk_log2);

	for (unsigned i = 0; i < group_chunks(group, chunk_log2) && status == GPUCRYPT_OK; i++)
		if (!page_hole(&group->page, i) && CRYPTO_memcmp(group->tags[i], group->page.tags[i], TAG_BYTES) != 0)
			status = corrupt(reader, item, PAGE_BYTES + ((size_t)i << chunk_log2), "a chunk is damaged");
	return status;
}

int reader_authenticate(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	int status = check_page(reader, group, item);

	(void)worker;
	if (status == GPUCRYPT_OK)
		status = check_holes(reader, slot, group, item);
	if (status == GPUCRYPT_OK && !reader_engine_tags(reader))
		status = reader_check_tags(reader, group, item);
	if (status == GPUCRYPT_OK && (group->page.flags & PAGE_FINAL) != 0)
		status = PIPELINE_LAST;
	return status;
}

/* Both by one thread, while the group is in its cache: where pieces need not be read in order. */
static int read_authenticated(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return stage_both(reader_read, reader_authenticate, job, worker, slot, item);
}

int reader_check_filler(const struct reader *reader, const struct group *group, const uint8_t *filler, uint64_t item)
{
	size_t n = group->page.n_bytes;

	return all_zero(filler, group->stored - n) ? GPUCRYPT_OK
	                                           : corrupt(reader, item, PAGE_BYTES + n, "the filler is not zero");
}

static int check_filler(const struct reader *reader, const struct group *group, uint64_t item)
{
	return group->hollow ? GPUCRYPT_OK
	                     : reader_check_filler(reader, group, group->payload + group->page.n_bytes, item);
}

/* When only authenticating, no more is decrypted than the unit that has filler in it. */
static int check_filler_alone(struct reader *reader, unsigned worker, struct group *group, uint64_t item)
{
	size_t from = (group->stored - 1) >> GROUP_UNIT_LOG2 << GROUP_UNIT_LOG2;
	bool hole = page_hole(&group->page, (unsigned)(from >> reader->header.header.chunk_log2));
	int status = hole ? GPUCRYPT_OK : group_crypt(&reader->recheck, worker, group, from, group->stored - from, 0);

	return status == GPUCRYPT_OK ? check_filler(reader, group, item) : status;
}

/* An engine that computes tags does so here, over what it then decrypts. */
static int decrypt_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	bool filler = group->stored > group->page.n_bytes;
	unsigned chunk_log2 = reader->header.header.chunk_log2;
	int status;

	if (reader->engine == NULL || group->stored == 0 || (reader->sink == NULL && !filler))
		return GPUCRYPT_OK;
	if (reader->sink == NULL)
		return check_filler_alone(reader, worker, group, item);
	status = group_crypt_chunks(
	        &reader->recheck, worker, group, reader_engine_tags(reader) ? chunk_log2 : 0, chunk_log2);
	if (status == GPUCRYPT_OK && reader_engine_tags(reader))
		status = reader_check_tags(reader, group, item);
	if (status == GPUCRYPT_OK)
		status = check_filler(reader, group, item);
	return status;
}

/* What only the whole can show, before the last group is released. */
static int check_end(struct reader *reader, const struct group *group, uint64_t item)
{
	const struct header *header = &reader->header.header;
	uint8_t root[MAC_BYTES];
	int status = running_hmac_finish(&reader->root, root);

	if (status == GPUCRYPT_OK && CRYPTO_memcmp(root, group->page.root, sizeof root) != 0)
		status = corrupt(reader, item, 0, "the root is wrong: groups of another version");
	reader->plaintext_bytes = (item << header->group_log2) + group->page.n_bytes;
	if (status == GPUCRYPT_OK && header->plaintext_bytes != LENGTH_UNKNOWN &&
	        header->plaintext_bytes != reader->plaintext_bytes)
		status = corrupt(reader, item, 0, "the length is not that in the header");
	wipe(root, sizeof root);
	return status;
}

/* In order. */
int reader_check_root(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	const struct group *group = &reader->groups.group[slot];

	(void)worker;
	if ((group->page.flags & PAGE_FINAL) != 0)
		return check_end(reader, group, item);
	return running_hmac_add(&reader->root, group->bytes + PAGE_MAC, MAC_BYTES);
}

static int write_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	const struct group *group = &reader->groups.group[slot];

	(void)worker;
	if (reader->sink == NULL || group->page.n_bytes == 0)
		return GPUCRYPT_OK;
	return group_write(reader->sink, group, reader->header.header.chunk_log2, group->page.n_bytes,
	        item << reader->header.header.group_log2);
}

static int report_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	const struct group *group = &reader->groups.group[slot];
	uint64_t end = group_offset(&reader->header.header, item) + PAGE_BYTES + group->stored;

	(void)worker;
	if (reader->progress != NULL)
		reader->progress->report(reader->progress->self, end, reader->source->size_bytes);
	return GPUCRYPT_OK;
}

/* On the CPU who has read a group decrypts it, and no core waits for another. */
static int read_decrypted(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return stage_both(read_authenticated, decrypt_group, job, worker, slot, item);
}

/* Only the stages that there is work for; returns how many.  Tags that no engine computes are checked by
 * who has read the group. */
static unsigned lay_stages(
        struct stage stages[6], const struct reader *reader, unsigned readers, unsigned taggers, unsigned lanes)
{
	bool decrypts = reader->sink != NULL && reader->input.by_position && engine_on_cpu(reader->engine);
	bool tags = reader->input.by_position && !reader_engine_tags(reader);
	unsigned n = 0;

	if (decrypts)
		stages[n++] = (struct stage){ "engine", read_decrypted, lanes };
	else if (tags)
		stages[n++] = (struct stage){ "read", read_authenticated, taggers };
	else
		stages[n++] = (struct stage){ "read", reader_read, readers };
	if (!decrypts && !tags)
		stages[n++] = (struct stage){ "tag", reader_authenticate, taggers };
	if (!decrypts && reader->engine != NULL)
		stages[n++] = (struct stage){ "engine", decrypt_group, lanes };
	stages[n++] = (struct stage){ "check", reader_check_root, 1 };
	if (reader->sink != NULL)
		stages[n++] = (struct stage){ "write", write_group, 1 };
	stages[n++] = (struct stage){ "report", report_group, 1 };
	for (unsigned s = 0; s < n; s++)
		stages[s].workers = ring_workers(&reader->groups.ring, stages[s].workers);
	return n;
}

unsigned reader_readers(struct reader *reader, const struct gpucrypt_plan *plan)
{
	unsigned readers = lookahead_readers(&reader->input, PAGES_START,
	        read_threads(plan, engine_devices(reader->engine), (size_t)1 << reader->header.header.group_log2));

	reader->source_has_holes = reader->input.by_position && source_has_holes(reader->source);
	return readers;
}

static int run_items(void *job, const struct gpucrypt_plan *plan, struct items *items)
{
	struct reader *reader = job;
	unsigned lanes = reader->engine != NULL ? reader->engine->lanes : 1;
	unsigned taggers = tag_workers(plan, reader_engine_tags(reader));
	unsigned readers = reader_readers(reader, plan);
	struct stage stages[6];
	unsigned n_stages;
	int status = items->first == 0 ? running_hmac_start(&reader->root, reader->keys.root) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK)
		status = groups_room(&reader->groups, &reader->recheck, reader->engine, readers + lanes + taggers + 1,
		        &reader->header.header, reader->source, plan);
	if (status != GPUCRYPT_OK)
		return status;
	n_stages = lay_stages(stages, reader, readers, taggers, lanes);
	return pipeline_run_items(reader, stages, n_stages, reader->groups.ring.n_slots, items);
}

/* To authenticate takes no engine, but for the filler, a block or so: the CPU does that. */
static int run(struct reader *reader, const struct gpucrypt_plan *plan, struct report *report)
{
	const struct gpucrypt_plan for_filler = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct items all = { .first = 0 };
	struct opening opening;
	int status;

	if (reader->sink != NULL) {
		opening_start(&opening, &reader->suite, plan);
		return relay_run(&opening, &reader->engine, report, run_items, reader);
	}
	if (reader->suite.mode->whole_blocks) {
		status = engine_open(&reader->engine, &reader->suite, &for_filler);
		if (status != GPUCRYPT_OK)
			return status;
		report_engine(report, reader->engine);
	}
	status = run_items(reader, plan, &all);
	report_items(report, &all);
	return status;
}

struct reader reader_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress)
{
	return (struct reader){ .source = source,
		.sink = sink,
		.progress = progress,
		.input = { .source = source,
		        .limit_bytes = UINT64_MAX,
		        .expected_bytes = UINT64_MAX,
		        .end_unasked = source->block_device } };
}

void reader_close(struct reader *reader)
{
	running_hmac_free(&reader->root);
	lookahead_close(&reader->input);
	groups_close(&reader->groups);
	recheck_close(&reader->recheck);
	engine_close(reader->engine);
	wipe(reader, sizeof *reader);
}

int container_decrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct reader reader = reader_of(source, sink, progress);
	const char *note = reader.header.copies.note;
	int status;

	if (report != NULL)
		*report = (struct report){ 0 };
	status = container_begin(source, sink, secret, &reader.header, &reader.keys, &reader.suite, report);
	if (status == GPUCRYPT_OK && sink != NULL)
		status = sink_admits(sink, reader.header.header.plaintext_bytes);
	if (status == GPUCRYPT_OK)
		status = run(&reader, plan, report);
	if (status == GPUCRYPT_OK && report != NULL)
		report->plaintext_bytes = reader.plaintext_bytes;
	if (status == GPUCRYPT_OK && sink == NULL && header_needs_repair(&reader.header.copies)) {
		if (report != NULL)
			report->payload_good = true;
		status = fail(GPUCRYPT_CORRUPT, "%s: %s", source->name, note);
	}
	reader_close(&reader);
	return status;
}
