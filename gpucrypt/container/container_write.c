/* Encrypting into a container: read → encrypt → tag → seal → write (gcrypt(5)). */
#include "gpucrypt/container/writer.h"

#include <string.h>

#include "gpucrypt/container/group_holes.h"
#include "gpucrypt/keys/kdf_cost.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/pipeline/relay.h"
#include "gpucrypt/status.h"

/* Does the file system know that the group is nothing but zeros?  Not of the last one: there the end
 * is looked at. */
static bool is_hollow(const struct writer *writer, uint64_t item)
{
	unsigned group_log2 = writer->header.group_log2;

	return writer->source_has_holes && (item + 1) << group_log2 < writer->source->size_bytes &&
	       source_hole(writer->source, item << group_log2, UINT64_C(1) << group_log2);
}

/* A page is all zero but for what the stages put in; ECB and XTS fill the last block with zeros. */
static int read_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	size_t got;
	int status = groups_take(&writer->groups, slot);

	(void)worker;
	group->hollow = false;
	if (status == GPUCRYPT_OK && writer->part != NULL)
		status = writer_keep(writer, group, item);
	if (status == GPUCRYPT_OK && group->kept)
		return group->last ? PIPELINE_LAST : GPUCRYPT_OK;
	if (status != GPUCRYPT_OK)
		return status;
	group->hollow = is_hollow(writer, item);
	if (group->hollow) {
		got = (size_t)1 << writer->header.group_log2;
		group->last = false;
	} else
		status = lookahead_read(&writer->input, item, group->payload, (size_t)1 << writer->header.group_log2,
		        &got, &group->last);
	if (status != GPUCRYPT_OK) {
		ring_use(&writer->groups.ring, slot, SIZE_MAX); /* whatever was read is there */
		return status;
	}
	group->page = (struct page){ .group = item, .n_bytes = got, .flags = group->last ? PAGE_FINAL : 0 };
	group->stored = payload_bytes(got, writer->suite.mode->whole_blocks);
	memset(group->payload + got, 0, group->stored - got);
	if (writer->sparse)
		group_dig_holes(group, writer->header.chunk_log2);
	ring_use(&writer->groups.ring, slot, PAGE_BYTES + (group->hollow ? 0 : group->stored) + BLOCK_BYTES);
	return group->last ? PIPELINE_LAST : GPUCRYPT_OK;
}

/* The salt is fresh for every time that plaintext is read, so no key meets two plaintexts. */
static int encrypt_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	int status;

	if (group->kept)
		return GPUCRYPT_OK;
	status = random_bytes(group->page.salt, sizeof group->page.salt);
	if (status == GPUCRYPT_OK)
		status = group_keys_derive(&group->keys, &writer->keys, item, group->page.salt);
	if (status == GPUCRYPT_OK && group->stored > 0 && writer->engine != NULL)
		status = group_crypt_chunks(&writer->recheck, worker, group,
		        writer->engine->tags ? writer->header.chunk_log2 : 0, writer->header.chunk_log2);
	return status;
}

static bool engine_tags(const struct writer *writer)
{
	return writer->engine != NULL && writer->engine->tags;
}

int writer_tag(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	int status;

	if (group->kept)
		return GPUCRYPT_OK;
	status = group_tags(group, engine_tags(writer), writer->header.chunk_log2);

	(void)worker;
	(void)item;
	memcpy(group->page.tags, group->tags, group_chunks(group, writer->header.chunk_log2) * TAG_BYTES);
	return status;
}

/* In order: the final page holds the root, which is made of all page MACs before.  A kept page comes
 * out as it was, unless its root has become another: ciphertext and tags stay, so its salt does. */
int writer_seal(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct writer *writer = job;
	struct group *group = &writer->groups.group[slot];
	int status = GPUCRYPT_OK;

	(void)worker;
	(void)item;
	if (group->last)
		status = running_hmac_finish(&writer->root, group->page.root);
	page_encode(group->bytes, &group->page);
	if (status == GPUCRYPT_OK)
		status = page_seal(group->bytes, &group->keys);
	if (status == GPUCRYPT_OK && !group->last)
		status = running_hmac_add(&writer->root, group->bytes + PAGE_MAC, MAC_BYTES);
	return status;
}

int writer_write(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct writer *writer = job;
	struct group *group = &writer->groups.group[slot];

	uint64_t offset = group_offset(&writer->header, item);
	int status;

	(void)worker;
	if (group->kept && !group->last)
		return GPUCRYPT_OK;
	if (!group_has_holes(group))
		return writer->sink->write(writer->sink, group->bytes, PAGE_BYTES + group->stored, offset);
	status = writer->sink->write(writer->sink, group->bytes, PAGE_BYTES, offset);
	return status == GPUCRYPT_OK
	               ? group_write(writer->sink, group, writer->header.chunk_log2, group->stored, offset + PAGE_BYTES)
	               : status;
}

int writer_report(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct writer *writer = job;
	const struct group *group = &writer->groups.group[slot];
	uint64_t done = (item << writer->header.group_log2) + group->page.n_bytes;

	(void)worker;
	if (writer->progress != NULL)
		writer->progress->report(writer->progress->self, done, writer->source->size_bytes);
	return GPUCRYPT_OK;
}

int container_sizes(struct gpucrypt_plan *plan)
{
	unsigned chunk = plan->chunk_log2, group = plan->group_log2;

	if (chunk == 0) {
		chunk = CHUNK_LOG2_DEFAULT;
		if (group > chunk + 7)
			chunk = group - 7;
		else if (group != 0 && group < chunk)
			chunk = group;
	}
	if (group == 0)
		group = chunk + 7 < GROUP_LOG2_DEFAULT ? chunk + 7 : GROUP_LOG2_DEFAULT;
	if (chunk < 12 || chunk > 20)
		return fail(GPUCRYPT_USAGE, "chunks of 2^%u bytes: it must be from 2^12 to 2^20", chunk);
	if (group < chunk || group > chunk + 7 || group > 26)
		return fail(GPUCRYPT_USAGE,
		        "groups of 2^%u bytes: with chunks of 2^%u it must be "
		        "from 2^%u to 2^%u",
		        group, chunk, chunk, chunk + 7 < 26 ? chunk + 7 : 26);
	plan->chunk_log2 = chunk;
	plan->group_log2 = group;
	return GPUCRYPT_OK;
}

int writer_describe(struct writer *writer, struct gpucrypt_plan plan)
{
	struct header *header = &writer->header;
	int status = suite_of_plan(&writer->suite, &plan, ENCRYPT);

	if (status == GPUCRYPT_OK)
		status = container_sizes(&plan);
	writer->sparse = plan.sparse;
	if (status == GPUCRYPT_OK && plan.sparse && plan.sector_log2 != 0)
		status = fail(GPUCRYPT_USAGE, "a detached image has no holes");
	if (status == GPUCRYPT_OK && plan.sector_log2 != 0)
		status = detached_image_check(writer->source, plan.sector_log2);
	if (status != GPUCRYPT_OK)
		return status;
	*header = (struct header){ .version = 1,
		.layout = plan.sector_log2 != 0 ? LAYOUT_DETACHED : LAYOUT_INLINE,
		.content = writer->source->content,
		.cipher_id = writer->suite.cipher->id,
		.key_bytes = (uint8_t)writer->suite.key_bytes,
		.mode_id = writer->suite.mode->id,
		.tag_id = TAG_POLY1305_AES,
		.chunk_log2 = (uint8_t)plan.chunk_log2,
		.group_log2 = (uint8_t)plan.group_log2,
		.sector_log2 = (uint8_t)plan.sector_log2,
		.plaintext_bytes = writer->source->size_bytes,
		.sequence = 1 };
	return GPUCRYPT_OK;
}

/* A slot for each secret of the list. */
static int make_slots(
        struct header *header, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES])
{
	unsigned log2_n;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; secret != NULL && status == GPUCRYPT_OK; i++, secret = secret->next) {
		if (i == N_KEY_SLOTS)
			return fail(GPUCRYPT_USAGE, "a container has %d key slots", N_KEY_SLOTS);
		status = kdf_cost(&log2_n, secret);
		if (status == GPUCRYPT_OK)
			status = key_slot_make(&header->slots[i], secret, file_key, header->file_salt, log2_n);
	}
	return status;
}

int writer_make_header(
        struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	struct header *header = &writer->header;
	uint8_t file_key[FILE_KEY_BYTES];
	int status = random_bytes(file_key, sizeof file_key);

	if (status == GPUCRYPT_OK)
		status = random_bytes(header->file_salt, sizeof header->file_salt);
	if (status == GPUCRYPT_OK)
		status = make_slots(header, secret, file_key);
	if (status == GPUCRYPT_OK) {
		header_encode(copies, header);
		status = file_keys_derive(&writer->keys, file_key, copies);
	}
	if (status == GPUCRYPT_OK)
		status = header_seal(copies, &writer->keys);
	memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
	wipe(file_key, sizeof file_key);
	return status;
}

/* On the CPU who has read a group encrypts it, and no core waits for another. */
static int read_encrypted(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return stage_both(read_group, encrypt_group, job, worker, slot, item);
}

static unsigned lay_stages(
        struct stage stages[6], const struct writer *writer, unsigned readers, unsigned lanes, unsigned taggers)
{
	bool by_reader = writer->input.by_position && engine_on_cpu(writer->engine);
	unsigned n = 0;

	if (by_reader)
		stages[n++] = (struct stage){ "engine", read_encrypted, lanes };
	else
		stages[n++] = (struct stage){ "read", read_group, readers };
	if (!by_reader)
		stages[n++] = (struct stage){ "engine", encrypt_group, lanes };
	stages[n++] = (struct stage){ "tag", writer_tag, taggers };
	stages[n++] = (struct stage){ "seal", writer_seal, 1 };
	stages[n++] = (struct stage){ "write", writer_write, 1 };
	stages[n++] = (struct stage){ "report", writer_report, 1 };
	for (unsigned s = 0; s < n; s++)
		stages[s].workers = ring_workers(&writer->groups.ring, stages[s].workers);
	return n;
}

static int start(struct writer *writer)
{
	writer->source_has_holes = writer->sparse && writer->input.by_position && source_has_holes(writer->source);
	return running_hmac_start(&writer->root, writer->keys.root);
}

int writer_run_items(void *job, const struct gpucrypt_plan *plan, struct items *items)
{
	struct writer *writer = job;
	unsigned lanes = writer->engine != NULL ? writer->engine->lanes : 1,
	         taggers = tag_workers(plan, engine_tags(writer));
	unsigned readers = lookahead_readers(&writer->input, 0,
	        read_threads(plan, engine_devices(writer->engine), (size_t)1 << writer->header.group_log2));
	struct stage stages[6];
	unsigned n_stages;
	int status = items->first == 0 ? start(writer) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK)
		status = groups_room(&writer->groups, &writer->recheck, writer->engine, readers + lanes + taggers,
		        &writer->header, writer->source, plan);
	if (status != GPUCRYPT_OK)
		return status;
	n_stages = lay_stages(stages, writer, readers, lanes, taggers);
	status = pipeline_run_items(writer, stages, n_stages, writer->groups.ring.n_slots, items);
	return status == GPUCRYPT_OK && items->ended ? lookahead_finish(&writer->input) : status;
}

int writer_run(struct writer *writer, const struct gpucrypt_plan *plan, struct report *report)
{
	struct items all = { .first = 0 };
	int status = writer_run_items(writer, plan, &all);

	report_items(report, &all);
	return status;
}

void writer_close(struct writer *writer)
{
	running_hmac_free(&writer->root);
	lookahead_close(&writer->input);
	groups_close(&writer->groups);
	recheck_close(&writer->recheck);
	engine_close(writer->engine);
	wipe(writer, sizeof *writer);
}

struct writer writer_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress)
{
	return (struct writer){ .source = source,
		.sink = sink,
		.progress = progress,
		.input = { .source = source, .limit_bytes = UINT64_MAX, .expected_bytes = source->size_bytes } };
}

/* Header, pages and payload, if no chunk is left out as a hole. */
static uint64_t container_bytes(const struct writer *writer)
{
	uint64_t size = writer->source->size_bytes, group = UINT64_C(1) << writer->header.group_log2;
	uint64_t n_groups = size / group + (size % group != 0 || size == 0);

	return size == UINT64_MAX || writer->sparse ? UINT64_MAX : PAGES_START + n_groups * PAGE_BYTES + size;
}

int writer_admit(const struct writer *writer)
{
	return sink_admits(writer->sink, container_bytes(writer));
}

struct encryption {
	struct writer writer;
	uint8_t copies[2 * HEADER_COPY_BYTES];
};

/* Not before there is an engine: the header goes first. */
static int encrypt_items(void *job, const struct gpucrypt_plan *plan, struct items *items)
{
	struct encryption *e = job;
	struct sink *sink = e->writer.sink;
	int status = items->first == 0 ? sink->write(sink, e->copies, sizeof e->copies, 0) : GPUCRYPT_OK;

	return status == GPUCRYPT_OK ? writer_run_items(&e->writer, plan, items) : status;
}

int container_encrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct encryption e = { .writer = writer_of(source, sink, progress) };
	struct writer *writer = &e.writer;
	struct opening opening;
	int status;

	if (report != NULL)
		*report = (struct report){ 0 };
	status = writer_describe(writer, *plan);
	if (status == GPUCRYPT_OK)
		status = writer_admit(writer);
	if (status != GPUCRYPT_OK)
		goto done;
	opening_start(&opening, &writer->suite, plan);
	status = writer_make_header(writer, e.copies, secret);
	if (status == GPUCRYPT_OK)
		status = relay_run(&opening, &writer->engine, report, encrypt_items, &e);
	else
		opening_finish(&opening, &writer->engine);
	if (status == GPUCRYPT_OK && report != NULL)
		report->plaintext_bytes = writer->input.read_bytes;
done:
	writer_close(writer);
	return status;
}
