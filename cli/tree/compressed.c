#include "cli/tree/compressed.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/terminal/memory.h"
#include "cli/tree/packer.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

struct compression {
	struct packer packer;
	struct source plain;
	uint64_t n_bytes; /* read */
	uint8_t *piece;   /* owned, PIECE_BYTES */
};

/* As for a file that is not compressed. */
static int check_length(const struct compression *compression)
{
	const struct source *plain = &compression->plain;

	return plain->size_bytes == UINT64_MAX || plain->size_bytes == compression->n_bytes
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_IO, "%s: its size changed while it was read: %" PRIu64 " bytes, then %" PRIu64,
	                         plain->name, plain->size_bytes, compression->n_bytes);
}

static int compress_piece(void *self)
{
	struct compression *compression = self;
	struct packer *packer = &compression->packer;
	size_t got;
	int status = source_read(&compression->plain, compression->piece, PIECE_BYTES, &got);

	if (status != GPUCRYPT_OK)
		return status;
	compression->n_bytes += got;
	if (got > 0 && libarchive.write_data(packer->archive, compression->piece, got) != (la_ssize_t)got)
		return packer_failed(packer);
	if (got == PIECE_BYTES)
		return GPUCRYPT_OK;
	return check_length(compression) ?: packer_finish(packer);
}

static int read_compressed(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct compression *compression = self->state;

	return packer_read(&compression->packer, bytes, n_bytes, got, compress_piece, compression);
}

/* libarchive compresses archives: this one is the bytes of its only entry. */
static int start_archive(struct packer *packer, int level)
{
	struct archive_entry *entry = memory_or_exit(libarchive.entry_new());
	int status;

	libarchive.entry_set_filetype(entry, AE_IFREG);
	status = libarchive.write_set_format_raw(packer->archive) == ARCHIVE_OK ? packer_start(packer, level)
	                                                                        : packer_failed(packer);
	if (status == GPUCRYPT_OK && libarchive.write_header(packer->archive, entry) != ARCHIVE_OK)
		status = packer_failed(packer);
	libarchive.entry_free(entry);
	return status;
}

int compression_open(struct compression **opened, struct source *source, int level)
{
	static const struct source_class class = { .read = read_compressed, .in_order = true };
	struct compression *compression = *opened = memory_or_exit(calloc(1, sizeof *compression));

	compression->piece = memory_or_exit(malloc(PIECE_BYTES));
	compression->plain = *source;
	packer_open(&compression->packer, source->name);
	source->class = &class;
	source->state = compression;
	source->size_bytes = UINT64_MAX;
	source->content = CONTENT_BYTES_ZSTD;
	return start_archive(&compression->packer, level);
}

void compression_close(struct compression *compression)
{
	if (!compression)
		return;
	packer_close(&compression->packer);
	wipe(compression->piece, PIECE_BYTES);
	free(compression->piece);
	free(compression);
}

static int write_plain(void *self, const void *bytes, size_t n_bytes)
{
	struct decompression *decompression = self;
	int status = decompression->sink->write(decompression->sink, bytes, n_bytes, decompression->n_bytes);

	decompression->n_bytes += n_bytes;
	return status;
}

int decompression_begin(struct decompression *decompression, unsigned content, const char *name, struct sink **sink)
{
	const struct bundle_visitor visitor = { .self = decompression, .take = write_plain };

	decompression->sink = content == CONTENT_BYTES_ZSTD ? *sink : NULL;
	decompression->n_bytes = 0;
	if (!decompression->sink)
		return GPUCRYPT_OK;
	*sink = &decompression->bundle.handoff.sink;
	return bundle_sink_open(&decompression->bundle, content, name, &visitor);
}

int decompression_end(struct decompression *decompression, int status, struct report *report)
{
	if (!decompression->sink)
		return status;
	status = bundle_sink_close(&decompression->bundle, status);
	report->plaintext_bytes = decompression->n_bytes;
	return status;
}
