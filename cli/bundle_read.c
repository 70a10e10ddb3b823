/* An archive out of a decryption: bytes go hand to hand from the thread that has them to one that
 * reads the archive, so that nothing is copied and nothing is read that is not authenticated. */
#include "bundle.h"

#include <errno.h>

#include "gpucrypt/header.h"
#include "gpucrypt/status.h"

static la_ssize_t take(struct archive *archive, void *self, const void **bytes)
{
	struct bundle_sink *sink = self;
	const uint8_t *next;
	size_t n_bytes;

	if (handoff_next(&sink->handoff, &next, &n_bytes) == HANDOFF_BROKEN) {
		archive_set_error(archive, EIO, "the container is at fault");
		return -1;
	}
	*bytes = next;
	return (la_ssize_t)n_bytes;
}

/* What stands behind the archive is of no interest, but that the decryption comes to its end. */
static bool authentic(struct bundle_sink *sink)
{
	handoff_end_reading(&sink->handoff, GPUCRYPT_OK);
	return handoff_wait(&sink->handoff);
}

static int damaged(const struct bundle_sink *sink)
{
	return bundle_failed(
	        GPUCRYPT_CORRUPT, sink->archive, sink->name, "the archive in it is damaged");
}

/* libarchive takes an archive that is not compressed for one that is. */
static bool as_promised(const struct bundle_sink *sink)
{
	return sink->handoff.sink.content != CONTENT_PAX_ZSTD ||
	       archive_filter_code(sink->archive, 0) == ARCHIVE_FILTER_ZSTD;
}

static int visit_entries(struct bundle_sink *sink)
{
	struct archive_entry *entry;
	int result, status = GPUCRYPT_OK;

	if (archive_read_open(sink->archive, sink, NULL, take, NULL) != ARCHIVE_OK)
		return damaged(sink);
	result = archive_read_next_header(sink->archive, &entry);
	if (result == ARCHIVE_EOF || (result == ARCHIVE_OK && !as_promised(sink)))
		return fail(GPUCRYPT_CORRUPT, "%s: there is no such archive in it as its header says",
		        sink->name);
	while (status == GPUCRYPT_OK && result != ARCHIVE_EOF) {
		if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
			return damaged(sink);
		status = sink->visitor.visit(sink->visitor.self, sink->archive, entry);
		if (status == GPUCRYPT_OK)
			result = archive_read_next_header(sink->archive, &entry);
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
		status = visit_entries(sink);
	if (status == GPUCRYPT_OK && authentic(sink) && visitor->finish)
		status = visitor->finish(visitor->self);
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

int bundle_sink_open(struct bundle_sink *sink, unsigned content, const char *name,
        const struct bundle_visitor *visitor)
{
	*sink = (struct bundle_sink){ .name = name, .visitor = *visitor, .archive = archive_read_new() };
	handoff_open(&sink->handoff);
	sink->handoff.sink.one_content = true;
	sink->handoff.sink.content = (uint8_t)content;
	if (!sink->archive)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (archive_read_support_format_tar(sink->archive) != ARCHIVE_OK ||
	        (content == CONTENT_PAX_ZSTD &&
	                archive_read_support_filter_zstd(sink->archive) != ARCHIVE_OK))
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
	archive_read_free(sink->archive);
	handoff_close(handoff);
	sink->archive = NULL;
	sink->running = false;
	return status;
}
