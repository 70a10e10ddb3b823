/* Make a reader of libarchive's output: the bytes are given when they are asked for. */
#include "cli/tree/bundle_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

struct libarchive libarchive;

int libarchive_load(const char *needed_by)
{
	static struct shared_library library = { .file = LIBARCHIVE,
		.package = "libarchive13",
		.names = LIBARCHIVE_FUNCTIONS(SHARED_LIBRARY_NAME),
		.functions = &libarchive };

	return shared_library_load(&library, needed_by);
}

static void keep_rest(struct bundle *bundle, const uint8_t *bytes, size_t n_bytes)
{
	if (bundle->rest_end + n_bytes > bundle->rest_capacity) {
		size_t capacity = 2 * (bundle->rest_end + n_bytes);
		uint8_t *more = memory_or_exit(malloc(capacity));

		if (bundle->rest_end > 0)
			memcpy(more, bundle->rest, bundle->rest_end);
		wipe(bundle->rest, bundle->rest_end);
		free(bundle->rest);
		bundle->rest = more;
		bundle->rest_capacity = capacity;
	}
	memcpy(bundle->rest + bundle->rest_end, bytes, n_bytes);
	bundle->rest_end += n_bytes;
}

/* libarchive calls this function with bytes of the archive. */
static la_ssize_t take_written(struct archive *archive, void *self, const void *bytes, size_t n_bytes)
{
	struct bundle *bundle = self;
	size_t fits = n_bytes < bundle->room_bytes ? n_bytes : bundle->room_bytes;

	(void)archive;
	if (fits > 0)
		memcpy(bundle->room, bytes, fits);
	bundle->room += fits;
	bundle->room_bytes -= fits;
	if (fits < n_bytes)
		keep_rest(bundle, (const uint8_t *)bytes + fits, n_bytes - fits);
	return (la_ssize_t)n_bytes;
}

int bundle_pack_failed(const struct bundle *bundle)
{
	return bundle_failed(GPUCRYPT_OTHER, bundle->archive, bundle->terms.name, "cannot be archived");
}

int bundle_pack_start(struct bundle *bundle)
{
	struct archive *archive = bundle->archive;
	const int zstd_level = bundle->terms.zstd_level;
	char level[32];

	snprintf(level, sizeof level, "%d", zstd_level);
	if (zstd_level != 0 &&
	        (libarchive.write_add_filter_zstd(archive) != ARCHIVE_OK ||
	                libarchive.write_set_filter_option(archive, "zstd", "compression-level", level) != ARCHIVE_OK))
		return bundle_failed(GPUCRYPT_USAGE, archive, bundle->terms.name, "--zstd");
	if (libarchive.write_set_bytes_per_block(archive, 0) != ARCHIVE_OK ||
	        libarchive.write_open(archive, bundle, NULL, take_written, NULL) != ARCHIVE_OK)
		return bundle_pack_failed(bundle);
	return GPUCRYPT_OK;
}

static int read_archive(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct bundle *bundle = self->state;
	size_t rest = bundle->rest_end - bundle->rest_from, again = rest < n_bytes ? rest : n_bytes;
	int status = GPUCRYPT_OK;

	if (again > 0)
		memcpy(bytes, bundle->rest + bundle->rest_from, again);
	bundle->rest_from += again;
	if (bundle->rest_from == bundle->rest_end)
		bundle->rest_from = bundle->rest_end = 0;
	bundle->room = bytes + again;
	bundle->room_bytes = n_bytes - again;
	while (status == GPUCRYPT_OK && bundle->room_bytes > 0 && !bundle->ended)
		status = bundle_step(bundle);
	*got = n_bytes - bundle->room_bytes;
	bundle->room_bytes = 0;
	return status;
}

void bundle_pack_open(struct bundle *bundle, struct source *source)
{
	static const struct source_class class = { .read = read_archive, .in_order = true };

	bundle->archive = memory_or_exit(libarchive.write_new());
	source->class = &class;
	source->state = bundle;
	source->size_bytes = UINT64_MAX;
}

int bundle_pack_finish(struct bundle *bundle)
{
	bundle->ended = true;
	return libarchive.write_close(bundle->archive) == ARCHIVE_OK ? GPUCRYPT_OK : bundle_pack_failed(bundle);
}

void bundle_pack_close(struct bundle *bundle)
{
	bundle->room_bytes = 0;
	libarchive.write_free(bundle->archive);
	wipe(bundle->rest, bundle->rest_capacity);
	free(bundle->rest);
}
