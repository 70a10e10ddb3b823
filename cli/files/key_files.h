/* Files with keys or passphrases that options name, and the log: a run overwrites, changes or removes none of its own
 * such files. */
#ifndef CLI_FILES_KEY_FILES_H
#define CLI_FILES_KEY_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cli/files/input.h"
#include "cli/args/options.h"

#define MAX_KEY_FILES (9 + 3 * MAX_TEXTS)

struct key_file {
	struct stat stat;
	bool descriptor;    /* open already, and read from where it stands */
	const char *option; /* that names it, without -- */
	const char *name;   /* NULL: a descriptor */
	bool secret;        /* not a public key */
	bool log;           /* no key: the run appends to it */
};

struct key_files {
	struct key_file list[MAX_KEY_FILES];
	unsigned n;
};

/* Key files that exist now. */
struct key_files key_files_of(const struct options *options);

/* Warn of each regular file with a secret that others may read or write, as ssh(1) does. */
void key_files_warn(const struct options *options);

/* Add the log, which is open. */
void key_files_add_log(struct key_files *files, int fd, const char *name);

/* GPUCRYPT_EXISTS if this is one of them; not_done: what then does not happen to it. */
int key_files_spare(const struct key_files *files, const struct stat *there, const char *name, const char *not_done);

/* GPUCRYPT_USAGE if reading a key would take bytes from the input, or if --rm would remove a file with a key. */
int key_files_check_input(const struct options *options, const struct key_files *files, const struct input *input);

#endif
