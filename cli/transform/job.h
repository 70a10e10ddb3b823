/*
 * The life of a file: look, unlock, choose, run, finish.  job.c has the steps that all kinds of work share; each kind
 * is a row (struct job_kind) with the steps that differ, beside its feature: enc --resume in parts.c, and so on.
 */
#ifndef CLI_TRANSFORM_JOB_H
#define CLI_TRANSFORM_JOB_H

#include <stdatomic.h>

#include "cli/files/input.h"
#include "cli/files/folder.h"
#include "cli/files/output.h"
#include "cli/luks/volume.h"
#include "cli/secrets/secret.h"
#include "cli/terminal/progress.h"
#include "cli/transform/manifest_run.h"
#include "cli/transform/plan.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/raw.h"
#include "gpucrypt/pipeline/pipeline.h"

struct job;
struct job_file;

struct job_kind {
	enum direction direction; /* of the plan for the input */
	bool writes_ciphertext;   /* the output is a container or its metadata pages */
	bool keeps_time;          /* the output gets the modification time of a regular input */
	bool has_plan;            /* -v and --dry-run print a plan */
	bool chooses;             /* the model chooses the values that the options leave open */
	bool shows_rate;          /* progress names the predicted bottleneck, and -v prints the rate */
	bool notes_choice;        /* if the chosen engine did not do the work, the choice is given up */
	bool takes_trees;         /* the input may be a directory */
	bool salvages;            /* the output is the content's bytes, also of a tree, as far as they are authentic */
	bool prints_json;         /* run() or finish() prints the JSON object; no result is printed after it */
	bool shows_image;         /* progress names the image instead of its detached header */
	bool luks;                /* the input or the output is a LUKS volume */
	bool reports_change;      /* of the input during run(): nothing authenticates the input */
	const struct job_kind
	        *of_volumes;             /* the kind of an input that is a LUKS volume; NULL: refused as no container */
	const struct job_kind *of_trees; /* the kind of an output that is a directory; NULL: this one */
	size_t state_bytes;              /* of job_file.state */
	bool plans_by_run;               /* a dry run runs, without an output, before the plan is printed */
	bool warns_of_header;            /* a damaged header copy is a warning, not a failure or part of report() */
	/* Add lines to the plan that is printed; NULL: none. */
	void (*describe)(const struct job_file *file, struct plan_lines *lines);
	/* Open and examine the files, and refuse what can be refused before a secret is asked for. */
	int (*look)(struct job *job, struct job_file *file, const char *operand);
	/* Of job_look_at_files(): set file->output, and refuse it if it does not suit.  NULL: output_choose(). */
	int (*choose_output)(struct job *job, struct job_file *file, const struct output_terms *terms);
	/* Create outputs, get the secret, authenticate the header; in a dry run, only as the plan needs. */
	int (*unlock)(struct job *job, struct job_file *file);
	/* Of job_unlock_file(): authenticate the header of the input; NULL: it has none. */
	int (*authenticate)(struct job *job, struct job_file *file);
	/* Of job_unlock_file(), last, not in a dry run: the outputs are there, and the secret is known; NULL: nothing.
	 */
	int (*prepare)(struct job *job, struct job_file *file);
	/* Call the library with the file's sink and progress. */
	int (*run)(struct job *job, struct job_file *file);
	/* Compare or authenticate the synced output before it gets its name; NULL: nothing. */
	int (*check_stored)(struct job *job, struct job_file *file);
	/* The output has its name: report what is missing or damaged.  NULL: nothing. */
	int (*finish)(struct job *job, struct job_file *file);
	/* Print warnings after success; NULL: none. */
	void (*report)(const struct job *job, const struct job_file *file);
	/* Clean up, also after a failure, whose message is printed; return the final status.  NULL:
	 * nothing. */
	int (*close)(struct job *job, struct job_file *file, int status);
};

/* Sums over the files of a run, in memory that its processes share. */
struct tally {
	atomic_size_t next;          /* the operand that is taken next */
	atomic_bool stop;            /* do not take further files: they would fail too */
	atomic_size_t n_good, n_bad; /* files */
	atomic_size_t n_same;        /* files that were skipped, because a manifest says that they have not changed */
	atomic_ullong n_bytes;       /* plaintext of the good files */
	atomic_ullong input_bytes;   /* of all inputs except skipped ones; UINT64_MAX: not known */
	atomic_ullong taken_bytes;   /* of the inputs that were processed */
	atomic_ullong first_failure; /* operand << 8 | status of the first failure; UINT64_MAX: none */
	atomic_bool drivers_noted;   /* a warning names the drivers that are left out */
	atomic_bool leftovers_noted; /* a warning about leftovers (leftovers.h) was printed */
	atomic_ullong folder;        /* inode of the last folder that was searched for leftovers; 0: none */
};

/* State that all files of a run share. */
struct job {
	const struct job_kind *kind;
	const struct options *options;
	struct key_files keys;       /* never overwritten or removed */
	struct secret secret, added; /* read when the first file needs them; added: from --new-… */
	struct pem_keys recipients;
	struct chooser chooser;
	struct name_list operands, excluded; /* excluded: patterns of --exclude */
	struct tally *tally;
	struct progress progress;
	struct manifest_run manifest;
	int log_fd;
	bool abort_batch;                            /* do not process further files: they would fail too */
	bool engine_noted, left_noted, unused_noted; /* a warning was printed */
};

/* The files of a detached container besides input and output. DETACHED_NONE: not a detached container. */
struct detached_files {
	char *other_name;              /* owned */
	struct input other;            /* the image or the detached header, whichever is not the input */
	struct detached_source joined; /* both */
	char *side_name;               /* owned */
	struct output side;            /* beside the image, which is the output */
	struct fd_sink side_sink;
	struct detached_sink sink; /* both */
};

#define DETACHED_NONE ((struct detached_files){ .other.source.fd = -1, .side = { .fd = -1, .folder_fd = -1 } })

static inline bool job_encrypts(const struct job *job)
{
	return job->kind->direction == ENCRYPT;
}

struct job_file {
	const struct job_kind *kind; /* the job's, until look() finds that the input is a LUKS volume */
	struct input input;
	struct output output;
	char *output_name;  /* owned; NULL: output is not used */
	char *journal_name; /* owned; of --in-place */
	char *part_name;    /* owned; of OUT.part */
	void *state;        /* owned; of the kind, zeroed at first */
	bool replaces_input;
	struct file_plan plan;
	struct file_plan new_plan; /* of rekey: of the new container; plan is that of the old one */
	bool looked;               /* output and image of the detached container were examined */
	struct report report;
	struct detached_files detached;           /* owned */
	struct sink *sink;                        /* during run(); NULL: verify, a tree, or --in-place */
	const struct gpucrypt_progress *progress; /* during run(); NULL: not shown */
	double seconds;                           /* duration of run() */
	bool changed;                             /* the input changed while run() read it */
};

/* What the kinds of enc, dec and verify inherit. */
#define ENC_STEPS                                                                                                      \
	.direction = ENCRYPT, .writes_ciphertext = true, .reports_change = true, .keeps_time = true, .has_plan = true, \
	.chooses = true, .shows_rate = true, .notes_choice = true, .warns_of_header = true, .look = job_look_at_files, \
	.unlock = job_unlock_file
#define DEC_STEPS                                                                                        \
	.direction = DECRYPT, .keeps_time = true, .has_plan = true, .chooses = true, .shows_rate = true, \
	.notes_choice = true, .warns_of_header = true, .unlock = job_unlock_file
#define DEC_CONTAINER_STEPS \
	DEC_STEPS, .of_volumes = &dec_luks_kind, .look = job_look_at_files, .authenticate = job_authenticate
#define VERIFY_STEPS                                                                           \
	.direction = DECRYPT, .has_plan = true, .shows_rate = true, .look = job_look_at_files, \
	.unlock = job_unlock_file, .authenticate = job_authenticate

extern const struct job_kind enc_kind, enc_detached_kind, enc_raw_kind, enc_resume_kind, enc_part_kind, enc_update_kind,
        enc_in_place_kind, enc_luks_kind, dec_kind, dec_tree_kind, dec_range_kind, dec_raw_kind, dec_salvage_kind,
        dec_part_kind, dec_in_place_kind, dec_luks_kind, verify_kind, verify_part_kind, verify_manifest_kind,
        verify_luks_kind, rekey_kind, rekey_luks_kind;

/* The steps of enc, dec and verify (cmd_transform.c). */
int job_look_at_files(struct job *job, struct job_file *file, const char *operand);
int job_examine_input(struct job *job, struct job_file *file, const char *operand); /* open; a volume gets its kind */
int job_choose_output(struct job *job, struct job_file *file);
int job_unlock_file(struct job *job, struct job_file *file);
int job_authenticate(struct job *job, struct job_file *file);
int job_encrypt(struct job *job, struct job_file *file);

/* Refuse conflicting values before any file is opened. */
int job_check_options(const struct options *options, enum direction direction);

/* Process the operands in order, or several at a time.  Print a failure of one file and continue with the next file,
 * unless abort_batch is set.  Returns the status of the first failure. */
int job_run(const struct job_kind *kind, const struct options *options);

/* Does processing of this file end with the plan (a dry run)?  The dry run of a merge goes on: it reads the container,
 * and writes nothing. */
bool job_is_planned(const struct job *job, const struct job_file *file);

/* Does the run process one part (--part I/N)? */
bool job_in_parts(const struct job *job);

/* Is the output encrypted for public keys alone?  Then there is no secret to read. */
bool job_only_recipients(const struct job *job);

/* Process one operand: its whole life.  Returns its status; the message is printed. */
int job_process(struct job *job, size_t operand);

/* Let the model choose what a plan of this file leaves open. */
int job_choose_plan(struct job *job, struct job_file *file, struct file_plan *plan);

/* The plan of the output. */
const struct file_plan *job_output_plan(const struct job_file *file);

/* The input; for a detached container, its detached header joined with the image. */
struct source *job_source(struct job_file *file);

/* Make the file one of this kind, with a new state. */
void job_set_kind(struct job_file *file, const struct job_kind *kind);

/* Open the input, and refuse a key file as input. */
int job_open_input(struct job *job, struct job_file *file, const char *operand, bool or_directory);

/* Set the name of OUT.part; open the file, which is the output already, as a source. */
void job_name_part(struct job_file *file);
int job_open_part(struct source *part, const struct job_file *file);

/* The conditions on the outputs of this file. */
struct output_terms job_output_terms(const struct job *job, const struct job_file *file);

/* Lock the input against other runs that change key slots; in parts, beside the runs of other parts. */
int job_lock_input(const struct job *job, struct job_file *file);

/* Create the output, and the detached header beside it; nothing in a dry run. */
int job_create_outputs(const struct job *job, struct job_file *file);

/* Read the secret unless an earlier file did.  encrypting: ask for a passphrase twice, and warn of a weak secret. */
int job_get_secret(struct job *job, const struct job_file *file, bool encrypting);

/* --raw: the bare cipher and mode, with the key and IV of the command line. */
struct raw_options raw_mode_options(const struct options *options, const struct gpucrypt_secret *key);
int job_raw_crypt(struct job_file *file, struct sink *sink, const struct raw_options *raw);

/* The same, and the secret that takes its place in the new container: from --new-… */
int job_get_secrets(struct job *job, const struct job_file *file);

/* The secrets of the new container's key slots when encrypting; else the secret that opens the container. */
const struct gpucrypt_secret *job_secrets(const struct job *job);

/* results.c: what became of each file, for people and machines: with --json an object a line on standard output (on
 * standard error where standard output gets data), the same in the file of --log, and at the end of several files a
 * line of sums. */

/* Status of the first failed operand. */
int tally_status(const struct tally *tally);

/* Open the file of --log before any work, when the operands are known; log_fd stays -1 without --log. */
int log_open(struct job *job);

/* Count the file, and print and log its result.  error: the message of a failure.  Returns status, or that of a failed
 * write. */
int result_add(struct job *job, const struct job_file *file, size_t operand, int status, const char *error);

/* The line about a container that was verified. */
void result_print_verified(const struct job *job, const struct job_file *file);

/* Print the line of sums.  containers: the files are new containers; a note follows if there are many, and they are
 * more than twice as long as their content. */
void results_print_sums(const struct tally *tally, double seconds, bool containers);

/* read_back.c: --rm removes the source after the output was read back from storage and compared with it. */

/* With --rm: decrypt the container, the output or the input, from storage with another engine than the one of the run
 * if there is one, and compare every byte with the plaintext.  The output is synced. */
int job_read_back(struct job *job, struct job_file *file);

/* Can this input be removed at all?  GPUCRYPT_USAGE for standard input, links, devices. */
int remove_check(const struct input *input);

/* Open a synced file from its start, read from storage instead of the page cache. */
int open_stored(struct source *source, const struct source *file);

/* Does the name still lead to the open input, and was the input not written since it was opened?  Else GPUCRYPT_IO. */
int input_check_unchanged(const struct input *input);

/* Unlink the input if it did not change since it was read. */
int remove_input(const struct input *input);

/* detached.c: the image IMAGE and its detached header IMAGE.gcr.  The operand of dec, verify, info and retag is the
 * detached header; the output of enc is the image. */

/* The name of the image that belongs to a detached header; the caller frees it. */
int detached_name_image(char **name, const struct options *options, const char *side);

/* Open the image that belongs to the input, a detached header.  GPUCRYPT_UNKNOWN if the image is a LUKS volume. */
int detached_open_image(struct detached_files *files, const struct options *options, struct input *side);

/* The other part may not become the output. */
int detached_check_output(const struct detached_files *files, const struct options *options, const char *output);

/* When encrypting: choose the detached header, also of a LUKS volume, for an output that is chosen already, and take
 * its name; then create it, sync it, and name it after the image has its name. */
int detached_choose_side(
        struct detached_files *files, const struct output *image, char *name, const struct output_terms *terms);
int detached_choose_output(struct job *job, struct job_file *file, const struct output_terms *terms); /* of enc */
int detached_commit(struct detached_files *files, struct output *image);

/* Make one sink for both files; the sink of the image is a part of it. */
int detached_join_sinks(struct detached_files *files, struct sink *image, unsigned group_log2, struct sink **joined);

void detached_close(struct detached_files *files);

/* parts.c: enc --resume and --part, and rekey --part: runs that encrypt into NAME.part; and the records of parts.  For
 * dec --part see parts_decrypt.c. */

/* What NAME.part is started for. */
struct parts_start {
	struct source *source;
	struct gpucrypt_plan *plan; /* a cipher that is not named becomes that of the start */
	const struct gpucrypt_secret *secrets;
	struct start_parts parts;
	const struct authenticated_header *kept; /* see container_parts_start() */
};

/* The number of parts and their alignment, and the part of this run, by the options. */
struct start_parts parts_wanted(const struct options *options);
struct part_number parts_number(const struct options *options);

/* Choose the output whose unfinished file is NAME.part.  Remove this name if a killed run left it beside NAME
 * (output_end_naming()), unless the file may be another program's: a ciphertext must begin as a container does, and a
 * plaintext must have the record of part 1 beside it.  GPUCRYPT_USAGE unless input and output are regular files. */
int parts_choose_output(struct job *job, struct job_file *file, const struct output_terms *terms);

/* Open NAME.part, or start it, lock the part, and check that the start was made for the same source and parts.  With
 * --resume, lock all, and start it again if it cannot be continued. */
int parts_prepare(const struct parts_start *start, struct job *job, struct job_file *file);

/* Make a record empty, or make an empty one: after a crash during the run the part counts as missing. */
int part_record_renew(const struct output *output, const struct part_number *part);

/* Store the record, after the sync of the output, unless another file has its name now. */
int part_record_store(
        const struct output *output, const struct part_number *part, const uint8_t bytes[START_RECORD_BYTES]);

/* Read a record; *whole: it is there, and as long as it has to be. */
int part_record_load(
        const struct output *output, const struct part_number *part, uint8_t bytes[START_RECORD_BYTES], bool *whole);

/* Remove the records of all parts, whatever is in them. */
int part_records_remove(const struct output *output, uint64_t count);

/* enc --luks2, and dec, verify and rekey of LUKS volumes: luks.c. */

/* The state of a file. */
struct luks_state {
	struct luks_volume volume; /* the input of dec, verify and rekey */
	struct luks_volume made;   /* the output of enc and rekey */
};

static inline struct luks_state *luks_of(const struct job_file *file)
{
	return file->state;
}

/* The values of the options for a new volume. */
int luks_check(const struct options *options);

/* Is the input, which is open, a LUKS volume? */
int luks_is_input(bool *is, const struct options *options, const struct input *input);

/* Common to them. */

#define LUKS_STATE .luks = true, .state_bytes = sizeof(struct luks_state), .close = luks_close_state
int luks_close_state(struct job *job, struct job_file *file, int status);

/* Open a volume, reject it if gcrypt cannot read its format, and plan its decryption; no key slot is opened. */
int luks_open_volume(struct job *job, struct job_file *file, const struct input *volume);

/* Unlock by the job's secret; if the secret was typed and opens nothing, ask for it again. */
int luks_unlock_volume(struct job *job, struct job_file *file);

/* The payload is raw XTS under the volume key. */
struct raw_options payload_options(const struct luks_volume *volume);

/* cmd_rekey.c: plan the new container or volume.  Values that no option names come from the old one's plan. */
int rekey_plan(struct job *job, struct job_file *file);

#endif
