/* Timed runs from files. */
#include "cli/bench/bench_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/pipeline/report.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"

#define COPY_BYTES ((size_t)1 << GROUP_LOG2_DEFAULT)

const char *const file_verbs[N_FILE_VERBS] = { "copy", "enc", "dec", "verify" };

static struct gpucrypt_secret secret_of(const struct file_run *run)
{
	return (struct gpucrypt_secret){
		.type = GPUCRYPT_KEY_FILE, .bytes = run->memory.key, .length = sizeof run->memory.key
	};
}

/* Unnamed files. */

static int open_unnamed(int *fd, const char *folder)
{
	char name[4096];

	*fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd >= 0)
		return GPUCRYPT_OK;
	/* Some file systems have no unnamed files (O_TMPFILE). */
	if ((errno != EOPNOTSUPP && errno != EISDIR) ||
	        (size_t)snprintf(name, sizeof name, "%s/gcrypt-bench-XXXXXX", folder) >= sizeof name)
		return fail_errno(folder, "cannot hold files");
	*fd = mkostemp(name, O_CLOEXEC);
	if (*fd < 0)
		return fail_errno(folder, "cannot hold files");
	unlink(name);
	return GPUCRYPT_OK;
}

int file_run_check(const char *folder, uint64_t n_bytes)
{
	uint64_t needed = n_bytes / 2 * 7 > STORAGE_BYTES ? n_bytes / 2 * 7 : STORAGE_BYTES;
	struct statvfs there;
	int fd = -1, status = open_unnamed(&fd, folder);

	if (status == GPUCRYPT_OK && fstatvfs(fd, &there) == 0 && (uint64_t)there.f_bavail * there.f_frsize < needed)
		status = fail(GPUCRYPT_IO, "%s: %llu MiB are needed, and there are %llu", folder,
		        (unsigned long long)needed >> 20, (unsigned long long)there.f_bavail * there.f_frsize >> 20);
	if (fd >= 0)
		close(fd);
	return status;
}

static int sync_file(const struct file_run *run, int fd)
{
	return fsync(fd) == 0 ? GPUCRYPT_OK : fail_errno(run->folder, "cannot sync");
}

static int write_plain(const struct file_run *run, const struct file_input *input)
{
	const struct memory_run *memory = &run->memory;
	struct fd_sink sink;
	int status = fd_sink_open(&sink, input->plain_fd, run->folder);

	for (uint64_t done = 0; done < input->n_bytes && status == GPUCRYPT_OK;) {
		uint64_t left = input->n_bytes - done;
		size_t n = left < memory->n_bytes ? (size_t)left : memory->n_bytes;

		status = sink.sink.write(&sink.sink, memory->bytes, n, done);
		done += n;
	}
	/* Or it would be stored while something else is measured. */
	return status == GPUCRYPT_OK ? sync_file(run, input->plain_fd) : status;
}

static int open_input(const struct file_run *run, struct file_input *input, uint64_t n_bytes)
{
	int status = open_unnamed(&input->plain_fd, run->folder);

	input->n_bytes = n_bytes;
	if (status == GPUCRYPT_OK)
		status = open_unnamed(&input->container_fd, run->folder);
	return status == GPUCRYPT_OK ? write_plain(run, input) : status;
}

int file_run_open(struct file_run *run, const char *folder, uint64_t n_bytes)
{
	const struct file_input none = { .plain_fd = -1, .container_fd = -1 };
	int status;

	*run = (struct file_run){ .folder = folder, .whole = none, .quarter = none, .output_fd = -1, .nowhere_fd = -1 };
	status = memory_run_open(&run->memory, n_bytes);
	if (status == GPUCRYPT_OK)
		status = open_input(run, &run->whole, n_bytes);
	if (status == GPUCRYPT_OK)
		status = open_input(run, &run->quarter, n_bytes / 4);
	if (status == GPUCRYPT_OK)
		status = open_unnamed(&run->output_fd, folder);
	free(run->memory.bytes);
	run->memory.bytes = NULL;
	run->nowhere_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return status == GPUCRYPT_OK && run->nowhere_fd < 0 ? fail_errno("/dev/null", "cannot open") : status;
}

void file_run_close(struct file_run *run)
{
	const int fds[] = { run->whole.plain_fd, run->whole.container_fd, run->quarter.plain_fd,
		run->quarter.container_fd, run->output_fd, run->nowhere_fd };

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	memory_run_close(&run->memory);
}

/* Copy a file with the number of threads that read for one device. */

struct copy {
	const struct file_run *run;
	const struct file_input *input;
	atomic_uint_fast64_t next;
	atomic_int error; /* errno of a thread that failed */
};

static bool copy_piece(const struct copy *copy, uint8_t *bytes, uint64_t at)
{
	uint64_t left = copy->input->n_bytes - at;
	size_t n = left < COPY_BYTES ? (size_t)left : COPY_BYTES;

	errno = ENOSPC; /* bytes of the incomplete output */
	return pread(copy->input->plain_fd, bytes, n, (off_t)at) == (ssize_t)n &&
	       pwrite(copy->run->output_fd, bytes, n, (off_t)at) == (ssize_t)n;
}

static void *copy_pieces(void *argument)
{
	struct copy *copy = argument;
	uint8_t *bytes = malloc(COPY_BYTES);
	uint64_t at;

	if (bytes == NULL)
		copy->error = ENOMEM;
	while (copy->error == 0 && (at = atomic_fetch_add(&copy->next, COPY_BYTES)) < copy->input->n_bytes)
		if (!copy_piece(copy, bytes, at))
			copy->error = errno;
	free(bytes);
	return NULL;
}

static int run_copy(const struct file_run *run, const struct file_input *input, const struct gpucrypt_plan *plan)
{
	struct copy copy = { .run = run, .input = input };
	unsigned n = read_threads(plan, 0, COPY_BYTES).readers, started = 0;
	pthread_t threads[64];

	while (started < n - 1 && started < 64 && pthread_create(&threads[started], NULL, copy_pieces, &copy) == 0)
		started++;
	copy_pieces(&copy);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	errno = copy.error;
	return errno != 0 ? fail_errno(run->folder, "a file cannot be copied") : GPUCRYPT_OK;
}

/* Runs. */

/* Sample the resident memory of the process during a run: the second number of /proc/self/statm, in pages. */
static int look_at_memory(void *self, uint64_t done, uint64_t total)
{
	struct bench_file *row = self;
	FILE *stream = fopen("/proc/self/statm", "re");
	char line[128] = "", *second = line;
	uint64_t bytes;

	(void)done, (void)total;
	if (stream == NULL)
		return 0;
	if (fgets(line, sizeof line, stream) != NULL)
		strtoull(line, &second, 10);
	bytes = strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (bytes > row->resident_bytes)
		row->resident_bytes = bytes;
	fclose(stream);
	return 0;
}

static int crypt_file(const struct file_run *run, struct bench_file *row, const struct file_input *input, int out_fd,
        struct report *report)
{
	const struct gpucrypt_progress progress = { look_at_memory, row };
	const struct gpucrypt_secret secret = secret_of(run);
	int from = row->verb == FILE_ENC ? input->plain_fd : input->container_fd;
	struct fd_sink sink;
	struct source source;
	int status = lseek(from, 0, SEEK_SET) == 0 ? source_open(&source, from, run->folder)
	                                           : fail_errno(run->folder, "cannot be positioned");

	if (status == GPUCRYPT_OK)
		status = fd_sink_open(&sink, out_fd, run->folder);
	if (status != GPUCRYPT_OK)
		return status;
	if (row->to_file)
		fd_sink_allow_any_order(&sink);
	if (row->verb == FILE_ENC)
		status = container_encrypt(&source, &sink.sink, &row->pipeline.plan, &secret, &progress, report);
	else
		status = container_decrypt(&source, row->verb == FILE_VERIFY ? NULL : &sink.sink, &row->pipeline.plan,
		        &secret, &progress, report);
	return status;
}

/* Make containers of the row's suite with the CPU engine. */
static int make_containers(struct file_run *run, const struct bench_file *row)
{
	const struct file_input *inputs[] = { &run->whole, &run->quarter };
	const struct suite *suite = &row->pipeline.suite;
	struct bench_file make = { .verb = FILE_ENC,
		.to_file = true,
		.pipeline.plan = { .cipher = suite->cipher->id,
		        .mode = suite->mode->id,
		        .key_bits = 8 * suite->key_bytes,
		        .engine = GPUCRYPT_CPU } };
	int status = GPUCRYPT_OK;

	if (run->made != NULL && run->made->cipher == suite->cipher && run->made->mode == suite->mode &&
	        run->made->key_bytes == suite->key_bytes)
		return GPUCRYPT_OK;
	run->made = NULL;
	for (unsigned i = 0; i < 2 && status == GPUCRYPT_OK; i++) {
		int fd = inputs[i]->container_fd;

		if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
			return fail_errno(run->folder, "cannot be emptied");
		status = crypt_file(run, &make, inputs[i], fd, NULL);
		if (status == GPUCRYPT_OK)
			status = sync_file(run, fd);
		if (status != GPUCRYPT_OK && ftruncate(fd, 0) != 0)
			break;
	}
	if (status == GPUCRYPT_OK)
		run->made = suite;
	return status;
}

struct timed {
	struct file_run *run;
	struct bench_file *row;
	double fastest_s; /* over all bytes; 0: none yet */
};

static int run_file(
        void *self, struct bench_pipeline *pipeline, uint64_t n_bytes, struct report *report, double *seconds)
{
	struct timed *timed = self;
	struct file_run *run = timed->run;
	const struct file_input *input = n_bytes == run->whole.n_bytes ? &run->whole : &run->quarter;
	int out_fd = timed->row->to_file ? run->output_fd : run->nowhere_fd, status;
	double cpu_s;

	if (timed->row->to_file && (ftruncate(out_fd, 0) != 0 || lseek(out_fd, 0, SEEK_SET) != 0))
		return fail_errno(run->folder, "cannot be emptied");
	*seconds = clock_seconds(CLOCK_MONOTONIC);
	cpu_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
	status = timed->row->verb == FILE_COPY ? run_copy(run, input, &pipeline->plan)
	                                       : crypt_file(run, timed->row, input, out_fd, report);
	if (status == GPUCRYPT_OK && timed->row->to_file)
		status = sync_file(run, out_fd);
	*seconds = clock_seconds(CLOCK_MONOTONIC) - *seconds;
	cpu_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	if (input == &run->whole && (timed->fastest_s == 0 || *seconds < timed->fastest_s)) {
		timed->fastest_s = *seconds;
		timed->row->cpu_s = cpu_s;
	}
	return status;
}

int file_run(struct file_run *run, struct bench_file *row)
{
	struct timed timed = { .run = run, .row = row };
	int status = row->verb == FILE_DEC || row->verb == FILE_VERIFY ? make_containers(run, row) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK)
		status = bench_time(&row->pipeline, run_file, &timed);
	if (status != GPUCRYPT_OK) { /* discard all measurements of the row */
		row->cpu_s = 0;
		row->resident_bytes = 0;
	}
	if (row->verb == FILE_COPY) /* nothing is started */
		row->pipeline.start_s = 0;
	return status;
}
