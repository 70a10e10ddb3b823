/* The files of a tree: each is an entry of an archive, and its content follows; the next ones are requested ahead. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "cli/files/output.h"
#include "cli/terminal/memory.h"
#include "cli/tree/bundle_state.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/status.h"

int place_open(struct place *place)
{
	mode_t seen;

	place->fd = -1;
	if (fstatat(place->folder_fd, place->name, &place->stat, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	seen = place->stat.st_mode & S_IFMT;
	if (!S_ISREG(seen) && !S_ISDIR(seen))
		return 0;
	/* The file may have been replaced by a FIFO: open it without waiting for a writer. */
	place->fd = openat(place->folder_fd, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (place->fd < 0)
		return -1;
	if (fstat(place->fd, &place->stat) == 0 && (place->stat.st_mode & S_IFMT) == seen)
		return 0;
	close(place->fd);
	place->fd = -1;
	errno = ENOENT; /* it is another one now */
	return -1;
}

/* The map of holes takes up to 40 bytes for each extent, and a reader refuses more than 16 MiB of
 * metadata: holes behind so many extents become zeros. */
#define MAX_EXTENTS 380000

/* The extents with data.  A file system without SEEK_DATA reports no holes. */
static void find_holes(struct archive_entry *entry, const struct place *place)
{
	off_t size = place->stat.st_size, data = 0, hole;

	if (place->stat.st_blocks >= (size + 511) / 512)
		return;
	for (int n = 1; (data = lseek(place->fd, data, SEEK_DATA)) >= 0 && data < size; n++) {
		hole = n < MAX_EXTENTS ? lseek(place->fd, data, SEEK_HOLE) : size;
		if (hole < 0 || hole > size)
			hole = size;
		if (data == 0 && hole == size)
			break;
		libarchive.entry_sparse_add_entry(entry, data, hole - data);
		data = hole;
	}
	if (libarchive.entry_sparse_count(entry) == 0 && data < 0 && errno == ENXIO)
		libarchive.entry_sparse_add_entry(entry, 0, 0); /* nothing but a hole */
	lseek(place->fd, 0, SEEK_SET);
}

/* For a file without an access control list, libarchive would make a list from the mode and drop that list. */
static bool has_access_list(const struct place *place)
{
	return !S_ISREG(place->stat.st_mode) || fgetxattr(place->fd, ACCESS_LIST, NULL, 0) >= 0 ||
	       (errno != ENODATA && errno != EOPNOTSUPP);
}

bool entry_fill(struct archive_entry *entry, struct archive *disk, const struct place *place)
{
	char source[64 + NAME_MAX + 1];
	bool good;

	/* A name that does not depend on where the process stands. */
	snprintf(source, sizeof source, "/proc/self/fd/%d/%s", place->folder_fd, place->name);
	libarchive.entry_copy_sourcepath(entry, source);
	libarchive.entry_copy_pathname(entry, place->path);
	libarchive.read_disk_set_behavior(disk, ARCHIVE_READDISK_NO_FFLAGS | ARCHIVE_READDISK_NO_SPARSE |
	                                                (has_access_list(place) ? 0 : ARCHIVE_READDISK_NO_ACL));
	good = libarchive.read_disk_entry_from_file(disk, entry, place->fd, &place->stat) == ARCHIVE_OK;
	libarchive.entry_unset_atime(entry);
	libarchive.entry_unset_ctime(entry);
	libarchive.entry_unset_birthtime(entry);
	if (S_ISREG(place->stat.st_mode))
		find_holes(entry, place);
	return good;
}

/* The content of one file after the other into an archive. */

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

/* Files of a tree are requested before they are read: while one is encrypted, storage brings the next ones. */

/* Limits of reading ahead: number of files, in two batches, and bytes of each; the kernel itself reads ahead in a long
 * file. Deep folders are left to the reader, which needs a descriptor for each of them too. */
#define BATCH_NAMES  128
#define AHEAD_BYTES  ((off_t)256 << 10)
#define AHEAD_LEVELS 24

struct ahead {
	pthread_t thread;
	sem_t batches; /* that may be requested; one each time, or the threads would wake each other for every name */
	unsigned n_followed; /* names of the batch that the reader has come to */
	atomic_bool ended;
	struct walk walk;
};

/* A hint to the kernel only: the reader reports failures.  Entries of a skipped folder count for the reader alone,
 * which makes the distance longer. */
static void ask_for(struct ahead *ahead, struct place *place)
{
	if (place_open(place) != 0 || place->fd < 0)
		return;
	if (S_ISDIR(place->stat.st_mode) && ahead->walk.n_levels < AHEAD_LEVELS) {
		walk_enter(&ahead->walk, place->fd);
		return;
	}
	if (S_ISREG(place->stat.st_mode) && place->stat.st_size > 0)
		posix_fadvise(place->fd, 0, place->stat.st_size < AHEAD_BYTES ? place->stat.st_size : AHEAD_BYTES,
		        POSIX_FADV_WILLNEED);
	close(place->fd);
}

static void *work(void *self)
{
	struct ahead *ahead = self;
	struct place place = { .fd = -1 };

	for (unsigned n = 0; !ahead->ended && (place.name = walk_next(&ahead->walk, &place.folder_fd)); n++) {
		while (n % BATCH_NAMES == 0 && sem_wait(&ahead->batches) != 0 && errno == EINTR)
			;
		place.path = ahead->walk.path;
		ask_for(ahead, &place);
	}
	return NULL;
}

static void discard(struct ahead *ahead)
{
	sem_destroy(&ahead->batches);
	walk_close(&ahead->walk);
	free(ahead);
}

struct ahead *ahead_open(int fd, const struct walk_limits *limits, unsigned n_names)
{
	struct ahead *ahead = memory_or_exit(calloc(1, sizeof *ahead));
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ahead->walk.limits = limits;
	ahead->n_followed = n_names;
	sem_init(&ahead->batches, 0, n_names / BATCH_NAMES + 2);
	if (copy >= 0 && walk_enter(&ahead->walk, copy) && pthread_create(&ahead->thread, NULL, work, ahead) == 0)
		return ahead;
	discard(ahead);
	return NULL;
}

void ahead_follow(struct ahead *ahead)
{
	if (ahead && ++ahead->n_followed % BATCH_NAMES == 0)
		sem_post(&ahead->batches);
}

void ahead_close(struct ahead *ahead)
{
	if (!ahead)
		return;
	ahead->ended = true;
	sem_post(&ahead->batches);
	pthread_join(ahead->thread, NULL);
	discard(ahead);
}
