/* enc --luks2, and dec, verify and rekey of LUKS volumes. */
#ifndef CLI_TRANSFORM_LUKS_H
#define CLI_TRANSFORM_LUKS_H

#include "cli/luks/volume.h"
#include "cli/transform/job.h"
#include "gpucrypt/container/raw.h"

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
