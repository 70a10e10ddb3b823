/* enc --luks2, and dec, verify and rekey of LUKS volumes: luks.c, luks_tags.c, luks_rekey.c. */
#ifndef CLI_TRANSFORM_LUKS_H
#define CLI_TRANSFORM_LUKS_H

#include "cli/transform/job.h"

extern const struct job_kind enc_luks_kind, dec_luks_kind, verify_luks_kind, rekey_luks_kind;

/* The values of the options for a new volume. */
int luks_check(const struct options *options);

/* Is the input, which is open, a LUKS volume? */
int luks_is_input(bool *is, const struct options *options, const struct input *input);

/* Common to them. */

/* Open a volume, refuse what is not read here, and plan its decryption; nothing is unlocked. */
int luks_look_at_header(struct job *job, struct job_file *file, const char *operand);

/* Unlock by the job's secret; if the secret was typed and opens nothing, ask for it again. */
int luks_unlock_volume(struct job *job, struct job_file *file);

/* Make the header that the options describe, by luks_format().  key NULL: randomly chosen. */
int luks_make_header(struct job *job, struct job_file *file, const uint8_t *key);

/* Tags: the detached header (gcrypt(5)) of the image that is the volume's payload.  The key of that image, which the
 * file key of the detached header gives, is the volume key. */

/* Write payload and tags, then the header of the volume, whose output is a file. */
int luks_tags_encrypt(
        struct job *job, struct job_file *file, struct sink *volume, const struct gpucrypt_progress *progress);

/* Open the tags of an open volume. */
int luks_tags_open(struct job_file *file, const char *name);

/* Unlock the tags of an unlocked volume, and plan by them.  GPUCRYPT_CORRUPT unless they are of this volume: its key,
 * cipher, sectors and first tweak. */
int luks_tags_unlock(struct job_file *file, const struct gpucrypt_secret *secret);

/* Authenticate the payload up to the end of the volume, and decrypt it unless sink is NULL. */
int luks_tags_decrypt(struct job_file *file, struct sink *sink, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress);

#endif
