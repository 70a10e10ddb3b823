#include "gpucrypt/pipeline/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/status.h"

static int write_all(const struct fd_sink *sink, const uint8_t *bytes, size_t n_bytes, off_t position)
{
	size_t done = 0, want;
	ssize_t n;

	while (done < n_bytes) {
		want = n_bytes - done < MAX_CALL_BYTES ? n_bytes - done : MAX_CALL_BYTES;
		n = sink->positioned ? pwrite(sink->fd, bytes + done, want, position + (off_t)done)
		                     : write(sink->fd, bytes + done, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			return fail_errno(sink->name, "cannot be written");
		done += (size_t)n;
	}
	return GPUCRYPT_OK;
}

/* Each call sets the length of the file, because no later call may follow zeros that were not written. */
static int write_sparse(struct fd_sink *sink, const uint8_t *bytes, size_t n_bytes, uint64_t position)
{
	uint64_t end = position + n_bytes;
	bool zero = false;
	int status = GPUCRYPT_OK;

	for (size_t done = 0, n; done < n_bytes && status == GPUCRYPT_OK; done += n) {
		n = zero_run(bytes + done, n_bytes - done, position + done, sink->block_bytes, &zero);
		if (!zero)
			status = write_all(sink, bytes + done, n, (off_t)(position + done));
	}
	if (status != GPUCRYPT_OK || end <= sink->length)
		return status;
	sink->length = end;
	return zero && ftruncate(sink->fd, (off_t)end) != 0 ? write_all(sink, (const uint8_t *)"", 1, (off_t)end - 1)
	                                                    : GPUCRYPT_OK;
}

static int fd_write(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct fd_sink *sink = (struct fd_sink *)self;
	uint64_t position = sink->start + offset;
	int status = sink->block_bytes > 0 ? write_sparse(sink, bytes, n_bytes, position)
	                                   : write_all(sink, bytes, n_bytes, (off_t)position);

	/* A process that shares the descriptor (`{ gcrypt …; gcrypt …; } > file`) continues after this output. */
	if (status == GPUCRYPT_OK && sink->positioned && !sink->any_order &&
	        lseek(sink->fd, (off_t)(position + n_bytes), SEEK_SET) < 0)
		status = fail_errno(sink->name, "cannot be positioned");
	return status;
}

int sink_admits(const struct sink *sink, uint64_t n_bytes)
{
	if (sink->room_bytes == 0 || n_bytes == UINT64_MAX || n_bytes <= sink->room_bytes)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_IO,
	        "does not fit: the output takes %" PRIu64 " bytes, and there are %" PRIu64 ": nothing was written",
	        sink->room_bytes, n_bytes);
}

/* The room of a block device is what follows the descriptor's position, which does not change. */
static int find_room(struct fd_sink *sink)
{
	off_t start = (off_t)sink->start, end = lseek(sink->fd, 0, SEEK_END);

	if (end < 0 || lseek(sink->fd, start, SEEK_SET) < 0)
		return fail_errno(sink->name, "its size cannot be found");
	sink->sink.room_bytes = end > start ? (uint64_t)(end - start) : 0;
	return GPUCRYPT_OK;
}

int fd_sink_open(struct fd_sink *sink, int fd, const char *name)
{
	struct stat status;
	off_t start;

	*sink = (struct fd_sink){ .sink = { .write = fd_write }, .fd = fd, .name = name };
	if (fstat(fd, &status) != 0)
		return fail_errno(name, "cannot be examined");
	if (fd_position(&start, fd, &status, name) != GPUCRYPT_OK)
		return GPUCRYPT_IO;
	sink->positioned = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode);
	sink->start = sink->positioned ? (uint64_t)start : 0;
	return sink->positioned && S_ISBLK(status.st_mode) ? find_room(sink) : GPUCRYPT_OK;
}

void fd_sink_allow_any_order(struct fd_sink *sink)
{
	sink->any_order = sink->positioned;
	sink->start = 0; /* a source of this descriptor that looks for holes moves its position */
	sink->sink.keeps_holes = sink->positioned;
}

void fd_sink_leave_zeros(struct fd_sink *sink)
{
	struct stat there;

	if (fstat(sink->fd, &there) != 0 || !S_ISREG(there.st_mode) || there.st_blksize <= 0)
		return;
	sink->block_bytes = (size_t)there.st_blksize;
	sink->length = (uint64_t)there.st_size;
}

int fd_store(int fd, const char *name, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct fd_sink sink = { .fd = fd, .name = name, .positioned = true, .any_order = true };
	int status = fd_write(&sink.sink, bytes, n_bytes, offset);

	return status == GPUCRYPT_OK && fsync(fd) != 0 ? fail_errno(name, "cannot sync") : status;
}
