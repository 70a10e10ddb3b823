/* enc --update --in-place into a LUKS volume.  In XTS a sector that has not changed keeps its ciphertext, and a volume
 * has no tags, so there is nothing to authenticate: the sectors that differ are written where they are.  A run that is
 * stopped leaves some sectors old and some new, like an image that is copied over another one; the same command
 * completes it. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/transform/update.h"
#include "command/message.h"
#include "gpucrypt/status.h"

struct volume_sink {
	struct sink sink;
	struct fd_sink file; /* fd -1: changes are only counted */
	struct source *old;
	uint64_t start; /* of the payload */
	size_t sector;
	uint8_t *before; /* a segment of the old payload; owned */
	struct report counts;
};

/* Length of the sectors at `bytes` that all differ from those of the volume, or that all are the same. */
static size_t find_run(const struct volume_sink *volume, const uint8_t *bytes, size_t at, size_t n_bytes, bool *differ)
{
	const size_t sector = volume->sector;
	size_t end = at;

	*differ = memcmp(volume->before + at, bytes + at, sector) != 0;
	do
		end += sector;
	while (end < n_bytes && (memcmp(volume->before + end, bytes + end, sector) != 0) == *differ);
	return end - at;
}

static int write_changes(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct volume_sink *volume = (struct volume_sink *)self;
	uint64_t place = volume->start + offset;
	size_t got, n;
	bool differ;
	int status = volume->old->class->read_at(volume->old, volume->before, n_bytes, place, &got);

	for (size_t i = got; status == GPUCRYPT_OK && i < n_bytes; i++)
		volume->before[i] = (uint8_t)~bytes[i]; /* behind the end of the volume all sectors are new */
	for (size_t at = 0; at < n_bytes && status == GPUCRYPT_OK; at += n) {
		n = find_run(volume, bytes, at, n_bytes, &differ);
		if (!differ)
			continue;
		volume->counts.n_written += n / volume->sector;
		volume->counts.written_bytes += n;
		if (volume->file.fd >= 0)
			status = volume->file.sink.write(&volume->file.sink, bytes + at, n, place + at);
	}
	volume->counts.n_unread -= n_bytes / volume->sector;
	return status;
}

/* Open the volume again, for writing too.  Another program that has the device open, such as dm-crypt, would not see
 * what is written. */
static int open_for_writing(const struct job_file *file)
{
	struct input *volume = &update_of(file)->container;
	const char *name = volume->name;
	struct stat there;
	int fd;

	input_close(volume);
	volume->source.fd = fd = open_exclusively(name, O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &there) != 0)
		return fail_errno(name, "cannot be opened for writing");
	if (!same_storage(&there, &volume->stat))
		return fail(GPUCRYPT_IO, "%s: was replaced while it was opened", name);
	return lock_file(fd, LOCK_EX, AT_FDCWD, name) ? source_open(&volume->source, fd, name) : fail_locked(name);
}

static int check_size(const struct job_file *file)
{
	const struct update_state *state = update_of(file);
	const struct luks_volume *volume = &state->luks.volume;
	uint64_t room = state->container.source.size_bytes - volume->payload, size = file->input.source.size_bytes;

	if (volume->payload == 0) /* the payload would overwrite this header, which may be the only one */
		return fail(GPUCRYPT_USAGE, "%s: a detached LUKS header: only volumes with a header can be updated",
		        state->container.name);
	if (size <= room || !S_ISBLK(state->container.stat.st_mode))
		return detached_image_check(&file->input.source, (unsigned)__builtin_ctz(volume->sector_bytes));
	return fail(GPUCRYPT_IO, "%s: does not fit: it has %" PRIu64 " bytes, and the volume has room for %" PRIu64,
	        file->input.name, size, room);
}

int update_look_at_volume(struct job *job, struct job_file *file)
{
	struct update_state *state = update_of(file);

	file->kind = &enc_update_luks_kind;
	file->output.name = file->detached.other_name = file->output_name;
	file->output_name = NULL; /* no output is created */
	if (!job->options->in_place)
		return fail(GPUCRYPT_USAGE, "%s: a LUKS volume is updated only in place: add --in-place",
		        state->container.name);
	return (job->options->dry_run ? GPUCRYPT_OK : open_for_writing(file))
	               ?: luks_open_volume(job, file, &state->container)
	               ?: check_size(file);
}

static int unlock_volume(struct job *job, struct job_file *file)
{
	file->plan.suite.direction = ENCRYPT;
	return update_check_options(job->options, file)
	               ?: job_get_secret(job, file, false)
	               ?: luks_unlock_volume(job, file);
}

static int update_payload(struct job_file *file, struct volume_sink *sink)
{
	const struct update_state *state = update_of(file);
	struct raw_options options = payload_options(&state->luks.volume);
	const struct source *source = &file->input.source;
	uint64_t n_segments = (source->size_bytes >> RAW_SEGMENT_LOG2) + 1;
	bool *wanted = NULL;
	int status = GPUCRYPT_OK;

	if (state->changed.ranges != NULL)
		status = ranges_mark(&wanted, state->changed.ranges, state->changed.n, RAW_SEGMENT_LOG2, n_segments);
	options.wanted = wanted;
	status = status ?: job_raw_crypt(file, &sink->sink, &options);
	free(wanted);
	return status;
}

static int run_update(struct job *job, struct job_file *file)
{
	struct update_state *state = update_of(file);
	const struct luks_volume *volume = &state->luks.volume;
	struct report *report = &file->report;
	struct volume_sink sink = { .sink.write = write_changes,
		.file.fd = -1,
		.old = &state->container.source,
		.start = volume->payload,
		.sector = volume->sector_bytes,
		.before = malloc((size_t)1 << RAW_SEGMENT_LOG2) };
	int status = sink.before ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");

	if (status == GPUCRYPT_OK && !job->options->dry_run)
		status = fd_sink_open(&sink.file, state->container.source.fd, state->container.name);
	fd_sink_allow_any_order(&sink.file);
	sink.counts.n_groups = sink.counts.n_unread = file->input.source.size_bytes / volume->sector_bytes;
	status = status ?: update_payload(file, &sink);
	report->n_groups = sink.counts.n_groups;
	report->n_written = sink.counts.n_written;
	report->n_unread = sink.counts.n_unread;
	report->written_bytes = sink.counts.written_bytes;
	free(sink.before);
	return status;
}

/* A volume in a file ends where the image ends. */
static int finish_update(struct job *job, struct job_file *file)
{
	const struct update_state *state = update_of(file);
	off_t size = (off_t)(state->luks.volume.payload + file->input.source.size_bytes);

	(void)job;
	if (S_ISREG(state->container.stat.st_mode) && ftruncate(state->container.source.fd, size) != 0)
		return fail_errno(state->container.name, "cannot set the length of the file");
	if (fsync(state->container.source.fd) != 0)
		return fail_errno(state->container.name, "cannot sync");
	return file->changed ? fail(GPUCRYPT_IO, "%s: changed while it was read: repeat the command", file->input.name)
	                     : GPUCRYPT_OK;
}

static int close_volume(struct job *job, struct job_file *file, int status)
{
	struct update_state *state = update_of(file);

	if (status != GPUCRYPT_OK && file->report.n_written > 0 && !job->options->dry_run && !job->options->quiet)
		message_warning(state->container.name, "partly updated: repeat the command to complete the update");
	luks_close_state(job, file, status);
	return update_close(job, file, status);
}

const struct job_kind enc_update_luks_kind = { UPDATE_STEPS, .luks = true, .unlock = unlock_volume, .run = run_update,
	.finish = finish_update, .close = close_volume };
