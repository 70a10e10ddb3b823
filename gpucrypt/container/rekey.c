/* Rekeying.  Read → authenticate → decrypt and encrypt → tag → seal → write, all in one slot: a group's new page and
 * payload overwrite the old ones, and with a device, plaintext is only in the device's memory.  Where that cannot be
 * done, by two pipelines. */
#include "gpucrypt/container/rekey.h"

#include <string.h>

#include "gpucrypt/pipeline/handoff.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

/* Group by group. */

void recryptor_close(struct recryptor *job)
{
	writer_close(&job->writer);
	reader_close(&job->reader);
}

/* The new group in the slot of the old one, with a fresh salt.  Holes stay holes. */
static int start_group(struct group_writer *writer, struct group *group, const struct group *old)
{
	*group = (struct group){ .slot = old->slot,
		.bytes = old->bytes,
		.payload = old->payload,
		.last = (old->page.flags & PAGE_FINAL) != 0,
		.chunk_log2 = writer->groups.chunk_log2,
		.group_log2 = writer->groups.group_log2,
		.sector_log2 = writer->groups.sector_log2,
		.page = { .group = old->page.group, .n_bytes = old->page.n_bytes, .flags = old->page.flags } };
	memcpy(group->page.holes, old->page.holes, sizeof group->page.holes);
	group_set_length(group, old->page.n_bytes, writer->suite.mode->whole_blocks);
	return random_bytes(group->page.salt, sizeof group->page.salt)
	               ?: group_keys_derive(&group->keys, &writer->keys, group->page.group, group->page.salt);
}

/* The last extent may be longer, or shorter, in the new mode. */
static int recrypt_extent(
        struct recryptor *job, unsigned worker, struct group *group, struct group *old, const struct extent *extent)
{
	const struct engine *engine = job->writer.groups.engine, *before = engine->before;
	size_t from = extent->from, old_n = extent->n_bytes,
	       n = from + old_n < old->stored ? old_n : group->stored - from, left = group->page.n_bytes - from;
	struct recryption both = {
		.decrypt = group_work(old, before->suite.mode, from, old_n, before->tags),
		.encrypt = group_work(group, engine->suite.mode, from, n, engine->tags),
		.plain_bytes = left < n ? left : n,
	};
	int status;

	status = recheck_recrypt(&job->writer.groups.recheck, worker, &both, group->page.group);
	if (both.encrypt.slot != NULL) {
		group_find_bytes(group);
		group_find_bytes(old);
	}
	memcpy(old->padding, both.filler, BLOCK_BYTES);
	return status;
}

/* Recrypt the chunks in memory; the first chunks start the new group. */
static int recrypt_chunks(struct group_reader *reader, unsigned worker, struct group *old)
{
	struct recryptor *job = (struct recryptor *)reader;
	struct group *group = &job->writer.groups.group[old - reader->groups.group];
	struct extent extent;
	int status = old->start == 0 ? start_group(&job->writer, group, old) : GPUCRYPT_OK;

	for (size_t at = old->start; status == GPUCRYPT_OK && group_next_extent(old, at, &extent); at += extent.n_bytes)
		if (!extent.hole)
			status = recrypt_extent(job, worker, group, old, &extent);
	return status;
}

static int tag_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return writer_tag(&((struct recryptor *)job)->writer, worker, slot, item);
}

/* In order, and before the new page takes the place of the old one. */
static int seal_group(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct recryptor *job = self;

	return reader_check_root(&job->reader, worker, slot, item) ?: writer_seal(&job->writer, worker, slot, item);
}

static int write_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return writer_write(&((struct recryptor *)job)->writer, worker, slot, item);
}

static int report_group(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	return writer_report(&((struct recryptor *)job)->writer, worker, slot, item);
}

/* Pass the groups through all stages: all of them, or those of a partial reader and a ranged writer, which must be the
 * same. */
static int recrypt_groups(struct recryptor *job, const struct gpucrypt_plan *plan, struct report *report)
{
	struct group_reader *reader = &job->reader;
	struct group_writer *writer = &job->writer;
	const struct header *header = &writer->header;
	uint64_t size = writer->ranged ? writer_bytes(writer) : reader->source->size_bytes;
	unsigned slots, taggers = tag_workers(plan, writer->groups.engine->tags);
	struct stage stages[READER_STAGES + 4] = {
		[READER_STAGES] = { "tag", tag_group, taggers },
		{ "seal", seal_group, 1 },
		{ "write", write_group, 1 },
		{ "report", report_group, 1 },
	};
	struct items all = { .first = writer->first };
	int status = reader_stages(reader, plan, stages, &slots);

	slots += taggers;
	reader->recrypt = recrypt_chunks;
	running_hmac_free(&reader->root);
	running_hmac_free(&writer->root);
	if (status == GPUCRYPT_OK && reader->groups.group == NULL)
		status = groups_open(
		        &reader->groups, slots, header, layout_groups(header->group_log2, size), plan->memory_bytes);
	if (status == GPUCRYPT_OK && writer->groups.group == NULL)
		status = groups_prepare(&writer->groups, slots, header, size, plan);
	status = status
	                 ?: running_hmac_start(&reader->root, reader->keys.root)
	                 ?: running_hmac_start(&writer->root, writer->keys.root)
	                 ?: pipeline_run(job, stages, sizeof stages / sizeof *stages, reader->groups.ring.n_slots,
	                            &all);
	report_items(report, &all);
	return status;
}

int recryptor_run_range(
        struct recryptor *job, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan, struct report *report)
{
	unsigned group_log2 = job->writer.header.group_log2;
	uint64_t to = end << group_log2, whole = job->reader.plaintext_bytes;

	job->writer.first = first;
	job->writer.end = end;
	job->reader.from = first << group_log2;
	job->reader.to = to < whole ? to : whole;
	return recrypt_groups(job, plan, report);
}

static int open_second(struct recryptor *job, const struct rekey *rekey, struct report *report)
{
	struct group_writer *writer = &job->writer;
	int status =
	        engine_open_after(&writer->groups.engine, &writer->suite, rekey->encrypt, &job->reader.groups.engine);

	if (status == GPUCRYPT_OK)
		report_engine(report, writer->groups.engine);
	return status;
}

int recryptor_open_engines(struct recryptor *job, const struct rekey *rekey, struct report *report)
{
	const struct gpucrypt_plan plan = plan_before(rekey->decrypt, rekey->encrypt);

	return engine_open(&job->reader.groups.engine, &job->reader.suite, &plan) ?: open_second(job, rekey, report);
}

/* The first engine is opened while the new file key is wrapped. */
static int write_header(struct recryptor *job, const struct rekey *rekey, struct report *report)
{
	struct group_reader *reader = &job->reader;
	struct group_writer *writer = &job->writer;
	const struct gpucrypt_plan plan = plan_before(rekey->decrypt, rekey->encrypt);
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct opening opening;
	int status, opened;

	opening_start(&opening, &reader->suite, &plan, NULL);
	status = writer_make_header(writer, copies, rekey->secrets);
	opened = opening_finish(&opening, &reader->groups.engine);
	return status
	               ?: opened
	               ?: open_second(job, rekey, report)
	               ?: writer->sink->write(writer->sink, copies, sizeof copies, 0);
}

static int recrypt(const struct rekey *rekey, struct report *report)
{
	struct recryptor job = { .reader = reader_of(rekey->source, rekey->sink, NULL) };
	struct group_reader *reader = &job.reader;
	struct report unused = { 0 };
	int status;

	report = report != NULL ? report : &unused;
	status = reader_begin(reader, rekey->secret, &(struct report){ 0 }) ?: reader_check_sizes(reader);
	job.plain = (struct source){ .fd = -1,
		.name = rekey->source->name,
		.size_bytes = reader->header.header.plaintext_bytes,
		.content = reader->header.header.content };
	job.writer = writer_of(&job.plain, rekey->sink, rekey->progress);
	status = status
	                 ?: writer_describe(&job.writer, *rekey->encrypt)
	                 ?: writer_check_room(&job.writer)
	                 ?: write_header(&job, rekey, report)
	                 ?: recrypt_groups(&job, rekey->encrypt, report);
	report->plaintext_bytes = reader->plaintext_bytes;
	recryptor_close(&job);
	return status;
}

/* Through memory. */

struct encryption {
	const struct rekey *rekey;
	struct handoff handoff;
	struct source plain; /* its other end */
	struct report *report;
};

static void *encrypt_plain(void *argument)
{
	struct encryption *new = argument;
	const struct rekey *rekey = new->rekey;
	void *locked = locked_stack();

	handoff_end_reading(&new->handoff, container_encrypt(&new->plain, rekey->sink, rekey->encrypt, rekey->secrets,
	                                           rekey->progress, new->report));
	locked_stack_release(locked);
	return NULL;
}

/* Decrypt and encrypt by two pipelines, with the plaintext in memory.  If encryption fails, the next write of the
 * decryption fails with the same text. */
static int rekey_through_memory(const struct rekey *rekey, const struct header *header, struct report *report)
{
	struct encryption new = { .rekey = rekey, .report = report };
	struct handoff *handoff = &new.handoff;
	pthread_t thread;
	int status;

	handoff_open(handoff);
	handoff_source(handoff, &new.plain, header->plaintext_bytes);
	new.plain.content = header->content;
	if (pthread_create(&thread, NULL, encrypt_plain, &new) == 0) {
		status = container_decrypt(rekey->source, &handoff->sink, rekey->decrypt, rekey->secret, NULL, NULL);
		handoff_end_writing(handoff, status == GPUCRYPT_OK);
		pthread_join(thread, NULL);
		if (status == GPUCRYPT_OK && handoff->status != GPUCRYPT_OK)
			status = fail((enum gpucrypt_status)handoff->status, "%s", handoff->text);
	} else
		status = fail(GPUCRYPT_OTHER, "a thread cannot be started");
	handoff_close(handoff);
	return status;
}

const char *rekey_detour(unsigned chunk_log2, unsigned group_log2, const struct gpucrypt_plan *encrypt)
{
	struct gpucrypt_plan plan = *encrypt;

	if (container_sizes(&plan) == GPUCRYPT_OK && (plan.chunk_log2 != chunk_log2 || plan.group_log2 != group_log2))
		return "groups of other sizes (--chunk-log2, --group-log2)";
	if (plan.sparse)
		return "a search for holes (--sparse)";
	if (plan.engine == GPUCRYPT_HYBRID)
		return "several engines (--engine all)";
	return NULL;
}

_Static_assert(LENGTH_UNKNOWN == UINT64_MAX, "as size_bytes of a source");

int container_rekey(const struct rekey *rekey, struct authenticated_header *old, struct report *report)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct file_keys keys = { 0 };
	/* The new header gets length and content of the old one. */
	int status = container_peek(rekey->source, copies)
	                     ?: container_unlock_copies(rekey->source, old, &keys, copies, rekey->secret);

	wipe(&keys, sizeof keys);
	if (status != GPUCRYPT_OK)
		return status;
	if (rekey_detour(old->header.chunk_log2, old->header.group_log2, rekey->encrypt) != NULL)
		return rekey_through_memory(rekey, &old->header, report);
	return recrypt(rekey, report);
}
