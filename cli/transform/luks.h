/* enc --luks2, and dec, verify and rekey of LUKS volumes: luks.c, luks_rekey.c. */
#ifndef CLI_TRANSFORM_LUKS_H
#define CLI_TRANSFORM_LUKS_H

#include "cli/transform/job.h"

/* The values of the options for a new volume. */
int luks_check(const struct options *options);

/* Is the input, which is open, a LUKS volume? */
int luks_is_input(bool *is, const struct options *options, const struct input *input);

/* Common to them. */

/* Open a volume, refuse what is not read here, and plan its decryption; nothing is unlocked. */
int luks_look_at_header(struct job *job, struct job_file *file, const char *operand);

/* Unlock by the job's secret; if the secret was typed and opens nothing, ask for it again. */
int luks_unlock_volume(struct job *job, struct job_file *file);

#endif
