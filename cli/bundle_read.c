/* An archive out of a decryption: bytes go hand to hand from the thread that has them to one that
 * reads the archive, so that nothing is copied and nothing is read that is not authenticated. */
#include "bundle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/header.h"
#include "gpucrypt/status.h"

/* The sink's side: returns when the bytes are taken. */
static int give(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct bundle_sink *sink = (struct bundle_sink *)self;
	int status = GPUCRYPT_OK;

	(void)offset; /* they come in order */
	if (n_bytes == 0)
		return GPUCRYPT_OK;
	pthread_mutex_lock(&sink->mutex);
	sink->bytes = bytes;
	sink->n_bytes = n_bytes;
	sink->begun = false;
	pthread_cond_broadcast(&sink->changed);
	while (sink->bytes && !sink->deaf)
		pthread_cond_wait(&sink->changed, &sink->mutex);
	sink->bytes = NULL;
	if (sink->deaf && sink->status != GPUCRYPT_OK)
		status = fail((enum gpucrypt_status)sink->status, "%s", sink->text);
	pthread_mutex_unlock(&sink->mutex);
	return status;
}

/* The thread's side: being asked again means that what was given before is done with. */
static la_ssize_t take(struct archive *archive, void *self, const void **bytes)
{
	struct bundle_sink *sink = self;
	la_ssize_t n_bytes = 0;

	pthread_mutex_lock(&sink->mutex);
	if (sink->bytes && sink->begun) {
		sink->bytes = NULL;
		pthread_cond_broadcast(&sink->changed);
	}
	while (!sink->bytes && sink->end == BUNDLE_FLOWS)
		pthread_cond_wait(&sink->changed, &sink->mutex);
	if (sink->bytes) {
		sink->begun = true;
		*bytes = sink->bytes;
		n_bytes = (la_ssize_t)sink->n_bytes;
	} else if (sink->end == BUNDLE_BROKEN) {
		archive_set_error(archive, EIO, "the container is at fault");
		n_bytes = -1;
	}
	pthread_mutex_unlock(&sink->mutex);
	return n_bytes;
}

/* Until the decryption has come to its end, one way or the other.  What stands behind the archive is
 * of no interest. */
static bool authentic(struct bundle_sink *sink)
{
	bool complete;

	pthread_mutex_lock(&sink->mutex);
	sink->deaf = true;
	pthread_cond_broadcast(&sink->changed);
	while (sink->end == BUNDLE_FLOWS)
		pthread_cond_wait(&sink->changed, &sink->mutex);
	complete = sink->end == BUNDLE_COMPLETE;
	pthread_mutex_unlock(&sink->mutex);
	return complete;
}

static int damaged(const struct bundle_sink *sink)
{
	return bundle_failed(
	        GPUCRYPT_CORRUPT, sink->archive, sink->name, "the archive in it is damaged");
}

/* libarchive takes an archive that is not compressed for one that is. */
static bool as_promised(const struct bundle_sink *sink)
{
	return sink->sink.content != CONTENT_PAX_ZSTD ||
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
	pthread_mutex_lock(&sink->mutex);
	sink->status = status;
	snprintf(sink->text, sizeof sink->text, "%s", gpucrypt_error());
	sink->deaf = true;
	pthread_cond_broadcast(&sink->changed);
	pthread_mutex_unlock(&sink->mutex);
	return NULL;
}

int bundle_sink_open(struct bundle_sink *sink, unsigned content, const char *name,
        const struct bundle_visitor *visitor)
{
	*sink = (struct bundle_sink){ .sink = { .write = give, .one_content = true, .content = content },
		.name = name,
		.visitor = *visitor,
		.archive = archive_read_new() };
	if (!sink->archive)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (archive_read_support_format_tar(sink->archive) != ARCHIVE_OK ||
	        (content == CONTENT_PAX_ZSTD &&
	                archive_read_support_filter_zstd(sink->archive) != ARCHIVE_OK))
		return bundle_failed(GPUCRYPT_OTHER, sink->archive, name, "cannot be read");
	pthread_mutex_init(&sink->mutex, NULL);
	pthread_cond_init(&sink->changed, NULL);
	sink->running = pthread_create(&sink->thread, NULL, work, sink) == 0;
	return sink->running ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "a thread cannot be started");
}

int bundle_sink_close(struct bundle_sink *sink, int status)
{
	if (sink->running) {
		pthread_mutex_lock(&sink->mutex);
		sink->end = status == GPUCRYPT_OK ? BUNDLE_COMPLETE : BUNDLE_BROKEN;
		pthread_cond_broadcast(&sink->changed);
		pthread_mutex_unlock(&sink->mutex);
		pthread_join(sink->thread, NULL);
		if (status == GPUCRYPT_OK && sink->status != GPUCRYPT_OK)
			status = fail((enum gpucrypt_status)sink->status, "%s", sink->text);
	}
	archive_read_free(sink->archive);
	sink->archive = NULL;
	sink->running = false;
	return status;
}
