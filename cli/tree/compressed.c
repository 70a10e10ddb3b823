#include "cli/tree/compressed.h"

#include <inttypes.h>

#include "cli/terminal/memory.h"
#include "cli/tree/bundle_state.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

/* As for a file that is not compressed. */
static int check_length(const struct bundle *bundle)
{
	const struct source *plain = &bundle->plain;

	return plain->size_bytes == UINT64_MAX || plain->size_bytes == bundle->n_plain
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_IO, "%s: its size changed while it was read: %" PRIu64 " bytes, then %" PRIu64,
	                         plain->name, plain->size_bytes, bundle->n_plain);
}

int compression_step(struct packer *packer)
{
	struct bundle *bundle = (struct bundle *)packer;
	size_t got;
	int status = source_read(&bundle->plain, bundle->piece, PIECE_BYTES, &got);

	if (status != GPUCRYPT_OK)
		return status;
	bundle->n_plain += got;
	if (got > 0 && libarchive.write_data(packer->archive, bundle->piece, got) != (la_ssize_t)got)
		return packer_failed(packer);
	return got == PIECE_BYTES ? GPUCRYPT_OK : check_length(bundle) ?: packer_finish(packer);
}

/* libarchive compresses archives: this one is the bytes of its only entry. */
int compression_start(struct bundle *bundle)
{
	struct packer *packer = &bundle->packer;
	struct archive_entry *entry = memory_or_exit(libarchive.entry_new());
	int status;

	libarchive.entry_set_filetype(entry, AE_IFREG);
	status = libarchive.write_set_format_raw(packer->archive) == ARCHIVE_OK
	                 ? packer_start(packer, bundle->terms.zstd_level)
	                 : packer_failed(packer);
	if (status == GPUCRYPT_OK && libarchive.write_header(packer->archive, entry) != ARCHIVE_OK)
		status = packer_failed(packer);
	libarchive.entry_free(entry);
	return status;
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
