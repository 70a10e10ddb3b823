#include "gpucrypt/container/parts/part_reader.h"

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
	int status;

	part_reader_describe(reader, header, keys, plaintext_bytes);
	status = reader_open_engine(reader, plan);
	if (status == GPUCRYPT_OK)
		report_engine(report, reader->groups.engine);
	return status;
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
