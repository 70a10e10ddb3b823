#include "cli/tree/packer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "cli/tree/bundle.h"
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

static void keep_rest(struct packer *packer, const uint8_t *bytes, size_t n_bytes)
{
	if (packer->rest_end + n_bytes > packer->rest_capacity) {
		size_t capacity = 2 * (packer->rest_end + n_bytes);
		uint8_t *more = memory_or_exit(malloc(capacity));

		if (packer->rest_end > 0)
			memcpy(more, packer->rest, packer->rest_end);
		wipe(packer->rest, packer->rest_end);
		free(packer->rest);
		packer->rest = more;
		packer->rest_capacity = capacity;
	}
	memcpy(packer->rest + packer->rest_end, bytes, n_bytes);
	packer->rest_end += n_bytes;
}

/* libarchive calls it with bytes that it has made. */
static la_ssize_t take_written(struct archive *archive, void *self, const void *bytes, size_t n_bytes)
{
	struct packer *packer = self;
	size_t fits = n_bytes < packer->room_bytes ? n_bytes : packer->room_bytes;

	(void)archive;
	if (fits > 0)
		memcpy(packer->room, bytes, fits);
	packer->room += fits;
	packer->room_bytes -= fits;
	if (fits < n_bytes)
		keep_rest(packer, (const uint8_t *)bytes + fits, n_bytes - fits);
	return (la_ssize_t)n_bytes;
}

int packer_failed(const struct packer *packer)
{
	return bundle_failed(GPUCRYPT_OTHER, packer->archive, packer->name, "cannot be archived");
}

int packer_start(struct packer *packer, int zstd_level)
{
	struct archive *archive = packer->archive;
	char level[32];

	snprintf(level, sizeof level, "%d", zstd_level);
	if (zstd_level != 0 &&
	        (libarchive.write_add_filter_zstd(archive) != ARCHIVE_OK ||
	                libarchive.write_set_filter_option(archive, "zstd", "compression-level", level) != ARCHIVE_OK))
		return bundle_failed(GPUCRYPT_USAGE, archive, packer->name, "--zstd");
	if (libarchive.write_set_bytes_per_block(archive, 0) != ARCHIVE_OK ||
	        libarchive.write_open(archive, packer, NULL, take_written, NULL) != ARCHIVE_OK)
		return packer_failed(packer);
	return GPUCRYPT_OK;
}

static int read_archive(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct packer *packer = self->state;
	size_t rest = packer->rest_end - packer->rest_from, again = rest < n_bytes ? rest : n_bytes;
	int status = GPUCRYPT_OK;

	if (again > 0)
		memcpy(bytes, packer->rest + packer->rest_from, again);
	packer->rest_from += again;
	if (packer->rest_from == packer->rest_end)
		packer->rest_from = packer->rest_end = 0;
	packer->room = bytes + again;
	packer->room_bytes = n_bytes - again;
	while (status == GPUCRYPT_OK && packer->room_bytes > 0 && !packer->ended)
		status = packer->step(packer);
	*got = n_bytes - packer->room_bytes;
	packer->room_bytes = 0;
	return status;
}

void packer_open(struct packer *packer, struct source *source, const char *name, int (*step)(struct packer *self))
{
	static const struct source_class class = { .read = read_archive, .in_order = true };

	*packer = (struct packer){ .archive = memory_or_exit(libarchive.write_new()), .name = name, .step = step };
	source->class = &class;
	source->state = packer;
	source->size_bytes = UINT64_MAX;
}

int packer_finish(struct packer *packer)
{
	packer->ended = true;
	return libarchive.write_close(packer->archive) == ARCHIVE_OK ? GPUCRYPT_OK : packer_failed(packer);
}

void packer_close(struct packer *packer)
{
	packer->room_bytes = 0;
	libarchive.write_free(packer->archive);
	wipe(packer->rest, packer->rest_capacity);
	free(packer->rest);
	*packer = (struct packer){ 0 };
}
