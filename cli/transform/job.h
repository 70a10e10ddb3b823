/*
 * One life of a file: look, unlock, choose, run, finish.  The subcommands enc, dec, verify, rekey and retag, and
 * enc --in-place, are rows (struct job_kind): job.c has the steps that they share.
 */
#ifndef JOB_H
#define JOB_H

#include "cli/files/input.h"
#include "cli/files/key_files.h"
#include "cli/files/output.h"
#include "cli/secrets/pem_file.h"
#include "cli/secrets/secret.h"
#include "cli/transform/detached.h"
#include "cli/transform/plan.h"
#include "cli/transform/rekey_slots.h"
#include "cli/transform/salvage.h"
#include "cli/tree/tree.h"
#include "gpucrypt/pipeline/report.h"

struct in_place_files; /* in_place.c */
struct job;
struct job_file;

struct job_kind {
	enum direction direction; /* of a container's plan */
	bool writes_ciphertext;   /* the output is a container, or its metadata pages */
	bool keeps_time;          /* a regular input's modification time is that of the output */
	bool has_plan;            /* -v and --dry-run print a plan */
	bool chooses;             /* the model chooses the values that the options leave open */
	bool shows_rate;          /* progress names the predicted bottleneck, and -v prints the rate */
	bool shows_image;         /* progress names the image instead of its detached header */
	bool warns_of_header;     /* a damaged header copy is a warning; elsewhere a failure, or part of report() */
	/* Open and examine the files, and refuse what can be refused before a secret is asked for. */
	int (*look)(struct job *job, struct job_file *file, const char *operand);
	/* Create outputs, get the secret, authenticate the header; in a dry run only what the plan needs. */
	int (*unlock)(struct job *job, struct job_file *file);
	/* The library's part; sink is NULL where nothing is written through one. */
	int (*run)(struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress);
	/* Compare or authenticate the synced output before it gets its name; NULL: nothing. */
	int (*check_stored)(struct job *job, struct job_file *file);
	/* Warnings after success; NULL: none. */
	void (*report)(const struct job *job, const struct job_file *file);
	/* The last step, also after a failure, whose message is printed already; returns the status.  NULL: nothing. */
	int (*close)(struct job *job, struct job_file *file, int status);
};

/* State that all files of a run share. */
struct job {
	const struct job_kind *kind;
	const struct options *options;
	struct key_files keys;       /* are not overwritten or removed */
	struct secret secret, added; /* read when the first file needs them; added: by --new-… */
	struct pem_keys recipients;
	struct machine *machine;         /* made when the first choice needs it; owned */
	bool abort_batch;                /* the next file would fail as this one did */
	bool engine_noted, unused_noted; /* a warning was printed */
};

struct job_file {
	struct input input;
	struct output output;
	char *output_name;  /* owned; NULL: output is not used */
	char *journal_name; /* owned; of enc --in-place */
	bool replaces_input;
	struct file_plan plan;
	bool looked; /* output and image were examined */
	struct report report;
	struct salvage_list salvage;     /* owned */
	struct detached_files detached;  /* owned */
	struct tree tree;                /* owned */
	double seconds;                  /* of run */
	struct in_place_files *in_place; /* owned by in_place.c */
	struct {
		struct file_plan plan;        /* of the new container; file->plan is of the old one */
		struct rekey_secrets secrets; /* open the new container */
		struct rekey_slots slots;     /* of the old container */
		struct authenticated_header old;
	} rekey;
};

/* Process one operand after the other: a failure that concerns one file is printed, and the next file follows.
 * Returns the first failure's status. */
int job_run(const struct job_kind *kind, const struct options *options);

/* The input, or of a detached container detached header and image together. */
struct source *job_source(struct job_file *file);

/* Open the input, and refuse a key file as input. */
int job_open_input(struct job *job, struct job_file *file, const char *operand, bool or_directory);

/* The conditions for an output of this job. */
struct output_terms job_output_terms(const struct job *job, const struct job_file *file);

/* Lock the input against other runs that change key slots. */
int job_lock_input(struct job_file *file);

/* Create the output, and the detached header beside it; nothing in a dry run. */
int job_create_outputs(const struct job *job, struct job_file *file);

/* Read the secret unless an earlier file needed it.  encrypting: ask twice, and warn of a weak one. */
int job_get_secret(struct job *job, const struct job_file *file, bool encrypting);

/* The secrets of a container's slots, or the one that opens it. */
const struct gpucrypt_secret *job_secrets(const struct job *job);

#endif
