#include "gpucrypt/container/started.h"

#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

void started_close(struct started *started)
{
	wipe(&started->keys, sizeof started->keys);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Header and start record are on storage before the file gets its name. */
static int read_copies(struct started *started, bool *there, struct source *file)
{
	size_t n = lesser(file->size_bytes, sizeof started->copies);
	int status = source_read_at(file, started->copies, n, 0);

	*there = status == GPUCRYPT_OK && n > 0;
	if (*there && (n < sizeof started->copies || memcmp(started->copies, header_magic, HEADER_MAGIC_BYTES) != 0))
		status = fail(
		        GPUCRYPT_EXISTS, "%s: not overwritten: it is not the beginning of a container", file->name);
	return status;
}

int started_open(struct started *started, bool *there, struct source *file, const struct gpucrypt_secret *secret,
        const struct source *source, enum start_source how)
{
	struct authenticated_header *header = &started->header;
	struct start_binding start;
	int status = read_copies(started, there, file);

	started->record = START_NONE;
	if (status != GPUCRYPT_OK || !*there)
		return status;
	status = header_unlock(header, &started->keys, started->copies, secret);
	if (status != GPUCRYPT_OK)
		return fail_named(file->name, status);
	start = start_binding_of(header, secret, source, how);
	return start_record_check(&started->record, started->copies + HEADER_COPY_BYTES, &start);
}

uint64_t started_bytes(const struct started *started)
{
	const struct header *header = &started->header.header;

	return layout_container_bytes(
	        header->group_log2, mode_by_id(header->mode_id)->whole_blocks, header->plaintext_bytes);
}

int started_truncate(const struct started *started, struct source *file)
{
	uint64_t whole = started_bytes(started);

	if (file->size_bytes <= whole)
		return GPUCRYPT_OK;
	if (ftruncate(file->fd, (off_t)whole) != 0)
		return fail_errno(file->name, "cannot be cut");
	file->size_bytes = whole;
	return GPUCRYPT_OK;
}

static int check_options(const struct header *wanted, const struct header *started, const char *name)
{
	if (started->layout == wanted->layout && started->content == wanted->content &&
	        started->cipher_id == wanted->cipher_id && started->key_bytes == wanted->key_bytes &&
	        started->mode_id == wanted->mode_id && started->chunk_log2 == wanted->chunk_log2 &&
	        started->group_log2 == wanted->group_log2)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: started with %s-%u-%s, chunks of 2^%u and groups of 2^%u bytes: give the same "
	        "options, or remove it",
	        name, cipher_by_id(started->cipher_id)->name, 8u * started->key_bytes,
	        mode_by_id(started->mode_id)->name, started->chunk_log2, started->group_log2);
}

int started_continue(struct group_writer *writer, const struct started *started, const struct source *file,
        const struct gpucrypt_secret *secret)
{
	const struct header *header = &started->header.header;
	int status = check_options(&writer->header, header, file->name)
	                     ?: writer_check_recipients(file, header, secret->next);

	if (status == GPUCRYPT_OK && header->plaintext_bytes != writer->source->size_bytes)
		status = start_record_changed(writer->source, file->name);
	writer->header = *header;
	writer->keys = started->keys;
	return status;
}

int started_make(struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct gpucrypt_secret *secret, enum start_source how, const struct start_parts *parts)
{
	const struct start_binding start = {
		.copy = copies, .slot = &writer->header.slots[0], .secret = secret, .source = writer->source, .how = how
	};

	return writer_make_header(writer, copies, secret)
	               ?: start_record_make(copies + HEADER_COPY_BYTES, &start, parts);
}
