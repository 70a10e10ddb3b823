#include "cli/transform/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/memory.h"
#include "command/json.h"
#include "command/message.h"
#include "command/text.h"
#include "gpucrypt/container/layout.h"
#include "gpucrypt/status.h"

#define SHOWN_DIGEST_BYTES 8 /* --json has all */

/* The digest tells this content from every other, and an older backup from a newer one. */
void result_print_verified(const struct job *job, const struct job_file *file)
{
	const struct shard *part = &job->options->part;
	const struct report *report = &file->report;
	const struct suite *suite = &file->plan.suite;

	if (job->options->json || !report->has_digest)
		return;
	printf("%s: ", file->input.name);
	if (part->count > 0)
		printf("part %u of %u ", part->index, part->count);
	printf("verified: %llu bytes, %s-%u-%s, digest ", (unsigned long long)report->plaintext_bytes,
	        suite->cipher->name, 8 * suite->key_bytes, suite->mode->name);
	for (size_t i = 0; i < SHOWN_DIGEST_BYTES; i++)
		printf("%02x", report->digest[i]);
	putchar('\n');
}

/* Sums. */

int tally_status(const struct tally *tally)
{
	unsigned long long failure = atomic_load(&tally->first_failure);

	return failure == UINT64_MAX ? GPUCRYPT_OK : (int)(failure & 0xff);
}

static void add_failure(struct tally *tally, size_t operand, int status)
{
	unsigned long long failure = (unsigned long long)operand << 8 | (unsigned)status,
	                   now = atomic_load(&tally->first_failure);

	while (failure < now && !atomic_compare_exchange_weak(&tally->first_failure, &now, failure))
		;
}

static void count(struct tally *tally, size_t operand, int status, uint64_t n_bytes)
{
	if (status == GPUCRYPT_OK) {
		atomic_fetch_add(&tally->n_good, 1);
		atomic_fetch_add(&tally->n_bytes, n_bytes);
		return;
	}
	atomic_fetch_add(&tally->n_bad, 1);
	add_failure(tally, operand, status);
}

#define MANY_FILES 100

/* Note the overhead of many small containers: each has a header and a metadata page before its content. */
static void note_size(size_t n_files, double n_bytes)
{
	size_t extra = (size_t)layout_page_offset(0, 0) + PAGE_BYTES;
	char amount[16];

	if (n_files < MANY_FILES || n_bytes >= (double)(n_files * extra))
		return;
	amount_text(amount, (double)(n_files * extra));
	fprintf(stderr,
	        "note: each container is %zu KiB longer than its file, together %s: "
	        "'gcrypt enc DIR' makes one container of a directory\n",
	        extra >> 10, amount);
}

void results_print_sums(const struct tally *tally, double seconds, bool containers)
{
	size_t n_good = atomic_load(&tally->n_good), n_bad = atomic_load(&tally->n_bad),
	       n_same = atomic_load(&tally->n_same);
	char same[48] = "";
	double n_bytes = (double)atomic_load(&tally->n_bytes);
	char amount[16], rate[16];

	amount_text(amount, n_bytes);
	amount_text(rate, n_bytes / (seconds + 1e-9));
	if (n_same > 0)
		snprintf(same, sizeof same, "%zu unchanged, ", n_same);
	fprintf(stderr, "%zu files: %zu done, %s%zu failed; %s in %.2f s, %s/s\n", n_good + n_same + n_bad, n_good,
	        same, n_bad, amount, seconds, rate);
	if (containers)
		note_size(n_good, n_bytes);
}

/* One file. */

static void describe_suite(json_t *json, const struct suite *suite)
{
	json_set(json, "cipher", suite->cipher ? json_string(suite->cipher->name) : json_null());
	json_set(json, "bits", suite->cipher ? json_integer(8 * suite->key_bytes) : json_null());
	json_set(json, "mode", suite->mode ? json_string(suite->mode->name) : json_null());
}

static json_t *describe(const struct job_file *file, int status, const char *error)
{
	const struct report *report = &file->report;
	const char *output = file->output.name ?: file->journal_name ? file->input.name : NULL;
	json_t *json = json_object();
	char time[TIME_TEXT];

	time_text(time);
	json_set(json, "time", json_string(time));
	json_set_name(json, "input", file->input.name ? file->input.name : "");
	if (output)
		json_set_name(json, "output", output);
	else
		json_set(json, "output", json_null());
	json_set(json, "status", json_integer(status));
	json_set(json, "error", status == GPUCRYPT_OK ? json_null() : json_text(error));
	json_set(json, "bytes", json_count(report->plaintext_bytes));
	json_set(json, "seconds", json_real(file->seconds));
	json_set(json, "engine", json_text_or_null(report->engine));
	describe_suite(json, &job_output_plan(file)->suite);
	if (report->n_groups > 0) {
		json_set(json, file->kind->luks ? "sectors" : "groups", json_count(report->n_groups));
		json_set(json, file->kind->luks ? "written_sectors" : "written_groups", json_count(report->n_written));
		json_set(json, "written_bytes", json_count(report->written_bytes));
	}
	json_set(json, "digest", report->has_digest ? json_hex(report->digest, sizeof report->digest) : json_null());
	return json;
}

static int print_result(const struct job *job, const struct job_file *file, const char *line)
{
	const struct options *options = job->options;
	bool taken = (file->output.kind == OUTPUT_DESCRIPTOR && file->output.descriptor == STDOUT_FILENO) ||
	             (options->output && !strcmp(options->output, "-"));
	int status = GPUCRYPT_OK;

	if (options->json && !file->kind->prints_json)
		status = taken ? json_write(STDERR_FILENO, "standard error", line)
		               : json_write(STDOUT_FILENO, "standard output", line);
	if (status == GPUCRYPT_OK && job->log_fd >= 0)
		status = json_write(job->log_fd, options->log, line);
	return status;
}

/* The log cannot be an operand: the failure of the operand would be logged to it. */
static int refuse_operand(const struct job *job, const struct stat *log)
{
	struct stat there;

	for (size_t i = 0; i < job->operands.n; i++)
		if (stat(job->operands.names[i], &there) == 0 && same_storage(&there, log))
			return fail(GPUCRYPT_USAGE, "%s: the input cannot be the log as well", job->operands.names[i]);
	return GPUCRYPT_OK;
}

/* A log begins with an object.  Any other file was named by mistake, and nothing is appended to it. */
int log_open(struct job *job)
{
	const char *name = job->options->log;
	struct stat there;
	char first;
	int status;

	if (!name || job->options->dry_run)
		return GPUCRYPT_OK;
	job->log_fd = open(name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
	if (job->log_fd < 0 && errno == ELOOP)
		return fail(GPUCRYPT_USAGE, "%s: is a symbolic link: name the log itself", name);
	if (job->log_fd < 0 || fstat(job->log_fd, &there) != 0)
		return fail_errno(name, "cannot open");
	status = key_files_spare(&job->keys, &there, name, "appended to") ?: refuse_operand(job, &there);
	if (status == GPUCRYPT_OK && pread(job->log_fd, &first, 1, 0) == 1 && first != '{')
		status = fail(GPUCRYPT_EXISTS, "%s: exists, and is no log", name);
	key_files_add_log(&job->keys, job->log_fd, name);
	return status;
}

int result_add(struct job *job, const struct job_file *file, size_t operand, int status, const char *error)
{
	char *text, *line;
	json_t *json;
	int written = GPUCRYPT_OK;

	if ((job->options->json || job->log_fd >= 0) && !job->options->dry_run) {
		json = describe(file, status, error);
		text = memory_or_exit(json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(6)));
		json_decref(json);
		line = format_or_exit("%s\n", text);
		written = print_result(job, file, line);
		free(line);
		free(text);
	}
	if (written != GPUCRYPT_OK)
		message_failure(NULL, written);
	manifest_run_note(job, file, operand, status, error);
	status = status == GPUCRYPT_OK ? written : status;
	count(job->tally, operand, status, file->report.plaintext_bytes);
	return status;
}
