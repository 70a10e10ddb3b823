/* Inside cmd_transform.c and transform_*.c: enc, dec and verify of one file after the other. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include "cli/transform/detached.h"
#include "gpucrypt/pipeline/report.h"
#include "cli/files/input.h"
#include "cli/files/output.h"
#include "cli/secrets/pem_file.h"
#include "cli/transform/plan.h"
#include "cli/transform/salvage.h"
#include "cli/secrets/secret.h"
#include "cli/tree/tree.h"

/* What is the same for all files of a run. */
struct run {
	const struct options *options;
	enum direction direction;
	bool verifies;         /* writes nothing */
	struct key_files keys; /* that are not overwritten or removed */
	struct secret secret;  /* read when the first file needs it */
	struct pem_keys recipients;
	struct machine *machine; /* made when the first choice needs it; owned */
	bool hopeless;           /* the next file will fail as this one did */
	bool noted;              /* that another engine than wished is used */
	bool unused_noted;       /* that the engine does not use some options */
};

/* One file on its way. */
struct file {
	struct input input;
	struct output output;
	char *output_name; /* owned; NULL: nothing is written */
	struct file_plan plan;
	bool looked; /* output and image were examined */
	struct report report;
	struct salvage_list salvage; /* owned */
	struct detached_files detached;
	struct tree tree;
	double seconds; /* of the work itself */
};

static inline bool encrypts(const struct run *run)
{
	return run->direction == ENCRYPT;
}

/* What is read: the input, or with an image both. */
static inline struct source *source_of(struct file *file)
{
	return file->detached.image.source.fd >= 0 ? &file->detached.joined.source : &file->input.source;
}

/* Which options go together, said before any file is opened or any question asked.  GPUCRYPT_USAGE. */
int transform_check(const struct options *options, enum direction direction);

/* Open and examine the input. */
int transform_look(struct run *run, struct file *file, const char *operand);

/* Examine the output, and the image of a detached container, once the header says what they are; nothing is
 * changed. */
int transform_look_at_others(struct run *run, struct file *file);

/* The work itself, from the open input into the open output; secret: what opens the container, or
 * the first of those that are to open it. */
int transform_crypt(struct run *run, struct file *file, const struct gpucrypt_secret *secret);

#endif
