#include "cli/transform/job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/terminal/memory.h"
#include "cli/tree/bundle.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "cli/terminal/signals.h"

#define PIECE_BYTES ((size_t)1 << 20)

/* Takes decrypted bytes and compares them with a file's instead of writing them. */
struct comparing_sink {
	struct sink sink;
	struct source plain;
	uint8_t *piece; /* owned, PIECE_BYTES */
};

static int compare(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct comparing_sink *comparing = (struct comparing_sink *)self;

	signals_keep();
	for (size_t done = 0, n; done < n_bytes; done += n) {
		int status;

		n = n_bytes - done < PIECE_BYTES ? n_bytes - done : PIECE_BYTES;
		status = source_read_at(&comparing->plain, comparing->piece, n, offset + (uint64_t)done);
		if (status != GPUCRYPT_OK)
			return status;
		if (memcmp(comparing->piece, bytes + done, n) != 0)
			return fail(GPUCRYPT_CORRUPT,
			        "%s: reading back gave other bytes after byte %" PRIu64 ": nothing is removed",
			        comparing->plain.name, offset + (uint64_t)done);
	}
	return GPUCRYPT_OK;
}

/* Drop the file's pages from the page cache: reading must reach the storage. */
int open_stored(struct source *source, const struct source *file)
{
	int error = posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);

	if (error || lseek(file->fd, 0, SEEK_SET) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot read back: %s", file->name, strerror(error ? error : errno));
	return source_open(source, file->fd, file->name);
}

static int compare_by(enum gpucrypt_engine engine, const struct job *job, const struct job_file *file,
        const struct source *container, const struct source *plain)
{
	struct gpucrypt_plan plan = {
		.engine = engine, .device = job->options->plan.device, .threads = job->options->plan.threads
	};
	unsigned content = job_encrypts(job) ? plain->content : file->plan.content;
	struct comparing_sink comparing = { .sink.write = compare };
	struct sink *sink = &comparing.sink;
	struct decompression decompression;
	struct source stored;
	struct report found = { 0 };
	int status = open_stored(&stored, container) ?: open_stored(&comparing.plain, plain);

	if (status != GPUCRYPT_OK)
		return status;
	comparing.piece = memory_or_exit(malloc(PIECE_BYTES));
	status = decompression_begin(&decompression, content, container->name, &sink)
	                 ?: container_decrypt(&stored, sink, &plan, &job->secret.secret, NULL, &found);
	status = decompression_end(&decompression, status, &found);
	if (status == GPUCRYPT_OK && found.plaintext_bytes != comparing.plain.size_bytes)
		status =
		        fail(GPUCRYPT_CORRUPT, "%s: reading back gave another length: nothing is removed", plain->name);
	if (status == GPUCRYPT_OK && job->options->verbose)
		fprintf(stderr, "read back: %s\n", found.engine);
	wipe(comparing.piece, PIECE_BYTES);
	free(comparing.piece);
	return status;
}

int job_read_back(struct job *job, struct job_file *file)
{
	const struct source *from = &file->input.source, to = { .fd = file->output.fd, .name = file->output.name };
	const struct source *container = job_encrypts(job) ? &to : from, *plain = job_encrypts(job) ? from : &to;
	bool by_cpu = file->report.class == GPUCRYPT_CPU;
	int status;

	if (!job->options->remove_source || file->changed)
		return GPUCRYPT_OK;
	status = compare_by(by_cpu ? GPUCRYPT_OPENCL : GPUCRYPT_CPU, job, file, container, plain);
	/* The CPU is the only engine. */
	if (status == GPUCRYPT_DEVICE && by_cpu) {
		fail_clear();
		status = compare_by(GPUCRYPT_CPU, job, file, container, plain);
	}
	return status;
}

int remove_check(const struct input *input)
{
	struct stat link;

	if (input->standard)
		return fail(GPUCRYPT_USAGE, "--rm: not with standard input");
	if (lstat(input->name, &link) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot examine: %s", input->name, strerror(errno));
	if (!S_ISREG(link.st_mode))
		return fail(GPUCRYPT_USAGE, "%s: --rm only removes regular files", input->name);
	return GPUCRYPT_OK;
}

int input_check_unchanged(const struct input *input)
{
	const struct stat *then = &input->stat;
	struct stat now;

	return lstat(input->name, &now) == 0 && now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
	                       same_version(&now, then)
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_IO, "%s: changed during the run, so it is kept as it is", input->name);
}

int remove_input(const struct input *input)
{
	char *folder;
	int folder_fd, status = input_check_unchanged(input);

	if (status != GPUCRYPT_OK)
		return status;
	if (unlink(input->name) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot remove: %s", input->name, strerror(errno));
	folder = folder_name(input->name);
	folder_fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	status = folder_fd < 0 ? fail(GPUCRYPT_IO, "%s: cannot sync its folder", input->name)
	                       : folder_sync(folder_fd, input->name);
	if (folder_fd >= 0)
		close(folder_fd);
	free(folder);
	return status;
}
