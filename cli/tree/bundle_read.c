/* An archive out of a decryption: bytes go hand to hand from the thread that has them to one that
 * reads the archive, so that nothing is copied and nothing is read that is not authenticated. */
#include "cli/tree/bundle.h"

#include <errno.h>

#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"
#include "cli/terminal/memory.h"
#include "cli/terminal/signals.h"

/* Limit of the bytes between the data of two entries (headers, pax records, maps of holes): libarchive holds up to 16
 * bytes in memory for each of them. */
#define MAX_METADATA_BYTES ((size_t)16 << 20)

#define MAX_PIECE_BYTES ((size_t)256 << 10) /* how exactly metadata is counted */

static la_ssize_t take_decrypted(struct archive *archive, void *self, const void **bytes)
{
	struct bundle_sink *sink = self;
	const uint8_t *next;
	size_t n_bytes;

	if (handoff_next(&sink->handoff, &next, &n_bytes) == HANDOFF_BROKEN) {
		libarchive.set_error(archive, EIO, "the container is at fault");
		return -1;
	}
	*bytes = next;
	sink->has_bytes |= n_bytes > 0;
	return (la_ssize_t)n_bytes;
}

static la_ssize_t take_decompressed(struct archive *archive, void *self, const void **bytes)
{
	struct bundle_sink *sink = self;
	size_t n_bytes = 0;
	la_int64_t offset;
	int result = ARCHIVE_OK;

	while (result == ARCHIVE_OK && n_bytes == 0)
		result = libarchive.read_data_block(sink->zstd, bytes, &n_bytes, &offset);
	if (result == ARCHIVE_OK || result == ARCHIVE_EOF)
		return (la_ssize_t)n_bytes;
	libarchive.set_error(archive, libarchive.archive_errno(sink->zstd), "%s", libarchive.error_string(sink->zstd));
	return -1;
}

/* Metadata is counted here, after decompression: some hundred bytes of zstd may become any number.
 */
static la_ssize_t take_counted(struct archive *archive, void *self, const void **bytes)
{
	struct bundle_sink *sink = self;
	la_ssize_t n_bytes = (la_ssize_t)sink->piece_bytes;

	signals_keep();
	if (n_bytes == 0)
		n_bytes = sink->zstd ? take_decompressed(archive, sink, &sink->piece)
		                     : take_decrypted(archive, sink, &sink->piece);
	if (n_bytes <= 0)
		return n_bytes;
	sink->piece_bytes = (size_t)n_bytes;
	if (n_bytes > (la_ssize_t)MAX_PIECE_BYTES)
		n_bytes = (la_ssize_t)MAX_PIECE_BYTES;
	if (sink->in_metadata)
		sink->metadata_bytes += (size_t)n_bytes;
	if (sink->metadata_bytes > MAX_METADATA_BYTES) {
		libarchive.set_error(
		        archive, EFBIG, "one entry has more than %zu MiB of metadata", MAX_METADATA_BYTES >> 20);
		return -1;
	}
	*bytes = sink->piece;
	sink->piece = (const uint8_t *)sink->piece + n_bytes;
	sink->piece_bytes -= (size_t)n_bytes;
	return n_bytes;
}

/* Skip the bytes after the end of the archive: decryption must reach its end. */
static bool authentic(struct bundle_sink *sink)
{
	handoff_end_reading(&sink->handoff, GPUCRYPT_OK);
	return handoff_wait(&sink->handoff);
}

static int damaged(const struct bundle_sink *sink)
{
	return bundle_failed(GPUCRYPT_CORRUPT, sink->archive, sink->name, "the archive in it is damaged");
}

static int missing(const struct bundle_sink *sink)
{
	return fail(GPUCRYPT_CORRUPT, "%s: damaged: the payload is not the archive that the header names", sink->name);
}

/* No byte is no frame; an empty frame is an empty file.  libarchive reads ahead when it opens: where that fails it
 * takes the content for empty and keeps the error. */
static int open_zstd(struct bundle_sink *sink, bool *empty)
{
	struct archive_entry *entry;
	int result = libarchive.read_open(sink->zstd, sink, NULL, take_decrypted, NULL);

	if (result == ARCHIVE_OK && libarchive.error_string(sink->zstd))
		result = ARCHIVE_FATAL;
	if (result == ARCHIVE_OK)
		result = libarchive.read_next_header(sink->zstd, &entry);
	*empty = result == ARCHIVE_EOF;
	return result == ARCHIVE_OK || (*empty && sink->has_bytes) ? GPUCRYPT_OK : missing(sink);
}

static int take_bytes(struct bundle_sink *sink)
{
	const void *bytes;
	size_t n_bytes;
	la_int64_t offset;
	bool empty;
	int result = ARCHIVE_OK, status = open_zstd(sink, &empty);

	if (status != GPUCRYPT_OK || empty)
		return status;
	while (status == GPUCRYPT_OK && result == ARCHIVE_OK) {
		result = libarchive.read_data_block(sink->zstd, &bytes, &n_bytes, &offset);
		if (result == ARCHIVE_OK && n_bytes > 0)
			status = sink->visitor.take(sink->visitor.self, bytes, n_bytes);
	}
	if (status != GPUCRYPT_OK || result == ARCHIVE_EOF)
		return status;
	return bundle_failed(GPUCRYPT_CORRUPT, sink->zstd, sink->name, "the zstd in it is damaged");
}

static int next_entry(struct bundle_sink *sink, struct archive_entry **entry)
{
	int result;

	sink->in_metadata = true;
	sink->metadata_bytes = 0;
	result = libarchive.read_next_header(sink->archive, entry);
	sink->in_metadata = false;
	return result;
}

static int visit(const struct bundle_visitor *visitor, struct archive *archive, struct archive_entry *entry)
{
	return visitor->selection ? selection_visit(visitor->selection, archive, entry, visitor->visit, visitor->self)
	                          : visitor->visit(visitor->self, archive, entry);
}

/* Not for a selection in which nothing is: no folder is made for it. */
static int finish(const struct bundle_visitor *visitor)
{
	const struct selection *selection = visitor->selection;

	if (selection && selection->extracts && selection->n_paths > 0 && selection->n_members == 0)
		return selection_result(selection);
	return visitor->finish ? visitor->finish(visitor->self) : GPUCRYPT_OK;
}

static int visit_entries(struct bundle_sink *sink)
{
	struct archive_entry *entry;
	bool empty = false;
	int result, status = sink->zstd ? open_zstd(sink, &empty) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK || empty)
		return empty ? missing(sink) : status;
	if (libarchive.read_open(sink->archive, sink, NULL, take_counted, NULL) != ARCHIVE_OK)
		return damaged(sink);
	result = next_entry(sink, &entry);
	if (result == ARCHIVE_EOF)
		return missing(sink);
	while (status == GPUCRYPT_OK && result != ARCHIVE_EOF) {
		if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
			return damaged(sink);
		status = visit(&sink->visitor, sink->archive, entry);
		if (status != GPUCRYPT_OK)
			break;
		result = libarchive.read_data_skip(sink->archive);
		if (result == ARCHIVE_OK)
			result = next_entry(sink, &entry);
	}
	return status;
}

static int visit_all(struct bundle_sink *sink)
{
	const struct bundle_visitor *visitor = &sink->visitor;
	int status = GPUCRYPT_OK;

	if (visitor->start)
		status = visitor->start(visitor->self);
	if (status == GPUCRYPT_OK)
		status = visitor->take ? take_bytes(sink) : visit_entries(sink);
	if (status == GPUCRYPT_OK && authentic(sink))
		status = finish(visitor);
	return status;
}

static void *work(void *self)
{
	struct bundle_sink *sink = self;
	int status = visit_all(sink);

	if (sink->visitor.stop)
		sink->visitor.stop(sink->visitor.self);
	handoff_end_reading(&sink->handoff, status);
	return NULL;
}

/* One layer of zstd is named: left to find it, libarchive would take bytes that are not compressed as they are, and
 * undo up to 25 layers, also those of a compressed file, each with a window of up to 128 MiB. */
static bool open_readers(struct bundle_sink *sink)
{
	if (libarchive.read_support_format_tar(sink->archive) != ARCHIVE_OK)
		return false;
	return !sink->zstd || (libarchive.read_support_format_raw(sink->zstd) == ARCHIVE_OK &&
	                              libarchive.read_support_format_empty(sink->zstd) == ARCHIVE_OK &&
	                              libarchive.read_append_filter(sink->zstd, ARCHIVE_FILTER_ZSTD) == ARCHIVE_OK);
}

int bundle_sink_open(struct bundle_sink *sink, unsigned content, const char *name, const struct bundle_visitor *visitor)
{
	bool zstd = content == CONTENT_PAX_ZSTD || content == CONTENT_BYTES_ZSTD;

	*sink = (struct bundle_sink){ .name = name,
		.visitor = *visitor,
		.archive = memory_or_exit(libarchive.read_new()),
		.zstd = zstd ? memory_or_exit(libarchive.read_new()) : NULL };
	handoff_open(&sink->handoff);
	sink->handoff.sink.one_content = true;
	sink->handoff.sink.content = (uint8_t)content;
	if (!open_readers(sink))
		return bundle_failed(GPUCRYPT_OTHER, sink->archive, name, "cannot be read");
	sink->running = pthread_create(&sink->thread, NULL, work, sink) == 0;
	return sink->running ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "a thread cannot be started");
}

int bundle_sink_close(struct bundle_sink *sink, int status)
{
	struct handoff *handoff = &sink->handoff;

	if (sink->running) {
		handoff_end_writing(handoff, status == GPUCRYPT_OK);
		pthread_join(sink->thread, NULL);
		if (status == GPUCRYPT_OK && handoff->status != GPUCRYPT_OK)
			status = fail((enum gpucrypt_status)handoff->status, "%s", handoff->text);
	}
	libarchive.read_free(sink->archive);
	libarchive.read_free(sink->zstd);
	handoff_close(handoff);
	sink->archive = sink->zstd = NULL;
	sink->running = false;
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
