/* enc --luks2, and dec, verify and rekey of LUKS volumes. */
#ifndef CLI_TRANSFORM_LUKS_H
#define CLI_TRANSFORM_LUKS_H

#include "cli/transform/job.h"

extern const struct job_kind enc_luks_kind, dec_luks_kind, verify_luks_kind, rekey_luks_kind;

/* The values of the options for a new volume. */
int luks_check(const struct options *options);

/* Is the input, which is open, a LUKS volume? */
int luks_is_input(bool *is, const struct options *options, const struct input *input);

#endif
