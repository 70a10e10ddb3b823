#include "gpucrypt/container/container.h"

#include <inttypes.h>

#include "gpucrypt/container/layout.h"
#include "gpucrypt/status.h"

/* Map an inline position to the file, the position in that file, and the number of contiguous bytes there. */
static struct source *locate(const struct source *self, uint64_t *offset, size_t *n_bytes)
{
	const struct detached_source *joined = (const struct detached_source *)self;
	struct source *file =
	        layout_in_image(joined->group_log2, offset, n_bytes) ? joined->image : joined->header_file;
	uint64_t left = *offset < file->size_bytes ? file->size_bytes - *offset : 0;

	/* A block device may be larger than its image. */
	if (file->block_device && *n_bytes > left)
		*n_bytes = (size_t)left;
	return file;
}

static int read_joined_at(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	int status = GPUCRYPT_OK;
	size_t n = 1, part = 1;

	for (*got = 0; status == GPUCRYPT_OK && *got < n_bytes && n > 0 && part == n; *got += part) {
		uint64_t place = offset + *got;
		struct source *file;

		n = n_bytes - *got;
		file = locate(self, &place, &n);
		status = file->class->read_at(file, bytes + *got, n, place, &part);
	}
	return status;
}

static const struct source_class joined_class = { .read = source_read_next, .read_at = read_joined_at };

const char *detached_place(const struct source *source, uint64_t *offset)
{
	const struct source *file = source;
	size_t one = 1;

	if (source->class == &joined_class)
		file = locate(source, offset, &one);
	return file->name;
}

int detached_source_open(struct detached_source *joined, struct source *header_file, struct source *image)
{
	const struct source *unknown = header_file->size_bytes == UINT64_MAX ? header_file
	                               : image->size_bytes == UINT64_MAX     ? image
	                                                                     : NULL;

	*joined = (struct detached_source){ .header_file = header_file, .image = image };
	joined->source = (struct source){ .class = &joined_class,
		.fd = -1,
		.name = header_file->name,
		.size_bytes = header_file->size_bytes + image->size_bytes };
	if (unknown != NULL)
		return fail(GPUCRYPT_USAGE,
		        "%s: its size is not known: image and detached header must be files, not pipes", unknown->name);
	return GPUCRYPT_OK;
}

/* A block device may hold other data after the image. */
static void image_end_set(struct detached_source *joined, uint64_t size)
{
	struct source *image = joined->image;

	if (!image->block_device || image->size_bytes <= size)
		return;
	joined->source.size_bytes -= image->size_bytes - size;
	image->size_bytes = size;
}

int detached_source_lay(struct source *source, const struct header *header)
{
	struct detached_source *joined = (struct detached_source *)source;
	bool detached = header->layout == LAYOUT_DETACHED;

	if (detached != (source->class == &joined_class))
		return fail(GPUCRYPT_USAGE,
		        detached
		                ? "%s: a detached header: its image is needed"
		                : "%s: not a detached header: the container holds its tags and ciphertext itself (retag and --image are for enc --detached)",
		        source->name);
	if (!detached)
		return GPUCRYPT_OK;
	joined->group_log2 = header->group_log2;
	image_end_set(joined, header->plaintext_bytes);
	return GPUCRYPT_OK;
}

int detached_source_check(const struct source *source)
{
	const struct detached_source *joined = (const struct detached_source *)source;
	uint64_t size, needed;

	if (source->class != &joined_class)
		return GPUCRYPT_OK;
	size = joined->header_file->size_bytes - PAGES_START;
	needed = layout_groups(joined->group_log2, joined->image->size_bytes) * PAGE_BYTES;
	if (size != needed)
		return fail(GPUCRYPT_CORRUPT,
		        "%s: has %" PRIu64 " bytes of pages where %s of %" PRIu64 " bytes needs %" PRIu64,
		        joined->header_file->name, size, joined->image->name, joined->image->size_bytes, needed);
	return GPUCRYPT_OK;
}

static int write_parts(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct detached_sink *joined = (struct detached_sink *)self;
	int status = GPUCRYPT_OK;

	for (size_t done = 0, n; done < n_bytes && status == GPUCRYPT_OK; done += n) {
		uint64_t place = offset + done;
		struct sink *file;

		n = n_bytes - done;
		file = layout_in_image(joined->group_log2, &place, &n) ? joined->image : joined->header_file;
		if (file != NULL)
			status = file->write(file, bytes + done, n, place);
	}
	return status;
}

void detached_sink_open(struct detached_sink *joined, struct sink *header_file, struct sink *image, unsigned group_log2)
{
	*joined = (struct detached_sink){
		.sink = { .write = write_parts }, .header_file = header_file, .image = image, .group_log2 = group_log2
	};
}

int detached_image_check(const struct source *source, unsigned sector_log2)
{
	if (source->size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: not a file: an image has a known size", source->name);
	if (source->size_bytes % (UINT64_C(1) << sector_log2) != 0)
		return fail(GPUCRYPT_USAGE, "%s: %" PRIu64 " bytes: not whole sectors of %u", source->name,
		        source->size_bytes, 1u << sector_log2);
	return GPUCRYPT_OK;
}
