/* --rm: remove the source after the output was read back from storage and compared with it. */
#ifndef CLI_TRANSFORM_READ_BACK_H
#define CLI_TRANSFORM_READ_BACK_H

#include "gpucrypt/pipeline/report.h"
#include "cli/files/input.h"
#include "cli/args/options.h"
#include "cli/secrets/secret.h"

/* Of both files only fd and name are used: they are open and, as far as they were written, synced.
 * Decrypt the container from storage with another engine than the one that wrote it (report says
 * which) if there is one, and compare every byte with the plaintext. */
int read_back(const struct source *container, const struct source *plain, unsigned content,
        const struct options *options, const struct secret *secret, const struct report *report);

/* Can this input be removed at all?  GPUCRYPT_USAGE for standard input, links, devices. */
int remove_check(const struct input *input);

/* Open a synced file from its start, read from storage instead of the page cache. */
int open_stored(struct source *source, const struct source *file);

/* Does the name still lead to the open input, and was the input not written since it was opened? */
bool input_unchanged(const struct input *input);

/* Unlink the input if it did not change since it was read. */
int remove_input(const struct input *input);

#endif
