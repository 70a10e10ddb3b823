#include "cli/transform/manifest_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/files/output.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "cli/transform/job.h"
#include "gpucrypt/clock.h"
#include "gpucrypt/status.h"

/* A checkpoint writes all records, so it takes longer the more there are: the next one waits for this many seconds, and
 * for this many times as long as the last one took. */
#define CHECKPOINT_SECONDS 2
#define CHECKPOINT_TIMES   20

/* The single manifest of enc. */
static const char *manifest_name(const struct job *job)
{
	return job->options->manifest.texts[0];
}

static int add_containers(struct job *job)
{
	const struct manifest *manifest = &job->manifest.manifest;

	for (size_t i = 0; i < manifest->n; i++)
		name_list_add(&job->operands, manifest->records[i].container);
	return manifest_run_find_extra(job);
}

/* Add the records of one manifest. */
static int read_records(struct job *job, const char *name)
{
	const struct job_file file = { .kind = job->kind, .input.name = name };
	struct manifest *manifest = &job->manifest.manifest;
	int status = job_get_secret(job, &file, job_encrypts(job));

	if (status != GPUCRYPT_OK)
		return status;
	manifest->shows_unbound = job->options->opening.identities.n > 0;
	status = manifest_read(manifest, name, job_secrets(job));
	if (status == GPUCRYPT_OK && manifest->unbound && job_encrypts(job) && !job->options->quiet)
		message_warning(name,
		        "not bound to this secret: its records are ignored, and all inputs are encrypted again "
		        "(existing containers are replaced only with -f)");
	return status;
}

char *manifest_run_container(const struct job *job, const char *operand)
{
	char *name;

	if (output_name(&name, operand, ENCRYPT, job->options) == GPUCRYPT_OK)
		return name;
	fail_clear();
	return NULL;
}

/* The new manifest takes the place of a symbolic link, and the old one would stay. */
static int look_at_manifest(bool *exists, const char *name)
{
	struct stat there;

	*exists = lstat(name, &there) == 0;
	if (!*exists)
		return errno == ENOENT ? GPUCRYPT_OK : fail_errno(name, "cannot open");
	return S_ISLNK(there.st_mode) ? fail(GPUCRYPT_USAGE, "%s: is a symbolic link: name the manifest itself", name)
	                              : GPUCRYPT_OK;
}

static int start_encryption(struct job *job)
{
	const char *name = manifest_name(job);
	bool exists = false;
	int status = manifest_run_check_containers(job)
	                     ?: manifest_lock(&job->manifest.manifest, name)
	                     ?: look_at_manifest(&exists, name);

	if (status == GPUCRYPT_OK && exists)
		status = read_records(job, name);
	if (status == GPUCRYPT_OK && exists && !job->options->force)
		status = manifest_check_slots(name, job_secrets(job));
	return status;
}

/* A manifest that adds no record may be a copy of another manifest, which somebody has put in its place; and an older
 * manifest in its place would let older containers pass for those of another manifest. */
static int read_list(struct job *job, const char *name)
{
	const struct manifest *manifest = &job->manifest.manifest;
	bool by_identity = job->options->opening.identities.n > 0;
	size_t before = manifest->n;
	int status = read_records(job, name);

	if (status == GPUCRYPT_OK && manifest->unbound && !by_identity)
		return fail(GPUCRYPT_CORRUPT,
		        "%s: not bound to this secret: written by an earlier release, or by somebody who knows another "
		        "container's file key (see MANIFESTS in gcrypt(1))",
		        name);
	if (status == GPUCRYPT_OK && manifest->disputed)
		return fail(GPUCRYPT_CORRUPT,
		        "%s: records another container of %s than a manifest before it: one of them may be an older one "
		        "(see MANIFESTS in gcrypt(1))",
		        name, manifest->disputed);
	if (status == GPUCRYPT_OK && manifest->n == before)
		return fail(GPUCRYPT_CORRUPT, "%s: records no file%s", name,
		        before > 0 ? " that the manifests before it do not record" : "");
	if (status == GPUCRYPT_OK && by_identity && !job->options->quiet)
		message_warning(name,
		        "opened with a private key: whoever has its public key could have written this manifest "
		        "and the containers (see MANIFESTS)");
	return status;
}

static int start_verification(struct job *job)
{
	const struct text_list *lists = &job->options->manifest;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < lists->n && status == GPUCRYPT_OK; i++)
		status = read_list(job, lists->texts[i]);
	return status ?: add_containers(job);
}

int manifest_run_start(struct job *job)
{
	int status;

	job->manifest.checkpoint = clock_seconds(CLOCK_MONOTONIC) + CHECKPOINT_SECONDS;
	if (!strcmp(manifest_name(job), "-"))
		return fail(GPUCRYPT_USAGE, "--manifest: names a file, not a stream");
	if (job_encrypts(job) && job->options->manifest.n > 1)
		return fail(GPUCRYPT_USAGE, "--manifest: enc writes one manifest, not %u", job->options->manifest.n);
	status = job_encrypts(job) ? start_encryption(job) : start_verification(job);
	if (status != GPUCRYPT_OK)
		return status;
	job->manifest.n_outcomes = job->operands.n;
	job->manifest.outcomes = memory_shared((job->operands.n + 1) * sizeof *job->manifest.outcomes);
	return GPUCRYPT_OK;
}

/* A container's modification time says nothing: each container that is made of an input gets the input's. */
static bool container_unchanged(const struct manifest_record *record)
{
	struct stat now;

	return stat(record->container, &now) == 0 &&
	       (record->container_bytes == 0 || (uint64_t)now.st_size == record->container_bytes) &&
	       manifest_has_container(record);
}

static bool unchanged(const struct manifest_record *record)
{
	struct stat now;

	return stat(record->name, &now) == 0 && S_ISREG(now.st_mode) && (uint64_t)now.st_size == record->size_bytes &&
	       same_time(&now.st_mtim, &record->mtime) && same_time(&now.st_ctim, &record->ctime) &&
	       container_unchanged(record);
}

bool manifest_run_skips(const struct job *job, size_t operand)
{
	const char *name = job->operands.names[operand];
	const struct manifest_record *record;
	char *container;
	bool same;

	if (!job->manifest.outcomes)
		return false;
	if (!job_encrypts(job))
		return access(name, F_OK) != 0 && errno == ENOENT;
	record = manifest_find(&job->manifest.manifest, name);
	if (!record || !unchanged(record))
		return false;
	container = manifest_run_container(job, name);
	same = container && !strcmp(container, record->container);
	free(container);
	return same;
}

bool manifest_run_replaces(const struct job *job, const struct job_file *file)
{
	const struct manifest_record *record =
	        job->manifest.outcomes ? manifest_find(&job->manifest.manifest, file->input.name) : NULL;

	return record && file->output_name && !strcmp(record->container, file->output_name) &&
	       manifest_has_container(record);
}

/* What a failure says behind the file's name, which may be long. */
static const char *reason(const char *error, const char *file)
{
	size_t n = strlen(file);

	return !strncmp(error, file, n) && !strncmp(error + n, ": ", 2) ? error + n + 2 : error;
}

void manifest_run_note(
        const struct job *job, const struct job_file *file, size_t operand, int status, const char *error)
{
	struct outcome *outcome;
	struct stat container;

	if (!job->manifest.outcomes ||
	        (job_encrypts(job) && status != GPUCRYPT_OK && !(file->changed && file->output.named)))
		return;
	outcome = &job->manifest.outcomes[operand];
	outcome->status = status;
	outcome->stat = file->input.stat;
	if (job_encrypts(job) && stat(file->output_name, &container) == 0)
		outcome->container_bytes = (uint64_t)container.st_size;
	memcpy(outcome->digest, file->report.digest, sizeof outcome->digest);
	snprintf(outcome->error, sizeof outcome->error, "%s", reason(error, file->input.name));
	atomic_store(&outcome->done, true);
}

bool manifest_run_reports(const struct job *job, int status)
{
	return job->manifest.outcomes && !job_encrypts(job) && status != GPUCRYPT_OTHER && status != GPUCRYPT_DEVICE;
}

static int record_outcome(struct job *job, size_t operand)
{
	struct outcome *outcome = &job->manifest.outcomes[operand];
	struct manifest_record record = { .name = job->operands.names[operand],
		.container = manifest_run_container(job, job->operands.names[operand]),
		.size_bytes = (uint64_t)outcome->stat.st_size,
		.container_bytes = outcome->container_bytes,
		.mtime = outcome->stat.st_mtim,
		.ctime = outcome->stat.st_ctim };

	memcpy(record.digest, outcome->digest, sizeof record.digest);
	if (!record.container)
		return fail(GPUCRYPT_OTHER, "out of memory");
	manifest_add(&job->manifest.manifest, &record);
	free(record.container);
	outcome->recorded = job->manifest.dirty = true;
	job->manifest.n_recorded += outcome->status == GPUCRYPT_OK;
	return GPUCRYPT_OK;
}

static int record_outcomes(struct job *job)
{
	struct manifest_run *run = &job->manifest;
	int status = GPUCRYPT_OK;

	for (size_t i = 0; i < run->n_outcomes && status == GPUCRYPT_OK; i++)
		if (atomic_load(&run->outcomes[i].done) && !run->outcomes[i].recorded)
			status = record_outcome(job, i);
	manifest_sort(&run->manifest);
	return status;
}

static int write_manifest(struct job *job)
{
	struct manifest_run *run = &job->manifest;
	int status =
	        manifest_write(&run->manifest, manifest_name(job), &job->options->plan, job_secrets(job), &job->keys);

	run->dirty &= status != GPUCRYPT_OK;
	return status;
}

void manifest_run_end_in_order(const struct job *job)
{
	if (job->manifest.outcomes && job_encrypts(job))
		orderly_end_request(&job->tally->stop);
}

void manifest_run_checkpoint(struct job *job)
{
	struct manifest_run *run = &job->manifest;
	double start = clock_seconds(CLOCK_MONOTONIC), wait;

	if (!run->outcomes || !job_encrypts(job))
		return;
	if (start < run->checkpoint || atomic_load(&job->tally->n_good) == run->n_recorded)
		return;
	if (record_outcomes(job) != GPUCRYPT_OK || write_manifest(job) != GPUCRYPT_OK)
		fail_clear(); /* the same happens at the end, and is reported then */
	wait = CHECKPOINT_TIMES * (clock_seconds(CLOCK_MONOTONIC) - start);
	run->checkpoint = clock_seconds(CLOCK_MONOTONIC) + (wait > CHECKPOINT_SECONDS ? wait : CHECKPOINT_SECONDS);
}

/* Forget the records of files that are not among the operands, which are sorted for that: the run is over. */
static void drop_unlisted(struct job *job)
{
	struct manifest *manifest = &job->manifest.manifest;
	struct name_list *operands = &job->operands;
	size_t kept = 0, n = manifest->n;

	name_list_sort(operands);
	for (size_t i = 0; i < n; i++) {
		struct manifest_record record = manifest->records[i];

		if (bsearch(&record.name, operands->names, operands->n, sizeof *operands->names, name_compare))
			manifest->records[kept++] = record;
		else
			manifest_record_free(&record);
	}
	manifest->n = kept;
	job->manifest.dirty |= kept < n;
}

/* After a failure no record is dropped: the list of files may be wrong. */
static int finish_encryption(struct job *job, int run_status)
{
	int status = record_outcomes(job);

	if (job->options->prune && run_status == GPUCRYPT_OK && job->operands.n > 0)
		drop_unlisted(job);
	return status == GPUCRYPT_OK && job->manifest.dirty ? write_manifest(job) : status;
}

int manifest_run_finish(struct job *job, int status)
{
	bool ended = !atomic_load(&job->tally->stop) && status != GPUCRYPT_OTHER && status != GPUCRYPT_DEVICE;
	int finished;

	if (!job->manifest.outcomes || (!job_encrypts(job) && !ended))
		return status;
	finished = job_encrypts(job) ? finish_encryption(job, status) : manifest_run_compare(job);
	if (!job_encrypts(job) || status == GPUCRYPT_OK)
		return finished == GPUCRYPT_OK ? status : finished;
	if (finished != GPUCRYPT_OK)
		message_failure(NULL, finished);
	return status;
}

void manifest_run_close(struct manifest_run *run)
{
	manifest_free(&run->manifest);
	if (run->outcomes)
		munmap(run->outcomes, (run->n_outcomes + 1) * sizeof *run->outcomes);
}
