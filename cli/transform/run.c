/* A run over its operands: by this process, or by several that each take the next one. */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/secrets/secret.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "cli/transform/job.h"
#include "gpucrypt/clock.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/status.h"

#define LOWEST_PRIORITY 19

/* Size of the operand; UINT64_MAX: not known (a directory or pipe). */
static uint64_t operand_bytes(const char *name)
{
	struct stat there;

	if (stat(name, &there) != 0)
		return 0;
	return S_ISREG(there.st_mode) ? (uint64_t)there.st_size : UINT64_MAX;
}

/* Called only for the progress of several files, because a list may name very many files. */
static uint64_t all_operands_bytes(const struct name_list *operands)
{
	uint64_t sum = 0, n_bytes;

	for (size_t i = 0; i < operands->n; i++) {
		n_bytes = operand_bytes(operands->names[i]);
		if (n_bytes > UINT64_MAX - 1 - sum)
			return UINT64_MAX;
		sum += n_bytes;
	}
	return sum;
}

/* number: the current file, from 1; in the process that starts others, the files that are done. */
static void set_progress(struct job *job, size_t number)
{
	struct tally *tally = job->tally;
	uint64_t total = atomic_load(&tally->input_bytes);

	job->progress.files.number = number;
	job->progress.files.n = job->operands.n;
	job->progress.files.total_bytes = total;
	job->progress.files.before_bytes = atomic_load(total == UINT64_MAX ? &tally->n_bytes : &tally->taken_bytes);
}

static void take_file(struct job *job, size_t operand)
{
	struct tally *tally = job->tally;
	bool known = atomic_load(&tally->input_bytes) != UINT64_MAX, skips = manifest_run_skips(job, operand);
	uint64_t n_bytes = known ? operand_bytes(job->operands.names[operand]) : 0;

	set_progress(job, operand + 1);
	if (skips)
		atomic_fetch_add(&tally->n_same, 1);
	else
		job_process(job, operand);
	if (skips)
		atomic_fetch_sub(&tally->input_bytes, n_bytes);
	else
		atomic_fetch_add(&tally->taken_bytes, n_bytes);
}

static void take_files(struct job *job, bool alone)
{
	size_t operand;

	while (!job->abort_batch && !atomic_load(&job->tally->stop) &&
	        (operand = atomic_fetch_add(&job->tally->next, 1)) < job->operands.n) {
		take_file(job, operand);
		if (alone)
			manifest_run_checkpoint(job);
	}
	if (job->abort_batch)
		atomic_store(&job->tally->stop, true);
}

/* Several processes. */

/* The result of scrypt is kept for the key slots of all files. */
static int derive_once(const struct gpucrypt_secret *secret)
{
	static const uint8_t file_key[FILE_KEY_BYTES], file_salt[SALT_BYTES];
	struct key_slot unused;
	unsigned log2_n;

	return kdf_cost(&log2_n, secret) ?: key_slot_make(&unused, secret, file_key, file_salt, log2_n);
}

/* Ask for the private keys that a container needs.  Other failures are reported by the process that reads the
 * container. */
static int ask_for_keys(struct job *job, const char *name)
{
	struct authenticated_header header;
	struct file_keys keys = { 0 };
	struct input input = { .source.fd = -1 };
	struct stat there;
	int status = GPUCRYPT_OK;

	if (stat(name, &there) == 0 && S_ISREG(there.st_mode))
		status = input_open(&input, name);
	if (status == GPUCRYPT_OK && input.source.fd >= 0)
		status = container_unlock(&input.source, &header, &keys, &job->secret.secret);
	wipe(&keys, sizeof keys);
	input_close(&input);
	if (job->secret.refused)
		return status;
	fail_clear();
	return GPUCRYPT_OK;
}

/* Secrets are asked for and derived once, before the processes start: otherwise each process would ask. */
static int prepare_secret(struct job *job)
{
	const struct job_file first = { .kind = job->kind, .input.name = job->operands.names[0] };
	bool encrypts = job_encrypts(job);
	int status = job_get_secret(job, &first, encrypts);

	if (status == GPUCRYPT_OK && encrypts && job->secret.bytes && job->secret.secret.type == GPUCRYPT_PASSPHRASE)
		status = derive_once(&job->secret.secret);
	job->secret.again.asked = true;
	for (size_t i = 0; i < job->operands.n && status == GPUCRYPT_OK && identities_locked(&job->secret); i++)
		status = ask_for_keys(job, job->operands.names[i]);
	return status;
}

/* Each process gets its share of the rate and of the threads. */
static struct options share_of(const struct options *options, unsigned n)
{
	struct options share = *options;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	share.rate_bytes = options->rate_bytes ? options->rate_bytes / n + 1 : 0;
	if (!share.plan.threads)
		share.plan.threads = processors > (long)n ? (unsigned)(processors / n) : 1;
	return share;
}

static int work(void *self, unsigned number)
{
	struct job *job = self;
	void *locked = locked_stack();

	(void)number;
	job->progress.wanted = false;
	locked_again(job->secret.bytes, job->secret.capacity);
	take_files(job, false);
	locked_stack_release(locked);
	return GPUCRYPT_OK;
}

static void show(void *self)
{
	struct job *job = self;
	const struct tally *tally = job->tally;

	set_progress(job, atomic_load(&tally->n_good) + atomic_load(&tally->n_same) + atomic_load(&tally->n_bad));
	progress_show(&job->progress);
	manifest_run_checkpoint(job);
}

static void become_idle(const struct options *options)
{
	if (setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY) != 0 && !options->quiet)
		message_warning(NULL, "--idle: the lowest priority was refused: %s", strerror(errno));
	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)) != 0 &&
	        !options->quiet)
		message_warning(NULL, "--idle: the idle class of storage was refused: %s", strerror(errno));
}

/* Leave storage, network and processors to other programs.  Before working threads are started: they inherit the
 * priorities.  The thread that waits for signals keeps its own. */
static void pace_start(const struct options *options)
{
	rate_limit(options->rate_bytes);
	if (options->idle)
		become_idle(options);
}

static int run_alone(struct job *job)
{
	pace_start(job->options);
	take_files(job, true);
	return GPUCRYPT_OK;
}

static int run_processes(struct job *job, unsigned n)
{
	const struct options *options = job->options, share = share_of(options, n);
	int status = prepare_secret(job);
	unsigned n_started, n_failed;

	if (status != GPUCRYPT_OK)
		return status;
	if (secret_in_token(&job->secret)) /* its session does not survive a fork */
		return run_alone(job);
	job->options = &share;
	pace_start(&share);
	manifest_run_end_in_order(job);
	n_started = children_start(n, work, job);
	n_failed = children_wait(job->progress.wanted || job->manifest.outcomes ? show : NULL, job);
	job->options = options;
	progress_clear();
	if (n_started == 0)
		return fail(GPUCRYPT_OTHER, "no process can be started");
	return n_failed == 0 ? GPUCRYPT_OK
	                     : fail(GPUCRYPT_OTHER, "--jobs: %u of %u processes ended before their work was done",
	                               n_failed, n);
}

/* The run. */

/* In a list, "-" names a file, not standard input. */
static void name_dash(char **name)
{
	if (strcmp(*name, "-") != 0)
		return;
	free(*name);
	*name = format_or_exit("./-");
}

/* Of several operands each has to be there, so that a mistake ends the run before its first file.  A file of a list may
 * have gone. */
static int check_operands(const struct name_list *operands, const struct options *options)
{
	for (size_t i = 0; i < operands->n && operands->n > 1 && !options->files_from; i++) {
		const char *name = operands->names[i];

		if (!strcmp(name, "-"))
			return fail(GPUCRYPT_USAGE, "-: standard input is not one of several");
		if (faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) != 0)
			return fail(GPUCRYPT_IO, "%s: cannot open: %s; nothing was done%s", name, strerror(errno),
			        errno == ENOENT && i == 1 && operands->n == 2
			                ? " (-o names the output; -- stands before the name of a member)"
			                : "");
	}
	return GPUCRYPT_OK;
}

/* The inputs of a run: the operands, the names of --files-from, or standard input, unless that is a terminal. */
static int read_operands(struct name_list *operands, const struct options *options)
{
	const struct parsed *parsed = &options->parsed;
	int status;

	if (options->files_from && parsed->n_operands > 0)
		return fail(GPUCRYPT_USAGE, "--files-from: not with the operand %s", parsed->operands[0]);
	if (options->files_from) {
		status = name_list_read(operands, options->files_from, options->null ? '\0' : '\n');
		for (size_t i = 0; i < operands->n; i++)
			name_dash(&operands->names[i]);
		return status;
	}
	if (parsed->n_operands == 0 && isatty(STDIN_FILENO))
		return fail(GPUCRYPT_USAGE, "operand missing: name a file, or - for standard input");
	if (parsed->n_operands == 0)
		name_list_add(operands, "-");
	for (unsigned i = 0; i < parsed->n_operands; i++)
		name_list_add(operands, parsed->operands[i]);
	return GPUCRYPT_OK;
}

static int check_number(const struct options *options, size_t n)
{
	if (options->parsed.raw && n > 1)
		return fail(GPUCRYPT_USAGE, "--raw: takes one input: two under one key and IV reveal each other");
	if (options->output && n > 1)
		return fail(
		        GPUCRYPT_USAGE, "-o: there are %zu inputs, each makes its own output (see --output-dir)", n);
	if (options->changed && n > 1)
		return fail(GPUCRYPT_USAGE, "--changed: takes one input: the list says nothing about another file");
	return GPUCRYPT_OK;
}

static int prepare(struct job *job)
{
	const struct options *options = job->options;
	bool by_manifest = options->manifest.n > 0 && !job_encrypts(job);
	int status = (by_manifest ? GPUCRYPT_OK : read_operands(&job->operands, options))
	                     ?: check_number(options, job->operands.n)
	                     ?: check_operands(&job->operands, options)
	                     ?: patterns_read(&job->excluded, options)
	                     ?: recipients_read(&job->recipients, &options->opening.recipients, options->skip_unusable)
	                     ?: pem_keys_mark(&job->recipients, !job_only_recipients(job), options)
	                     ?: log_open(job);

	job->tally = memory_shared(sizeof *job->tally);
	atomic_init(&job->tally->first_failure, UINT64_MAX);
	progress_open(&job->progress, options);
	atomic_init(&job->tally->input_bytes, UINT64_MAX);
	return status == GPUCRYPT_OK && options->manifest.n > 0 ? manifest_run_start(job) : status;
}

static int run_all(struct job *job)
{
	size_t n = job->options->jobs < job->operands.n ? job->options->jobs : job->operands.n;

	if (job->progress.wanted && job->operands.n > 1)
		job->tally->input_bytes = all_operands_bytes(&job->operands);
	if (n > 1 && !job->options->dry_run)
		return run_processes(job, (unsigned)n);
	return run_alone(job);
}

static void close_job(struct job *job)
{
	secret_wipe(&job->secret);
	secret_wipe(&job->added);
	pem_keys_free(&job->recipients);
	name_list_free(&job->operands);
	name_list_free(&job->excluded);
	manifest_run_close(&job->manifest);
	munmap(job->tally, sizeof *job->tally);
	if (job->log_fd >= 0)
		close(job->log_fd);
	free(job->chooser.machine);
}

/* The differences from a manifest have a sum of their own. */
static bool wants_sums(const struct job *job)
{
	const struct options *options = job->options;

	return job->operands.n > 1 && job->tally->next > 0 && !options->quiet && !options->dry_run && !options->json &&
	       !(options->manifest.n > 0 && !job_encrypts(job));
}

int job_run(const struct job_kind *kind, const struct options *options)
{
	struct job job = { .kind = kind, .options = options, .keys = key_files_of(options), .log_fd = -1 };
	double start = clock_seconds(CLOCK_MONOTONIC);
	int status = prepare(&job) ?: run_all(&job) ?: tally_status(job.tally);

	status = manifest_run_finish(&job, status);
	orderly_end_reached();
	if (wants_sums(&job))
		results_print_sums(job.tally, clock_seconds(CLOCK_MONOTONIC) - start, kind == &enc_kind);
	close_job(&job);
	return status;
}
