/* The content of one file after the other into an archive. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "cli/tree/bundle_state.h"
#include "gpucrypt/pipeline/rate.h"
#include "gpucrypt/status.h"

/* The archive's header has announced the number of bytes: zeros replace bytes that the file no longer has. */
static int put(struct bundle *bundle, const uint8_t *bytes, size_t n_bytes)
{
	if (libarchive.write_data(bundle->packer.archive, bytes, n_bytes) != (la_ssize_t)n_bytes)
		return packer_failed(&bundle->packer);
	bundle->file.at += (off_t)n_bytes;
	return GPUCRYPT_OK;
}

void bundle_copy_end(struct bundle *bundle)
{
	struct copied *file = &bundle->file;
	struct stat now;

	if (file->place.fd >= 0) {
		if (!file->short_told && (fstat(file->place.fd, &now) != 0 || !same_version(&now, &file->place.stat)))
			bundle_miss(bundle, file->path, "changed while being read", NULL);
		close(file->place.fd);
	}
	free(file->path);
	libarchive.entry_free(file->entry);
	*file = (struct copied){ .place.fd = -1 };
}

/* The part with data that begins at or behind `at`. */
static void next_part(struct copied *file)
{
	la_int64_t offset, length;

	file->data = file->data_end = file->place.stat.st_size;
	while (libarchive.entry_sparse_next(file->entry, &offset, &length) == ARCHIVE_OK)
		if (length > 0) {
			file->data = offset;
			file->data_end = offset + length;
			return;
		}
}

static int copy_hole(struct bundle *bundle)
{
	off_t left = bundle->file.data - bundle->file.at;

	return put(bundle, bundle->zeros, left < (off_t)ZEROS_BYTES ? (size_t)left : ZEROS_BYTES);
}

static int copy_data(struct bundle *bundle)
{
	struct copied *file = &bundle->file;
	off_t left = file->data_end - file->at;
	size_t want = rate_piece(left < (off_t)PIECE_BYTES ? (size_t)left : PIECE_BYTES);
	ssize_t got = pread(file->place.fd, bundle->piece, want, file->at);

	if (got > 0) {
		rate_wait((size_t)got);
		return put(bundle, bundle->piece, (size_t)got);
	}
	if (got < 0 && errno == EINTR)
		return GPUCRYPT_OK;
	if (!file->short_told)
		bundle_miss(bundle, file->path,
		        got < 0 ? "cannot be read: zeros in its place" : "shrank while being read: zeros at its end",
		        got < 0 ? strerror(errno) : NULL);
	file->short_told = true;
	memset(bundle->piece, 0, want);
	return put(bundle, bundle->piece, want);
}

/* One more piece of the file. */
int bundle_copy(struct bundle *bundle)
{
	struct copied *file = &bundle->file;

	if (file->at >= file->place.stat.st_size) {
		bundle_copy_end(bundle);
		return GPUCRYPT_OK;
	}
	if (file->at >= file->data_end)
		next_part(file);
	return file->at < file->data ? copy_hole(bundle) : copy_data(bundle);
}

/* Start the content of a file: the next bytes written belong to it. */
int bundle_copy_begin(struct bundle *bundle, const struct place *place, struct archive_entry *entry)
{
	struct copied *file = &bundle->file;

	*file = (struct copied){ .place = *place, .entry = entry, .path = strdup(place->path) };
	if (!file->path)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (libarchive.entry_sparse_reset(entry) == 0)
		file->data_end = place->stat.st_size;
	return GPUCRYPT_OK;
}
