/* Key slots for RSA keys in many containers at once: their file keys are wrapped in one batch, by
 * the CPU or by an OpenCL device, whichever is predicted to be faster. */
#ifndef KEY_WRAPPING_H
#define KEY_WRAPPING_H

#include "gpucrypt/keys/key_batch.h"
#include "gpucrypt/keys/slot.h"
#include "cli/terminal/json.h"
#include "cli/args/options.h"
#include "cli/secrets/pem_file.h"

struct machine;

struct key_wrapping {
	struct key_batch opened; /* filled by who has the containers */
	struct wrapped_batch wrapped[MAX_RECIPIENTS];
	struct gpucrypt_derived derived[MAX_RECIPIENTS]; /* of the recipients */
	struct machine *machine;                         /* owned; NULL: not looked at */
	json_t *json;                                    /* owned: an array, what was done; NULL: not wanted */
};

/* Refuses what --engine and --device cannot mean here.  GPUCRYPT_USAGE. */
int key_wrapping_check(const struct options *options);

/* Is there anything to be done at once: RSA recipients, several files? */
bool key_wrapping_pays(const struct options *options, const struct pem_keys *recipients);

/*
 * Wrap the opened keys for every RSA recipient, which is told of it.  A device that computes
 * something wrong, or fails, is a warning and the CPU does it.  GPUCRYPT_DEVICE: the device that
 * was asked for is not there.
 */
int key_wrapping_make(struct key_wrapping *wrapping, const struct options *options, struct pem_keys *recipients);

void key_wrapping_close(struct key_wrapping *wrapping); /* wiped; zeroed is fine */

#endif
