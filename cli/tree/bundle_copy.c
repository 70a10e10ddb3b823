/* The content of one file after the other into an archive. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "cli/terminal/memory.h"
#include "cli/tree/bundle_state.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/status.h"

#define MAX_CONTENT_BYTES ((size_t)64 << 20) /* of a file whose reported size is wrong; most have less than a page */

/* The archive's header has announced the number of bytes: zeros replace bytes that the file no longer has. */
static int put(struct bundle *bundle, const uint8_t *bytes, size_t n_bytes)
{
	if (libarchive.write_data(bundle->archive, bytes, n_bytes) != (la_ssize_t)n_bytes)
		return bundle_pack_failed(bundle);
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
	if (file->content) {
		wipe(file->content, (size_t)file->size);
		munmap(file->content, MAX_CONTENT_BYTES);
	}
	free(file->path);
	libarchive.entry_free(file->entry);
	*file = (struct copied){ .place.fd = -1 };
}

/* The part with data that begins at or behind `at`. */
static void next_part(struct copied *file)
{
	la_int64_t offset, length;

	file->data = file->data_end = file->size;
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
	size_t want = left < (off_t)PIECE_BYTES ? (size_t)left : PIECE_BYTES;
	ssize_t got;

	if (file->content)
		return put(bundle, file->content + file->at, want);
	want = rate_piece(want);
	got = pread(file->place.fd, bundle->piece, want, file->at);

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

	if (file->at >= file->size) {
		bundle_copy_end(bundle);
		return GPUCRYPT_OK;
	}
	if (file->at >= file->data_end)
		next_part(file);
	return file->at < file->data ? copy_hole(bundle) : copy_data(bundle);
}

/* Start the content of a file: the next bytes written belong to it. */
void bundle_copy_begin(struct bundle *bundle, const struct place *place, struct archive_entry *entry)
{
	struct copied *file = &bundle->file;

	file->place = *place;
	file->entry = entry;
	file->path = memory_or_exit(strdup(place->path));
	if (libarchive.entry_sparse_reset(entry) == 0)
		file->data_end = file->size;
}

/* Each read asks for a small piece, because sysctl files allocate a buffer of the requested size.  False: see errno. */
static bool read_whole(struct copied *file, int fd)
{
	ssize_t got;

	do {
		size_t left = MAX_CONTENT_BYTES - (size_t)file->size, want = left < PIECE_BYTES ? left : PIECE_BYTES;

		got = pread(fd, file->content + file->size, rate_piece(want), file->size);
		if (got > 0)
			rate_wait((size_t)got);
		file->size += got > 0 ? got : 0;
		if (file->size == (off_t)MAX_CONTENT_BYTES) {
			errno = EFBIG;
			return false;
		}
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0;
}

void bundle_copy_measure(struct bundle *bundle, const struct place *place, struct archive_entry *entry)
{
	struct copied *file = &bundle->file;
	int untrue = fd_size_untrue(place->fd, &place->stat);

	file->size = place->stat.st_size;
	if (untrue == 0)
		return;
	file->size = 0;
	file->content = bundle_map(MAX_CONTENT_BYTES, PROT_READ | PROT_WRITE);
	if (untrue < 0 || !read_whole(file, place->fd))
		bundle_miss(bundle, place->path, "archived in part", strerror(errno));
	libarchive.entry_sparse_clear(entry);
	libarchive.entry_set_size(entry, file->size);
}
