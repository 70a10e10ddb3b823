/*
 * Rekeying on the engine: read → authenticate → decrypt and encrypt → tag → seal → write, all in one
 * slot.  A group's old page and payload give way to the new ones where they lie; an engine that is a
 * device has plaintext in its own memory only.
 */
#include <string.h>

#include "gpucrypt/container/group_holes.h"
#include "gpucrypt/engine/opening.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/container/reader.h"
#include "gpucrypt/container/rekey.h"
#include "gpucrypt/status.h"
#include "gpucrypt/container/writer.h"

struct recryptor {
	struct writer writer; /* first: stages of a writer take it for one */
	struct reader reader; /* whose ring both use; the writer's has no memory */
	struct source plain;  /* is not read: its length and content are the new header's */
};

static int read_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return reader_read(&((struct recryptor *)job)->reader, worker, slot, item);
}

static int authenticate_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return reader_authenticate(&((struct recryptor *)job)->reader, worker, slot, item);
}

/* The new group where the old one is, with a fresh salt.  Holes stay holes. */
static int begin_group(struct writer *writer, struct group *group, const struct group *old)
{
	bool final = (old->page.flags & PAGE_FINAL) != 0;
	int status;

	group->bytes = old->bytes;
	group->payload = old->payload;
	group->sector_log2 = writer->groups.sector_log2;
	group->last = final;
	group->page = (struct page){ .group = old->page.group,
		.n_bytes = old->page.n_bytes,
		.flags = old->page.flags & (PAGE_FINAL | PAGE_HOLES) };
	memcpy(group->page.holes, old->page.holes, sizeof group->page.holes);
	group->stored = payload_bytes(old->page.n_bytes, writer->suite.mode->whole_blocks);
	status = random_bytes(group->page.salt, sizeof group->page.salt);
	return status == GPUCRYPT_OK
	               ? group_keys_derive(&group->keys, &writer->keys, group->page.group, group->page.salt)
	               : status;
}

/* Chunk size for an engine that computes tags. */
static unsigned tag_log2(const struct engine *engine, const struct header *header)
{
	return engine->tags ? header->chunk_log2 : 0;
}

/* Bytes of a group from a place on, of which the old one has n up to its end or to another chunk. */
static size_t stretch_of(const struct group *group, const struct group *old, size_t from, size_t n)
{
	return from + n < old->stored ? n : group->stored - from;
}

/* Chunks that are no holes. */
static int recrypt_stretch(struct recryptor *job, unsigned worker, struct group *group, struct group *old,
        const struct stretch *stretch, uint8_t filler[BLOCK_BYTES])
{
	const struct header *header = &job->writer.header;
	const struct engine *engine = job->writer.engine, *before = engine->before;
	size_t from = stretch->from, n = stretch_of(group, old, from, stretch->n_bytes),
	       left = group->page.n_bytes - from;
	struct recryption both = {
		.decrypt = group_work(
		        old, before->suite.mode, header->group_log2, from, stretch->n_bytes, tag_log2(before, header)),
		.encrypt = group_work(group, engine->suite.mode, header->group_log2, from, n, tag_log2(engine, header)),
		.plain_bytes = left < n ? left : n,
	};
	int status;

	both.decrypt.tag_room = both.encrypt.tag_room = false; /* it is one room for two */
	status = recheck_recrypt(&job->writer.recheck, worker, &both, group->page.group);
	memcpy(filler, both.filler, BLOCK_BYTES);
	return status;
}

static int recrypt_group(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct recryptor *job = self;
	struct group *group = &job->writer.groups.group[slot], *old = &job->reader.groups.group[slot];
	unsigned chunk_log2 = job->writer.header.chunk_log2;
	uint8_t filler[BLOCK_BYTES] = { 0 };
	struct stretch stretch;
	int status = begin_group(&job->writer, group, old);

	if (!old->hollow)
		ring_use(&job->reader.groups.ring, slot, PAGE_BYTES + old->stored + BLOCK_BYTES);
	for (size_t at = 0; status == GPUCRYPT_OK && group_next_stretch(old, chunk_log2, at, &stretch);
	        at += stretch.n_bytes)
		if (!stretch.hole)
			status = recrypt_stretch(job, worker, group, old, &stretch, filler);
	if (status == GPUCRYPT_OK && reader_engine_tags(&job->reader))
		status = reader_check_tags(&job->reader, old, item);
	if (status == GPUCRYPT_OK)
		status = reader_check_filler(&job->reader, old, filler, item);
	return status;
}

/* In order, and before the new page takes the place of the old one. */
static int seal_group(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct recryptor *job = self;
	int status = reader_check_root(&job->reader, worker, slot, item);

	return status == GPUCRYPT_OK ? writer_seal(&job->writer, worker, slot, item) : status;
}

static int run(struct recryptor *job, const struct gpucrypt_plan *plan)
{
	struct reader *reader = &job->reader;
	struct writer *writer = &job->writer;
	const struct header *header = &writer->header;
	uint64_t size = reader->source->size_bytes,
	         n_groups = size == UINT64_MAX ? UINT64_MAX : (size >> header->group_log2) + 1;
	unsigned readers = reader_readers(reader, plan), lanes = writer->engine->lanes,
	         checkers = tag_workers(plan, reader->engine->tags), taggers = tag_workers(plan, writer->engine->tags),
	         workers = readers + checkers + lanes + taggers + 1;
	const struct ring *ring = &reader->groups.ring;
	int status = groups_open(&reader->groups, reader->engine, workers, header, n_groups, plan->memory_bytes);

	if (status == GPUCRYPT_OK)
		status = groups_open(&writer->groups, reader->engine, workers, header, n_groups, plan->memory_bytes);
	if (status == GPUCRYPT_OK)
		status = recheck_open(&writer->recheck, writer->engine, plan, header->group_log2, header->chunk_log2);
	if (status == GPUCRYPT_OK)
		status = running_hmac_start(&reader->root, reader->keys.root);
	if (status == GPUCRYPT_OK)
		status = running_hmac_start(&writer->root, writer->keys.root);
	if (status == GPUCRYPT_OK) {
		const struct stage stages[] = { { "read", read_group, ring_workers(ring, readers) },
			{ "tag", authenticate_group, ring_workers(ring, checkers) },
			{ "engine", recrypt_group, ring_workers(ring, lanes) },
			{ "tag", writer_tag, ring_workers(ring, taggers) }, { "seal", seal_group, 1 },
			{ "write", writer_write, 1 }, { "report", writer_report, 1 } };

		status = pipeline_run(job, stages, sizeof stages / sizeof stages[0], ring->n_slots);
	}
	return status;
}

/* The old container's suite on the new one's engine. */
static struct gpucrypt_plan plan_to_decrypt(const struct rekey *rekey)
{
	struct gpucrypt_plan plan = *rekey->decrypt;
	const struct gpucrypt_plan *encrypt = rekey->encrypt;

	plan.engine = encrypt->engine;
	plan.device = encrypt->device;
	plan.or_cpu = encrypt->or_cpu;
	plan.threads = encrypt->threads;
	plan.n_parts = 0;
	return plan;
}

/* The first engine is opened while the new file key is wrapped. */
static int begin(struct recryptor *job, const struct rekey *rekey, struct report *report)
{
	struct reader *reader = &job->reader;
	struct writer *writer = &job->writer;
	struct gpucrypt_plan plan = plan_to_decrypt(rekey);
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct opening opening;
	int status, opened;

	opening_start(&opening, &reader->suite, &plan);
	status = writer_make_header(writer, copies, rekey->secrets);
	opened = opening_finish(&opening, &reader->engine);
	if (status == GPUCRYPT_OK)
		status = opened;
	if (status == GPUCRYPT_OK)
		status = engine_open_after(&writer->engine, &writer->suite, rekey->encrypt, &reader->engine);
	if (status != GPUCRYPT_OK)
		return status;
	report_engine(report, writer->engine);
	return writer->sink->write(writer->sink, copies, sizeof copies, 0);
}

int container_recrypt(const struct rekey *rekey, struct report *report)
{
	struct recryptor job = { .reader = reader_of(rekey->source, rekey->sink, NULL) };
	struct reader *reader = &job.reader;
	int status = container_begin(
	        rekey->source, rekey->sink, rekey->secret, &reader->header, &reader->keys, &reader->suite, NULL);

	job.plain = (struct source){ .fd = -1,
		.name = rekey->source->name,
		.size_bytes = reader->header.header.plaintext_bytes,
		.content = reader->header.header.content };
	job.writer = writer_of(&job.plain, rekey->sink, rekey->progress);
	if (status == GPUCRYPT_OK)
		status = writer_describe(&job.writer, *rekey->encrypt);
	if (status == GPUCRYPT_OK)
		status = writer_admit(&job.writer);
	if (status == GPUCRYPT_OK)
		status = begin(&job, rekey, report);
	if (status == GPUCRYPT_OK)
		status = run(&job, rekey->encrypt);
	if (status == GPUCRYPT_OK && report != NULL)
		report->plaintext_bytes = reader->plaintext_bytes;
	writer_close(&job.writer);
	reader_close(reader);
	return status;
}
