/*
 * The life of a file: look, unlock, choose, run, finish.  job.c has the steps that enc, dec, verify, rekey, retag and
 * enc --in-place share; each of these subcommands is a row (struct job_kind) with the steps that differ.
 */
#ifndef JOB_H
#define JOB_H

#include "cli/files/input.h"
#include "cli/files/key_files.h"
#include "cli/files/output.h"
#include "cli/luks/volume.h"
#include "cli/secrets/pem_file.h"
#include "cli/secrets/secret.h"
#include "cli/transform/detached.h"
#include "cli/transform/manifest_run.h"
#include "cli/transform/operands.h"
#include "cli/transform/parts.h"
#include "cli/transform/plan.h"
#include "cli/transform/rekey_slots.h"
#include "cli/transform/results.h"
#include "cli/transform/salvage.h"
#include "cli/tree/tree.h"
#include "gpucrypt/pipeline/report.h"

struct in_place_files; /* in_place.c */
struct job;
struct job_file;

struct job_kind {
	enum direction direction; /* of the plan for the input */
	bool writes_ciphertext;   /* the output is a container or its metadata pages */
	bool keeps_time;          /* the output gets the modification time of a regular input */
	bool has_plan;            /* -v and --dry-run print a plan */
	bool chooses;             /* the model chooses the values that the options leave open */
	bool shows_rate;          /* progress names the predicted bottleneck, and -v prints the rate */
	bool shows_image;         /* progress names the image instead of its detached header */
	bool luks;                /* the input or the output is a LUKS volume */
	bool reports_change;      /* of the input during run(): nothing authenticates the input */
	const struct job_kind
	        *of_volumes;  /* the kind of an input that is a LUKS volume; NULL: refused as no container */
	bool warns_of_header; /* a damaged header copy is a warning, not a failure or part of report() */
	/* Add lines to the plan that is printed; NULL: none. */
	void (*describe)(const struct job_file *file, struct plan_lines *lines);
	/* Open and examine the files, and refuse what can be refused before a secret is asked for. */
	int (*look)(struct job *job, struct job_file *file, const char *operand);
	/* Create outputs, get the secret, authenticate the header; in a dry run, only as the plan needs. */
	int (*unlock)(struct job *job, struct job_file *file);
	/* Call the library; sink is NULL for verify, for a tree and for enc --in-place. */
	int (*run)(struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress);
	/* Compare or authenticate the synced output before it gets its name; NULL: nothing. */
	int (*check_stored)(struct job *job, struct job_file *file);
	/* Print warnings after success; NULL: none. */
	void (*report)(const struct job *job, const struct job_file *file);
	/* Clean up, also after a failure, whose message is printed; return the final status.  NULL: nothing. */
	int (*close)(struct job *job, struct job_file *file, int status);
};

/* State that all files of a run share. */
struct job {
	const struct job_kind *kind;
	const struct options *options;
	struct key_files keys;       /* never overwritten or removed */
	struct secret secret, added; /* read when the first file needs them; added: from --new-… */
	struct pem_keys recipients;
	struct chooser chooser;
	struct operands operands;
	struct tally *tally;
	struct manifest_run manifest;
	int log_fd;
	bool abort_batch;                            /* do not process further files: they would fail too */
	bool engine_noted, left_noted, unused_noted; /* a warning was printed */
};

struct job_file {
	const struct job_kind *kind; /* the job's, until look() finds that the input is a LUKS volume */
	struct input input;
	struct output output;
	char *output_name;  /* owned; NULL: output is not used */
	char *journal_name; /* owned; of enc --in-place */
	bool replaces_input;
	struct file_plan plan;
	bool looked; /* output and image of the detached container were examined */
	struct report report;
	struct salvage_list salvage;     /* owned */
	struct detached_files detached;  /* owned */
	struct tree tree;                /* owned */
	struct luks_volume volume;       /* owned */
	struct part_record part;         /* owned; of enc and dec --part */
	struct parts_output *parts;      /* owned; of dec --part; or NULL */
	double seconds;                  /* duration of run() */
	bool changed;                    /* the input changed while run() read it */
	struct in_place_files *in_place; /* owned by in_place.c */
	struct {
		struct file_plan plan;           /* of the new container; file->plan is that of the old container */
		struct luks_volume volume;       /* owned; a new LUKS volume */
		struct rekey_secrets secrets;    /* secrets of the new container's key slots */
		struct rekey_slots slots;        /* of the old container */
		struct authenticated_header old; /* the old container's header */
	} rekey;
};

/* Of the subcommands enc, dec, verify and rekey. */
extern const struct job_kind enc_kind, dec_kind, verify_kind, rekey_kind;

/* Refuse conflicting values before any file is opened. */
int job_check_options(const struct options *options, enum direction direction);

/* Process the operands in order, or several at a time.  Print a failure of one file and continue with the next file,
 * unless abort_batch is set.  Returns the status of the first failure. */
int job_run(const struct job_kind *kind, const struct options *options);

/* Does the run process one part (--part I/N)? */
bool job_in_parts(const struct job *job);

/* Is the output encrypted for public keys alone?  Then there is no secret to read. */
bool job_only_recipients(const struct job *job);

/* Process one operand: its whole life.  Returns its status; the message is printed. */
int job_process(struct job *job, size_t operand);

/* The plan of the output. */
const struct file_plan *job_output_plan(const struct job_file *file);

/* The input; for a detached container, its detached header joined with the image. */
struct source *job_source(struct job_file *file);

/* Open the input, and refuse a key file as input. */
int job_open_input(struct job *job, struct job_file *file, const char *operand, bool or_directory);

/* The conditions on the outputs of this file. */
struct output_terms job_output_terms(const struct job *job, const struct job_file *file);

/* Lock the input against other runs that change key slots; in parts, beside the runs of other parts. */
int job_lock_input(const struct job *job, struct job_file *file);

/* Create the output, and the detached header beside it; nothing in a dry run. */
int job_create_outputs(const struct job *job, struct job_file *file);

/* Read the secret unless an earlier file did.  encrypting: ask for a passphrase twice, and warn of a weak secret. */
int job_get_secret(struct job *job, const struct job_file *file, bool encrypting);

/* The same, and the secret that takes its place in the new container: from --new-… */
int job_get_secrets(struct job *job, const struct job_file *file);

/* The secrets of the new container's key slots when encrypting; else the secret that opens the container. */
const struct gpucrypt_secret *job_secrets(const struct job *job);

#endif
