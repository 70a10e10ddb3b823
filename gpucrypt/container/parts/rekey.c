#include "gpucrypt/container/parts/rekey.h"

#include <string.h>

#include "gpucrypt/container/parts/part_reader.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/range.h"
#include "gpucrypt/status.h"

/* The old container. */

/* The descriptor identifies the file in the start record. */
int container_rekey_open(struct group_reader *reader, struct source *plain, struct start_parts *parts,
        const struct gpucrypt_secret *secret)
{
	const struct source *container = reader->source;
	int status;

	reader->partial = true;
	status = range_begin(reader, secret, &(struct report){ 0 });
	*plain = (struct source){ .fd = container->fd,
		.name = container->name,
		.size_bytes = reader->plaintext_bytes,
		.content = reader->header.header.content };
	memcpy(parts->version, reader->final_mac, sizeof parts->version);
	return status;
}

int container_rekey_source(
        struct source *plain, struct start_parts *parts, struct source *container, const struct gpucrypt_secret *secret)
{
	struct group_reader reader = reader_of(container, NULL, NULL);
	int status = container_rekey_open(&reader, plain, parts, secret);

	reader_close(&reader);
	return status;
}

/* A part. */

static int open_part(struct recryptor *job, struct started *started, struct source *file, const struct rekey *rekey,
        struct start_parts *parts)
{
	const struct header *old = &job->reader.header.header;
	const char *detour;
	int status =
	        source_rewind(rekey->source) ?: container_rekey_open(&job->reader, &job->plain, parts, rekey->secret);

	if (status != GPUCRYPT_OK)
		return status;
	detour = rekey_detour(old->chunk_log2, old->group_log2, rekey->encrypt);
	if (detour != NULL)
		return fail(
		        GPUCRYPT_USAGE, "%s: rekey by parts cannot be combined with %s", rekey->source->name, detour);
	status = parts_open(started, &job->plain, file, rekey->secrets, parts);
	job->writer = writer_of(&job->plain, rekey->sink, rekey->progress);
	return status ?: part_writer_describe(&job->writer, file, started, rekey->encrypt, rekey->secrets);
}

/* The groups first … end - 1; of none there is only the digest. */
static int recrypt_range(
        struct recryptor *job, uint64_t first, uint64_t end, const struct rekey *rekey, struct report *report)
{
	if (first < end) {
		return recryptor_open_engines(job, rekey, report)
		               ?: recryptor_run_range(job, first, end, rekey->encrypt, report);
	}
	return part_reader_run(&job->reader, first, end, rekey->decrypt, report)
	               ?: part_writer_run(&job->writer, first, end, rekey->encrypt, report);
}

static int run_part(struct recryptor *job, const struct part_number *part, const struct start_parts *parts,
        const struct rekey *rekey, struct report *report)
{
	uint64_t first,
	        end = part_end(&first, job->writer.header.group_log2, job->plain.size_bytes, part, parts->align);
	struct report pages = { 0 };
	int status = recrypt_range(job, first, end, rekey, report);

	report->plaintext_bytes = writer_bytes(&job->writer);
	if (status == GPUCRYPT_OK)
		status = part_check_pages(&job->reader, part, parts->align, &pages);
	if (status == GPUCRYPT_OK && memcmp(pages.digest, parts->version, sizeof parts->version) != 0)
		status = fail(GPUCRYPT_IO, "%s: changed while it was read", rekey->source->name);
	return status;
}

int container_rekey_part(const struct rekey *rekey, struct source *file, const struct part_number *part, uint64_t align,
        struct report *report, uint8_t record[START_RECORD_BYTES])
{
	struct recryptor job = { .reader = reader_of(rekey->source, rekey->sink, NULL) };
	struct start_parts parts = { .count = part->count, .align = align };
	struct started started = { .record = START_NONE };
	int status;

	*report = (struct report){ 0 };
	status = open_part(&job, &started, file, rekey, &parts)
	                 ?: run_part(&job, part, &parts, rekey, report)
	                 ?: part_writer_record(record, &job.writer, &started, rekey->secrets, part);
	started_close(&started);
	recryptor_close(&job);
	return status;
}
