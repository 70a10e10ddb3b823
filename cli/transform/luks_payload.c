#include "cli/transform/luks_payload.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "gpucrypt/status.h"

#define COPY_BYTES ((size_t)1 << 20)

/* Writing. */

int luks_header_write(const struct luks_volume *volume, struct sink *sink)
{
	struct source source = source_of_fd(volume->header_fd, "LUKS header");
	uint8_t *bytes = malloc(COPY_BYTES);
	int status = bytes ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");

	for (uint64_t at = 0; at < LUKS_HEADER_BYTES && status == GPUCRYPT_OK; at += COPY_BYTES) {
		status = source_read_at(&source, bytes, COPY_BYTES, at);
		if (status == GPUCRYPT_OK)
			status = sink->write(sink, bytes, COPY_BYTES, at);
	}
	free(bytes);
	return status;
}

static int write_payload(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct payload_sink *payload = (struct payload_sink *)self;

	return payload->volume->write(payload->volume, bytes, n_bytes, payload->start + offset);
}

struct sink *payload_sink_open(struct payload_sink *payload, struct sink *volume, uint64_t start)
{
	*payload = (struct payload_sink){ .sink = *volume, .volume = volume, .start = start };
	payload->sink.write = write_payload;
	payload->sink.room_bytes = 0; /* compared before */
	return &payload->sink;
}

struct raw_options payload_options(const struct luks_volume *volume)
{
	return (struct raw_options){ .key = volume->key,
		.key_length = 2 * (size_t)volume->suite.key_bytes,
		.have_iv_start = true,
		.iv_start = volume->iv_start,
		.sector_bytes = volume->sector_bytes,
		.length = UINT64_MAX };
}

/* Reading. */

static int check_options(const struct options *options, const char *name)
{
	static const char *const refused[] = { "identity", "offset", "length", "salvage", "verify-first", "rm",
		"recipient", "recipients-from", "image", "sparse", "chunk-log2", "group-log2" };

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (option_given(options, refused[i]))
			return fail(GPUCRYPT_USAGE, "%s: a LUKS volume: not with --%s", name, refused[i]);
	return GPUCRYPT_OK;
}

static int open_volume(struct job_file *file, const struct options *options)
{
	const char *header = options->luks2_header;
	int fd, status;

	if (!header)
		return luks_open(&file->volume, file->input.source.fd, file->input.name);
	fd = open(header, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail_errno(header, "cannot open");
	status = luks_open(&file->volume, fd, header);
	file->volume.header_fd = fd;
	return status;
}

static int check_size(const struct job_file *file)
{
	const struct luks_volume *volume = &file->volume;
	uint64_t size = file->input.source.size_bytes;

	if (size == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: a LUKS volume is a file or a block device", file->input.name);
	if (size < volume->payload || (size - volume->payload) % volume->sector_bytes != 0)
		return fail(GPUCRYPT_CORRUPT,
		        "%s: truncated: its payload starts at byte %" PRIu64
		        " and has sectors of %u, and it ends at %" PRIu64,
		        file->input.name, volume->payload, volume->sector_bytes, size);
	return GPUCRYPT_OK;
}

static void plan_volume(struct file_plan *plan, const struct options *options, const struct luks_volume *volume)
{
	*plan = (struct file_plan){ .run = options->plan, .suite = volume->suite, .content_known = true };
	plan->sector_log2 = (unsigned)__builtin_ctz(volume->sector_bytes);
	plan->run.cipher = volume->suite.cipher->id;
	plan->run.key_bits = 8 * volume->suite.key_bytes;
	plan->run.mode = GPUCRYPT_XTS;
}

int luks_look_at_header(struct job *job, struct job_file *file, const char *operand)
{
	int status = check_options(job->options, operand);

	if (status == GPUCRYPT_OK)
		status = open_volume(file, job->options);
	if (status == GPUCRYPT_OK)
		status = luks_check_payload(&file->volume);
	if (status == GPUCRYPT_OK)
		status = check_size(file);
	if (status == GPUCRYPT_OK)
		plan_volume(&file->plan, job->options, &file->volume);
	return status;
}
