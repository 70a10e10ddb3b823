/* The plan of one file, and the lines that --dry-run and -v print about the plan. */
#ifndef CLI_TRANSFORM_PLAN_H
#define CLI_TRANSFORM_PLAN_H

#include <jansson.h>
#include <stdio.h>

#include "gpucrypt/keys/header.h"
#include "cli/files/input.h"
#include "cli/args/options.h"
#include "cli/files/output.h"
#include "ppf/model/choose.h"

/* Where the lines of a plan go: to an object, or if that is NULL to the stream, each as `name: text`. */
struct plan_lines {
	FILE *stream;
	json_t *json;
};

/* The computation for one file. */
struct file_plan {
	struct suite suite;
	unsigned chunk_log2, group_log2; /* 0: no tags: raw, or a LUKS volume */
	unsigned sector_log2;            /* detached, or a LUKS volume; else 0 */
	unsigned content;                /* of a container that is read, by its header: CONTENT_… */
	bool luks;                       /* a LUKS volume */
	bool one_engine;                 /* no hybrid */
	bool content_known;              /* content and sector_log2 cannot change when the header is authenticated */
	struct gpucrypt_plan run;        /* what the library gets: the options, completed by plan_choose() */
	bool chosen;                     /* by the model, which predicts this: */
	struct choice choice;
	char engine[ENGINE_TEXT];             /* the chosen engine, as text */
	char record[160];                     /* whose figures it used */
	uint8_t start[2 * HEADER_COPY_BYTES]; /* of a container: the input gives it again */
	struct unlocked *unlocked;            /* from plan_authenticate() to plan_forget(); locked memory, or NULL */
};

/* Names that can be checked before a file is opened. */
int plan_check(const struct options *options, enum direction direction);

/* log2 of the sector size of a new detached container. */
unsigned plan_sector_log2(const struct options *options);

/* Fill in the plan, which stays where it is until the input is read: a container's header is read for
 * it.  Of a container only content and sector_log2 are filled in, for questions that come before the
 * secret, and in a dry run the rest too, for display: plan_authenticate() follows before anything is computed. */
int plan_file(struct file_plan *plan, const struct options *options, struct input *input, enum direction direction);

/* Unlock the header that plan_file() read, and take the plan from it; header may be NULL.  Readers of the input's
 * source get the keys from the plan. */
int plan_authenticate(struct file_plan *plan, const struct options *options, struct authenticated_header *header,
        struct input *input, const struct gpucrypt_secret *secret);

/* Wipe the keys, after the last use of the input. */
void plan_forget(struct file_plan *plan);

/* Set the plan by a container's authenticated header. */
void plan_of_header(struct file_plan *plan, const struct authenticated_header *header, enum direction direction);

/* Set the plan by a header that is not authenticated: for display in a dry run only. */
void plan_preview(struct file_plan *plan, const struct examined_header *examined, enum direction direction);

/* Warn of a mode that does not hide equal blocks. */
void plan_warn_of_mode(const struct mode *mode);

/* The model's choices of a run.  A choice takes milliseconds, as long as a small file takes, and is used again for a
 * small file like the one before. */
struct chooser {
	struct machine *machine; /* made for the first choice; owned by the caller */
	struct gpucrypt_plan wanted;
	struct task task; /* n_bytes 0: there is no choice yet */
	struct choice choice;
};

/* Let the model choose the values that the options leave open; output is not NULL. */
int plan_choose(struct file_plan *plan, const struct options *options, const struct source *source,
        const struct output *output, struct chooser *chooser);

/* Add the lines of the plan; nothing is opened.  output is NULL if nothing is written. */
void plan_describe(struct plan_lines *lines, const struct options *options, const struct file_plan *plan,
        const char *input, const char *output);

void plan_add(struct plan_lines *lines, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
