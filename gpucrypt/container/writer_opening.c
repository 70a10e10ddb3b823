/* Opening a writer: the header of a container that is written. */
#include <string.h>

#include "gpucrypt/container/group.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

struct group_writer writer_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress)
{
	return (struct group_writer){ .source = source,
		.sink = sink,
		.progress = progress,
		.input = { .source = source, .limit_bytes = UINT64_MAX, .expected_bytes = source->size_bytes } };
}

void writer_close(struct group_writer *writer)
{
	running_hmac_free(&writer->root);
	lookahead_close(&writer->input);
	groups_close(&writer->groups);
	wipe(writer, sizeof *writer);
}

int writer_describe(struct group_writer *writer, struct gpucrypt_plan plan)
{
	struct header *header = &writer->header;
	int status = suite_of_plan(&writer->suite, &plan, ENCRYPT) ?: container_sizes(&plan);

	writer->sparse = plan.sparse;
	if (status == GPUCRYPT_OK && plan.sparse && plan.sector_log2 != 0)
		status = fail(GPUCRYPT_USAGE, "a detached image cannot have holes");
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

int writer_make_header(
        struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	struct header *header = &writer->header;
	uint8_t file_key[FILE_KEY_BYTES];
	int status = random_bytes(file_key, sizeof file_key)
	                     ?: random_bytes(header->file_salt, sizeof header->file_salt)
	                     ?: header_add_recipients(header, secret, file_key)
	                     ?: header_encode(copies, header)
	                     ?: file_keys_derive(&writer->keys, file_key, copies)
	                     ?: header_seal(copies, &writer->keys);

	memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
	wipe(file_key, sizeof file_key);
	return status;
}

uint64_t writer_bytes(const struct group_writer *writer)
{
	uint64_t whole = writer->source->size_bytes, from = writer->first << writer->header.group_log2,
	         to = writer->ranged ? writer->end << writer->header.group_log2 : whole;

	return (to < whole ? to : whole) - from;
}

/* A sparse container may be shorter. */
int writer_check_room(const struct group_writer *writer)
{
	uint64_t n_bytes = writer->sparse ? UINT64_MAX : writer->source->size_bytes;

	return sink_admits(writer->sink,
	        layout_container_bytes(writer->header.group_log2, writer->suite.mode->whole_blocks, n_bytes));
}

static bool has_slot(const struct header *header, const struct gpucrypt_secret *recipient)
{
	struct recipient there;

	for (unsigned i = 0; recipient_read(&there, header->slots, i); i++)
		if (key_slot_fits(&there.key, recipient))
			return true;
	return false;
}

int writer_check_recipients(
        const struct source *file, const struct header *started, const struct gpucrypt_secret *recipients)
{
	struct recipient there;
	unsigned n = 0;
	bool same = true;

	for (; recipients != NULL; recipients = recipients->next, n++)
		same = same && has_slot(started, recipients);
	for (unsigned i = 0; recipient_read(&there, started->slots, i); i++)
		n -= slot_names_key(there.key.type);
	return same && n == 0
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "%s: started for other recipients: give the same ones", file->name);
}
