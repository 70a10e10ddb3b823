/* The differences between a manifest and what is there. */
#include "cli/transform/manifest_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/memory.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/transform/job.h"
#include "gpucrypt/status.h"

enum finding { MISSING, EXTRA, CHANGED, UNREADABLE, STALE, RENAMED, SWAPPED, N_FINDINGS };

static const char *const finding_names[] = { [MISSING] = "missing",
	[EXTRA] = "extra",
	[CHANGED] = "changed",
	[UNREADABLE] = "unreadable",
	[STALE] = "stale",
	[RENAMED] = "renamed",
	[SWAPPED] = "swapped" };

struct comparison {
	const struct job *job;
	const struct manifest *manifest;
	const struct manifest_record **by_digest; /* owned; sorted */
	bool *renamed;                            /* owned; by record: its container has another name now */
	size_t n_found[N_FINDINGS], n_gone;       /* gone: files that were encrypted */
};

/* Print a difference. */

static void print_json(enum finding finding, const char *file, const char *text)
{
	json_t *json = json_object();
	char *line;

	json_set(json, "finding", json_string(finding_names[finding]));
	json_set_name(json, "file", file);
	json_set(json, "text", json_text(text));
	line = memory_or_exit(json_dumps(json, JSON_COMPACT));
	json_decref(json);
	puts(line);
	free(line);
}

static void __attribute__((format(printf, 4, 5)))
add_finding(struct comparison *comparison, enum finding finding, const char *file, const char *format, ...)
{
	char text[2048], line[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	comparison->n_found[finding]++;
	if (comparison->job->options->json) {
		print_json(finding, file, text);
		return;
	}
	snprintf(line, sizeof line, "%s: %s: %s", finding_names[finding], file, text);
	message_clean(line, true);
	puts(line);
}

/* Compare. */

static int compare_digests(const void *a, const void *b)
{
	const struct manifest_record *const *x = a, *const *y = b;

	return memcmp((*x)->digest, (*y)->digest, DIGEST_BYTES);
}

static const struct manifest_record *find_digest(const struct comparison *comparison, const uint8_t *digest)
{
	struct manifest_record wanted;
	const struct manifest_record *key = &wanted, **found;

	if (comparison->manifest->n == 0)
		return NULL;
	memcpy(wanted.digest, digest, sizeof wanted.digest);
	found = bsearch(&key, comparison->by_digest, comparison->manifest->n, sizeof *found, compare_digests);
	return found ? *found : NULL;
}

static void compare_source(struct comparison *comparison, const struct manifest_record *record)
{
	struct stat now;

	if (stat(record->name, &now) != 0)
		comparison->n_gone++;
	else if ((uint64_t)now.st_size != record->size_bytes || now.st_mtim.tv_sec != record->mtime.tv_sec ||
	         now.st_mtim.tv_nsec != record->mtime.tv_nsec)
		add_finding(comparison, STALE, record->name, "was changed after it was encrypted into %s",
		        record->container);
}

static void compare_container(
        struct comparison *comparison, const struct manifest_record *record, const struct outcome *outcome)
{
	const char *file = record->container;
	const struct manifest_record *other;

	if (outcome->status != GPUCRYPT_OK)
		add_finding(comparison, outcome->status == GPUCRYPT_CORRUPT ? CHANGED : UNREADABLE, file, "%s",
		        outcome->error);
	else if (memcmp(outcome->digest, record->digest, DIGEST_BYTES) == 0)
		compare_source(comparison, record);
	else if ((other = find_digest(comparison, outcome->digest)) != NULL)
		add_finding(comparison, SWAPPED, file, "is the container of %s", other->name);
	else
		add_finding(comparison, CHANGED, file, "is another container than that of the manifest");
}

/* A container without a record, which may be that of a record under another name. */
static void compare_extra(struct comparison *comparison, const char *file, const struct outcome *outcome)
{
	const struct outcome *outcomes = comparison->job->manifest.outcomes;
	const struct manifest_record *record =
	        outcome->done && outcome->status == GPUCRYPT_OK ? find_digest(comparison, outcome->digest) : NULL;

	if (!record)
		add_finding(comparison, EXTRA, file, "has no record in the manifest");
	else if (outcomes[record->number].done)
		add_finding(comparison, EXTRA, file, "is a copy of %s", record->container);
	else {
		comparison->renamed[record->number] = true;
		add_finding(comparison, RENAMED, record->container, "is now %s", file);
	}
}

static void compare_all(struct comparison *comparison)
{
	const struct job *job = comparison->job;
	const struct manifest *manifest = comparison->manifest;
	const struct outcome *outcomes = job->manifest.outcomes;

	for (size_t i = manifest->n; i < job->operands.n; i++)
		compare_extra(comparison, job->operands.names[i], &outcomes[i]);
	for (size_t i = 0; i < manifest->n; i++) {
		const struct manifest_record *record = &manifest->records[i];

		if (outcomes[i].done)
			compare_container(comparison, record, &outcomes[i]);
		else if (!comparison->renamed[i])
			add_finding(comparison, MISSING, record->container, "the container of %s", record->name);
	}
}

/* The sum. */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static int print_sum(const struct comparison *comparison)
{
	const struct options *options = comparison->job->options;
	const char *first = options->manifest.texts[0];
	char list[256] = "", gone[64] = "", others[32] = "";
	size_t n_found = 0;

	for (unsigned i = 0; i < N_FINDINGS; i++) {
		if (comparison->n_found[i] > 0)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%zu %s", *list ? ", " : "",
			        comparison->n_found[i], finding_names[i]);
		n_found += comparison->n_found[i];
	}
	if (comparison->n_gone > 0)
		snprintf(gone, sizeof gone, "; %zu of the files %s not here", comparison->n_gone,
		        comparison->n_gone == 1 ? "is" : "are");
	if (options->manifest.n > 1)
		snprintf(others, sizeof others, " and %u more", options->manifest.n - 1);
	if (n_found > 0)
		return fail(GPUCRYPT_CORRUPT, "%s%s: %zu difference%s from the manifest of %s with %zu file%s: %s%s",
		        first, others, n_found, plural(n_found), comparison->manifest->time, comparison->manifest->n,
		        plural(comparison->manifest->n), list, gone);
	if (!options->json && !options->quiet)
		printf("%s%s: verified: %zu file%s, manifest of %s%s\n", first, others, comparison->manifest->n,
		        plural(comparison->manifest->n), comparison->manifest->time, gone);
	return GPUCRYPT_OK;
}

int manifest_run_compare(const struct job *job)
{
	struct comparison comparison = { .job = job, .manifest = &job->manifest.manifest };
	size_t n = comparison.manifest->n;
	int status;

	comparison.by_digest = memory_or_exit(calloc(n + 1, sizeof *comparison.by_digest));
	comparison.renamed = memory_or_exit(calloc(n + 1, sizeof *comparison.renamed));
	for (size_t i = 0; i < n; i++)
		comparison.by_digest[i] = &comparison.manifest->records[i];
	qsort(comparison.by_digest, n, sizeof *comparison.by_digest, compare_digests);
	compare_all(&comparison);
	status = print_sum(&comparison);
	free(comparison.by_digest);
	free(comparison.renamed);
	return status;
}
