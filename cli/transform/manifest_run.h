/*
 * A run with --manifest.  enc skips files whose record says that they have not changed, and records the others; verify
 * compares files and containers with the records.
 */
#ifndef CLI_TRANSFORM_MANIFEST_RUN_H
#define CLI_TRANSFORM_MANIFEST_RUN_H

#include <stdatomic.h>

#include "cli/manifest/manifest.h"

struct job;
struct job_file;

/* What became of one operand. */
struct outcome {
	atomic_bool done; /* the other fields are set: by enc if the container got its name, by verify for each
	                     container that it read */
	bool recorded;    /* enc: the manifest has it */
	int status;
	struct stat stat;         /* of the input */
	uint64_t container_bytes; /* enc */
	uint8_t digest[DIGEST_BYTES];
	char error[160]; /* verify: the reason of a failure, without the container's name */
};

struct manifest_run {
	struct manifest manifest; /* of enc: with what this run has added */
	struct outcome *outcomes; /* by operand, in memory that the processes of the run share; NULL: no --manifest */
	size_t n_outcomes;
	size_t n_recorded; /* of the outcomes of good files */
	double checkpoint; /* when the next one is due, on the monotonic clock */
	bool dirty;        /* some records are not in the manifest's file yet */
};

/* Get the secret, and read the manifests.  The operands of verify become the recorded containers, in the order of the
 * records, followed by the other containers in the same folders. */
int manifest_run_start(struct job *job);

/* Is there nothing to do?  enc: file and container are there as recorded; verify: the container is not there. */
bool manifest_run_skips(const struct job *job, size_t operand);

/* Is the output that is there the recorded one of an earlier run, which this run replaces? */
bool manifest_run_replaces(const struct job *job, const struct job_file *file);

void manifest_run_note(
        const struct job *job, const struct job_file *file, size_t operand, int status, const char *error);

/* Is this failure of one file reported by manifest_run_finish()? */
bool manifest_run_reports(const struct job *job, int status);

/* enc: from now on, when a signal asks for the end, the run finishes the files that it is encrypting, for a second at
 * most (signals.h), so that each container that has its name also has a record. */
void manifest_run_end_in_order(const struct job *job);

/* enc: write what was done so far, now and then, so that a run that is killed has not worked in vain. */
void manifest_run_checkpoint(struct job *job);

/* After the run, whose status is given: enc writes the manifest, verify prints the differences.  Returns the final
 * status. */
int manifest_run_finish(struct job *job, int status);

/* Print the differences, for manifest_run_finish(); GPUCRYPT_CORRUPT if there is one. */
int manifest_run_compare(const struct job *job);

/* The name of the container that enc makes of an operand; the caller frees it.  NULL: it has none. */
char *manifest_run_container(const struct job *job, const char *operand);

/* enc: forget operands that have come before.  GPUCRYPT_USAGE: two others would have one container, or one that of the
 * manifest's name. */
int manifest_run_check_containers(struct job *job);

/* Add the containers that have no record to the operands, for manifest_run_start(). */
int manifest_run_find_extra(struct job *job);

void manifest_run_close(struct manifest_run *run);

#endif
