/* enc --update: update.c for containers, update_luks.c for LUKS volumes. */
#ifndef CLI_TRANSFORM_UPDATE_H
#define CLI_TRANSFORM_UPDATE_H

#include "cli/transform/job.h"
#include "gpucrypt/container/update.h"

/* The byte ranges that may have changed, from the file of --changed. */
struct changed_list {
	struct byte_range *ranges; /* owned; NULL: there is no list */
	size_t n;
};

/* Read the list; name "-" is standard input.  GPUCRYPT_USAGE: the file has another form. */
int changed_list_read(struct changed_list *list, const char *name);

/* The state of a file.  The input of the job is the new content. */
struct update_state {
	struct luks_state luks; /* first, for luks_of() */
	struct input container; /* the old container, its detached header, or a LUKS volume */
	struct stat shown;      /* attributes of the output: those of the container, but the time of the source */
	struct authenticated_header header;
	struct changed_list changed;        /* owned */
	bool pending;                       /* the journal has its name: the container may have old and new groups */
	uint8_t record[START_RECORD_BYTES]; /* with --part: of the part */
};

static inline struct update_state *update_of(const struct job_file *file)
{
	return file->state;
}

extern const struct job_kind enc_update_luks_kind;

/* The container is a LUKS volume: open it for writing too, and plan. */
int update_look_at_volume(struct job *job, struct job_file *file);

/* Steps of both kinds: reject options that contradict the container; show the counts in the plan and in the report. */
int update_check_options(const struct options *options, const struct job_file *file);
void update_describe(const struct job_file *file, struct plan_lines *lines);
void update_report(const struct job *job, const struct job_file *file);
int update_close(struct job *job, struct job_file *file, int status);

#define UPDATE_STEPS                                                                                         \
	.direction = ENCRYPT, .state_bytes = sizeof(struct update_state), .writes_ciphertext = true,         \
	.reports_change = true, .has_plan = true, .chooses = true, .shows_rate = true, .notes_choice = true, \
	.plans_by_run = true, .describe = update_describe, .report = update_report

#endif
