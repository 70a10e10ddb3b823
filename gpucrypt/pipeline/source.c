#include "gpucrypt/pipeline/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/status.h"

/* A pipe returns no more in a call, and a file of /proc/sys allocates a buffer of the requested size. */
#define MAX_STREAM_BYTES ((size_t)1 << 20)

/* Descriptors. */

/* Length of the hole at a position, as the file system reports it; 0: no hole.  Moves the descriptor's position. */
static uint64_t hole_bytes(int fd, off_t position)
{
	off_t data = lseek(fd, position, SEEK_DATA);
	struct stat now;

	if (data < 0 && errno == ENXIO && fstat(fd, &now) == 0)
		data = now.st_size;
	return data > position ? (uint64_t)(data - position) : 0;
}

bool source_hole(const struct source *source, uint64_t offset, uint64_t n_bytes)
{
	return hole_bytes(source->fd, (off_t)offset) >= n_bytes;
}

/* Return the zeros of a hole without a read, which would push other files out of the page cache.  The descriptor's
 * position is then as after a read, unless several threads read at the same time. */
static ssize_t read_hole(const struct source *source, uint8_t *bytes, size_t n_bytes, bool positioned, uint64_t offset)
{
	off_t here = lseek(source->fd, 0, SEEK_CUR);
	uint64_t hole = here < 0 ? 0 : hole_bytes(source->fd, positioned ? (off_t)offset : here);
	size_t n = hole < n_bytes ? (size_t)hole : n_bytes;

	memset(bytes, 0, n);
	return lseek(source->fd, positioned ? here : here + (off_t)n, SEEK_SET) < 0 ? -1 : (ssize_t)n;
}

/* Position, length and buffer address of a direct read are multiples of this: no device has larger blocks. */
#define DIRECT_BYTES 4096

/* Read the whole blocks of the range; after a failure the caller reads through the page cache. */
static ssize_t read_direct(const struct source *source, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	size_t blocks = n_bytes - n_bytes % DIRECT_BYTES;

	if (source->direct_fd <= 0 || blocks == 0 || ((uintptr_t)bytes | offset) % DIRECT_BYTES != 0)
		return 0;
	return pread(source->direct_fd, bytes, blocks, (off_t)offset);
}

static ssize_t read_some(const struct source *source, uint8_t *bytes, size_t n_bytes, bool positioned, uint64_t offset)
{
	ssize_t n =
	        source->has_holes && source->skips_holes ? read_hole(source, bytes, n_bytes, positioned, offset) : 0;
	size_t want, most;

	if (n != 0)
		return n;
	most = source->size_bytes == UINT64_MAX ? MAX_STREAM_BYTES : MAX_CALL_BYTES;
	want = rate_piece(n_bytes < most ? n_bytes : most);
	n = positioned ? read_direct(source, bytes, want, offset) : read(source->fd, bytes, want);
	if (positioned && n <= 0)
		n = pread(source->fd, bytes, want, (off_t)offset);
	if (n > 0)
		rate_wait((size_t)n);
	return n;
}

static int read_fd_fully(
        struct source *source, uint8_t *bytes, size_t n_bytes, bool positioned, uint64_t offset, size_t *got)
{
	ssize_t n = 1;

	for (*got = 0; *got < n_bytes && n != 0; *got += n > 0 ? (size_t)n : 0) {
		n = read_some(source, bytes + *got, n_bytes - *got, positioned, offset + *got);
		if (n < 0 && errno != EINTR)
			return fail_errno(source->name, "cannot be read");
	}
	return GPUCRYPT_OK;
}

static int read_fd(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	return read_fd_fully(self, bytes, n_bytes, false, 0, got);
}

static int read_fd_at(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	return read_fd_fully(self, bytes, n_bytes, true, offset, got);
}

static const struct source_class fd_class = { .read = read_fd, .read_at = read_fd_at };

int fd_size_untrue(int fd, const struct stat *file)
{
	off_t size = file->st_size;
	uint8_t byte;
	ssize_t n;

	if (size != 0 && size != sysconf(_SC_PAGESIZE))
		return 0;
	do
		n = pread(fd, &byte, 1, size > 0 ? size - 1 : 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : (n > 0) == (size == 0);
}

static int regular_size(struct source *source, const struct stat *file)
{
	int untrue = fd_size_untrue(source->fd, file);

	source->size_bytes = untrue ? UINT64_MAX : (uint64_t)file->st_size;
	source->has_holes = file->st_blocks < file->st_size / 512 && !untrue;
	return untrue < 0 ? fail_errno(source->name, "cannot be read") : GPUCRYPT_OK;
}

int fd_position(off_t *at, int fd, const struct stat *status, const char *name)
{
	*at = lseek(fd, 0, SEEK_CUR);
	if (*at < 0 && (S_ISREG(status->st_mode) || S_ISBLK(status->st_mode)))
		return fail_errno(name, "its position cannot be found");
	return GPUCRYPT_OK;
}

struct source source_of_fd(int fd, const char *name)
{
	return (struct source){ .class = &fd_class, .fd = fd, .name = name, .size_bytes = UINT64_MAX };
}

int source_open(struct source *source, int fd, const char *name)
{
	struct stat status;
	off_t size, at;

	*source = source_of_fd(fd, name);
	if (fstat(fd, &status) != 0)
		return fail_errno(name, "cannot be examined");
	if (S_ISDIR(status.st_mode))
		return fail(GPUCRYPT_IO, "%s: cannot be read: it is a directory", name);
	source->block_device = S_ISBLK(status.st_mode);
	if (fd_position(&at, fd, &status, name) != GPUCRYPT_OK)
		return GPUCRYPT_IO;
	if (at != 0)
		return GPUCRYPT_OK;
	if (S_ISREG(status.st_mode))
		return regular_size(source, &status);
	if (source->block_device) {
		size = lseek(fd, 0, SEEK_END);
		if (size < 0 || lseek(fd, 0, SEEK_SET) != 0)
			return fail_errno(name, "its size cannot be found");
		source->size_bytes = (uint64_t)size;
	}
	return GPUCRYPT_OK;
}

/* Memory. */

static size_t bytes_left(const struct source *source, size_t n_bytes, uint64_t offset)
{
	uint64_t left = offset < source->size_bytes ? source->size_bytes - offset : 0;

	return n_bytes < left ? n_bytes : (size_t)left;
}

static int read_memory_at(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	*got = bytes_left(self, n_bytes, offset);
	for (size_t done = 0, n; done < *got; done += n) {
		size_t start = (size_t)((offset + done) % self->n_bytes);

		n = *got - done < self->n_bytes - start ? *got - done : self->n_bytes - start;
		memcpy(bytes + done, self->bytes + start, n);
	}
	return GPUCRYPT_OK;
}

static int leave_unfilled(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	(void)bytes;
	*got = bytes_left(self, n_bytes, offset);
	return GPUCRYPT_OK;
}

static const struct source_class memory_class = { .read = source_read_next, .read_at = read_memory_at },
                                 unfilled_class = { .read = source_read_next, .read_at = leave_unfilled };

void source_open_memory(struct source *source, const uint8_t *bytes, size_t n_bytes, uint64_t size_bytes)
{
	*source = (struct source){ .class = &memory_class,
		.fd = -1,
		.name = "memory",
		.size_bytes = size_bytes,
		.bytes = bytes,
		.n_bytes = n_bytes };
}

void source_open_unfilled(struct source *source, uint64_t size_bytes)
{
	*source = (struct source){ .class = &unfilled_class, .fd = -1, .name = "memory", .size_bytes = size_bytes };
}

/* All. */

void source_start_direct(struct source *source)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char path[32];

	if (source->class != &fd_class || source->direct_fd > 0 || source->size_bytes <= memory ||
	        source->size_bytes == UINT64_MAX)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", source->fd);
	source->direct_fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
}

void source_end_direct(struct source *source)
{
	if (source->direct_fd > 0)
		close(source->direct_fd);
	source->direct_fd = 0;
}

int source_rewind(struct source *source)
{
	const struct source before = *source;
	int status;

	source->position = source->peeked_bytes = 0;
	if (source->class != &fd_class)
		return GPUCRYPT_OK;
	if (lseek(source->fd, 0, SEEK_SET) != 0)
		return fail_errno(source->name, "cannot be read again");
	status = source_open(source, source->fd, source->name);
	source->skips_holes = before.skips_holes;
	source->unlocked = before.unlocked;
	return status;
}

int source_read_next(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	int status = source->class->read_at(source, bytes, n_bytes, source->position, got);

	source->position += *got;
	return status;
}

int source_read(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	size_t again = n_bytes < source->peeked_bytes ? n_bytes : source->peeked_bytes;
	int status;

	if (again > 0) { /* else either pointer may be NULL */
		memcpy(bytes, source->peeked, again);
		bytes += again;
		source->peeked += again;
		source->peeked_bytes -= again;
	}
	status = source->class->read(source, bytes, n_bytes - again, got);
	*got += again;
	return status;
}

int source_peek(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	int status = source_read(source, bytes, n_bytes, got);

	source->peeked = bytes;
	source->peeked_bytes = *got;
	return status;
}

int source_read_at(struct source *source, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	size_t got;
	int status;

	if (offset > INT64_MAX - n_bytes)
		return fail(GPUCRYPT_CORRUPT, "%s: position %" PRIu64 " is past any file's end", source->name, offset);
	status = source->class->read_at(source, bytes, n_bytes, offset, &got);
	if (status == GPUCRYPT_OK && got < n_bytes)
		return fail(GPUCRYPT_CORRUPT, "%s: truncated: it ends at byte %" PRIu64, source->name, offset + got);
	return status;
}

int source_latency(struct source *source, uint64_t n_bytes, double *seconds)
{
	int status = GPUCRYPT_OK;

	*seconds = 0;
	if (source->size_bytes == UINT64_MAX || source->size_bytes < n_bytes || source->class->in_order)
		return GPUCRYPT_OK;
	for (unsigned i = 1; i <= 2 && status == GPUCRYPT_OK; i++) {
		uint8_t bytes[4096];
		double start = clock_seconds(CLOCK_MONOTONIC), took;
		size_t got;

		status = source->class->read_at(source, bytes, sizeof bytes, source->size_bytes / 3 * i, &got);
		took = clock_seconds(CLOCK_MONOTONIC) - start;
		if (i == 1 || took < *seconds)
			*seconds = took;
	}
	return status;
}

int source_skip(struct source *source, uint64_t n_bytes)
{
	uint8_t bytes[4096];
	uint64_t left = n_bytes;
	size_t want, got;
	int status;

	if (source->class == &fd_class && source->size_bytes != UINT64_MAX && n_bytes <= source->size_bytes)
		return lseek(source->fd, (off_t)n_bytes, SEEK_CUR) < 0
		               ? fail_errno(source->name, "cannot be positioned")
		               : GPUCRYPT_OK;
	while (left > 0) {
		want = left < sizeof bytes ? (size_t)left : sizeof bytes;
		status = source_read(source, bytes, want, &got);
		if (status != GPUCRYPT_OK)
			return status;
		if (got < want)
			return fail(GPUCRYPT_USAGE, "%s: offset %" PRIu64 " is past its end", source->name, n_bytes);
		left -= got;
	}
	return GPUCRYPT_OK;
}
