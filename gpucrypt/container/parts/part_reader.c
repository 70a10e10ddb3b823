#include "gpucrypt/container/parts/part_reader.h"

#include <string.h>

#include "gpucrypt/container/parts/page_pass.h"
#include "gpucrypt/container/range.h"
#include "gpucrypt/status.h"

void part_reader_describe(struct group_reader *reader, const struct authenticated_header *header,
        const struct file_keys *keys, uint64_t plaintext_bytes)
{
	reader->header = *header;
	reader->keys = *keys;
	reader->plaintext_bytes = plaintext_bytes;
	reader->suite = header_suite(header, DECRYPT);
	reader->partial = true;
}

int part_reader_open(struct group_reader *reader, const struct authenticated_header *header,
        const struct file_keys *keys, uint64_t plaintext_bytes, const struct gpucrypt_plan *plan, struct report *report)
{
	part_reader_describe(reader, header, keys, plaintext_bytes);
	return reader_open_engine(reader, plan, report);
}

int part_reader_run(struct group_reader *reader, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan,
        struct report *report)
{
	unsigned group_log2 = reader->header.header.group_log2;
	uint64_t to = end << group_log2;

	reader->from = first << group_log2;
	reader->to = to < reader->plaintext_bytes ? to : reader->plaintext_bytes;
	return first < end ? reader_run(reader, plan, first, report)
	                   : hmac_sha256(reader->digest, reader->keys.root, NULL, 0);
}

/* The part that was read, and the digest of its pages. */
struct part_read {
	uint64_t number;
	const uint8_t *digest;
};

/* Only this run's part is compared; the runs that read the other parts compare those. */
static int compare_own(void *self, const struct part_done *part, bool *good)
{
	const struct part_read *read = self;

	*good = part->number != read->number || memcmp(part->digest, read->digest, MAC_BYTES) == 0;
	return GPUCRYPT_OK;
}

int part_check_pages(struct group_reader *reader, const struct part_number *part, uint64_t align, struct report *report)
{
	struct part_read read = { part->number, reader->digest };
	struct page_pass pass = { .reader = reader,
		.parts = { .count = part->count, .align = align },
		.compare = compare_own,
		.self = &read };
	int status = page_pass_run(&pass);

	if (status == GPUCRYPT_OK && pass.n_missing > 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: corrupt: pages of part %s", reader->source->name, pass.missing);
	if (status == GPUCRYPT_OK)
		status = page_pass_check_root(&pass);
	if (status == GPUCRYPT_OK)
		report_digest(report, pass.final + PAGE_MAC);
	return status;
}

int part_read(struct group_reader *reader, const struct part_number *part, const struct gpucrypt_plan *plan,
        struct report *report)
{
	uint64_t first,
	        end = part_end(&first, reader->header.header.group_log2, reader->plaintext_bytes, part, PAGE_BYTES);
	int status = part_reader_run(reader, first, end, plan, report);

	report->plaintext_bytes = reader->to - reader->from;
	return status ?: part_check_pages(reader, part, PAGE_BYTES, report);
}

int container_verify_part(struct source *source, const struct part_number *part, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_reader reader = reader_of(source, NULL, progress);
	int status;

	*report = (struct report){ 0 };
	reader.partial = true;
	status = range_begin(&reader, secret, report)
	                 ?: reader_open_engine(&reader, plan, NULL)
	                 ?: part_read(&reader, part, plan, report);
	if (status == GPUCRYPT_OK && header_needs_repair(&reader.header.copies))
		status = fail(GPUCRYPT_CORRUPT, "%s: %s", source->name, reader.header.copies.note);
	reader_close(&reader);
	return status;
}
