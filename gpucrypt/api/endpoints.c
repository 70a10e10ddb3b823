/* The caller's input and output: callbacks, buffers and descriptors. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/api/internal.h"
#include "gpucrypt/status.h"

/* Input. */

static ssize_t call_reader(const struct gpucrypt_source *from, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	return from->pread != NULL ? from->pread(from->self, bytes, n_bytes, offset)
	                           : from->read(from->self, bytes, n_bytes);
}

/* offset is used if the caller reads by position. */
static int read_from_caller(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	ssize_t n = 1;

	for (*got = 0; *got < n_bytes && n != 0; *got += n > 0 ? (size_t)n : 0) {
		n = call_reader(self->state, bytes + *got, n_bytes - *got, offset + *got);
		if (n > 0 && (size_t)n > n_bytes - *got)
			return fail(GPUCRYPT_USAGE, "%s: the callback returned more bytes than there is room for",
			        self->name);
		if (n < 0 && errno != EINTR)
			return fail_errno(self->name, "cannot be read");
	}
	return GPUCRYPT_OK;
}

static int read_in_order(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	return read_from_caller(self, bytes, n_bytes, 0, got);
}

static const struct source_class positioned_class = { .read = source_read_next, .read_at = read_from_caller },
                                 stream_class = { .read = read_in_order, .in_order = true };

static int open_part(struct source *source, struct gpucrypt_source *from, const char *name, bool from_start)
{
	bool positioned = from->pread != NULL;

	if (positioned || from->read != NULL) {
		*source = (struct source){ .class = positioned ? &positioned_class : &stream_class,
			.name = name,
			.size_bytes = positioned ? from->size : UINT64_MAX,
			.fd = -1,
			.state = from };
		return GPUCRYPT_OK;
	}
	if (from->bytes != NULL) {
		source_open_memory(source, from->bytes, (size_t)from->size, from->size);
		source->name = name;
		return GPUCRYPT_OK;
	}
	if (from->size > 0)
		return fail(GPUCRYPT_USAGE, "%s: a buffer of %" PRIu64 " bytes that is NULL", name, from->size);
	*source = source_of_fd(from->fd, name);
	return from_start ? source_rewind(source) : source_open(source, from->fd, name);
}

int api_input_open(struct api_input *input, const struct gpucrypt_source *source, bool from_start)
{
	int status;

	input->parts[0] = *source;
	input->source = &input->sources[0];
	from_start |= source->image != NULL;
	status = open_part(&input->sources[0], &input->parts[0], "input", from_start);
	if (status != GPUCRYPT_OK || source->image == NULL)
		return status;
	input->parts[1] = *source->image;
	input->source = &input->joined.source;
	status = open_part(&input->sources[1], &input->parts[1], "image", true);
	return status == GPUCRYPT_OK ? detached_source_open(&input->joined, &input->sources[0], &input->sources[1])
	                             : status;
}

/* Output. */

static int write_to_caller(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct gpucrypt_sink *to = ((struct api_sink *)self)->to;
	size_t done = 0;

	(void)offset; /* ranges are ascending and adjacent */
	while (done < n_bytes) {
		ssize_t n = to->write(to->self, bytes + done, n_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n > 0 && (size_t)n > n_bytes - done)
			return fail(GPUCRYPT_USAGE, "output: the callback has written more bytes than there are");
		if (n <= 0)
			return fail_errno("output", "cannot be written");
		done += (size_t)n;
	}
	return GPUCRYPT_OK;
}

static int write_to_buffer(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct gpucrypt_sink *to = ((struct api_sink *)self)->to;

	if (offset > to->size || n_bytes > to->size - offset)
		return fail(GPUCRYPT_IO, "output: the buffer of %zu bytes is too small", to->size);
	if (n_bytes > 0)
		memcpy((uint8_t *)to->bytes + offset, bytes, n_bytes);
	to->written = (size_t)offset + n_bytes;
	return GPUCRYPT_OK;
}

static int open_sink(struct api_sink *sink, struct gpucrypt_sink *to)
{
	*sink = (struct api_sink){ .to = to, .used = &sink->sink };
	to->written = 0;
	if (to->write != NULL) {
		sink->sink.write = write_to_caller;
	} else if (to->bytes != NULL) {
		sink->sink.write = write_to_buffer;
		sink->sink.room_bytes = to->size;
	} else {
		if (to->size > 0)
			return fail(GPUCRYPT_USAGE, "output: a buffer of %zu bytes that is NULL", to->size);
		sink->used = &sink->file.sink;
		return fd_sink_open(&sink->file, to->fd, "output");
	}
	return GPUCRYPT_OK;
}

/* One file by both descriptors; devices without a content of their own, such as terminals, are none. */
static bool same_file(int fd, int other_fd)
{
	struct stat one, other;

	if (fstat(fd, &one) != 0 || fstat(other_fd, &other) != 0)
		return false;
	if (S_ISBLK(one.st_mode) && S_ISBLK(other.st_mode))
		return one.st_rdev == other.st_rdev;
	return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static bool overlaps(const struct gpucrypt_source *from, const struct gpucrypt_sink *to)
{
	uintptr_t input = (uintptr_t)from->bytes, output = (uintptr_t)to->bytes;

	if (from->pread != NULL || from->read != NULL || to->write != NULL ||
	        (from->bytes == NULL) != (to->bytes == NULL))
		return false;
	if (from->bytes == NULL)
		return same_file(from->fd, to->fd);
	return output < input + from->size && input < output + to->size;
}

int api_check_distinct(const struct gpucrypt_source *source, const struct gpucrypt_sink *sink)
{
	for (const struct gpucrypt_source *from = source; from != NULL; from = from == source ? source->image : NULL)
		for (const struct gpucrypt_sink *to = sink; to != NULL; to = to == sink ? sink->image : NULL)
			if (overlaps(from, to))
				return fail(GPUCRYPT_EXISTS, "the output would overwrite the input");
	return GPUCRYPT_OK;
}

static bool parts_overlap(const struct gpucrypt_sink *header, const struct gpucrypt_sink *image)
{
	const struct gpucrypt_source written = { .bytes = image->bytes, .size = image->size, .fd = image->fd };

	return image->write == NULL && overlaps(&written, header);
}

int api_output_open(struct api_output *output, struct gpucrypt_sink *sink, unsigned group_log2)
{
	int status = open_sink(&output->parts[0], sink);

	output->sink = output->parts[0].used;
	if (status != GPUCRYPT_OK || group_log2 == 0)
		return status;
	if (parts_overlap(sink, sink->image))
		return fail(GPUCRYPT_EXISTS, "header and image are the same output");
	status = open_sink(&output->parts[1], sink->image);
	detached_sink_open(&output->joined, output->parts[0].used, output->parts[1].used, group_log2);
	output->sink = &output->joined.sink;
	return status;
}
