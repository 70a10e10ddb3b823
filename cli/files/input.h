/* A file to read: a name, or - for standard input; and the files with keys. */
#ifndef CLI_FILES_INPUT_H
#define CLI_FILES_INPUT_H

#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cli/args/options.h"
#include "gpucrypt/pipeline/source.h"

struct input {
	struct source source;
	const char *name; /* for messages; not owned */
	struct stat stat; /* when it was opened */
	uint64_t medium;  /* disk sequence number of a block device when it was opened; 0: not known */
	bool standard;    /* standard input */
	bool tree;        /* a directory; source.fd is its descriptor, and it gives no bytes yet */
};

/* GPUCRYPT_IO when it cannot be opened; GPUCRYPT_USAGE for a directory. */
int input_open(struct input *input, const char *name);

/* The same, or a directory. */
int input_open_any(struct input *input, const char *name);

/* One regular file, or one block device under two names.  Pipes, sockets and terminals may well be
 * both input and output. */
bool same_storage(const struct stat *a, const struct stat *b);

bool same_time(const struct timespec *a, const struct timespec *b);

/* Do two states of one file have the same size, modification time and change time?  Then nothing wrote to the file,
 * truncated it or changed its attributes between them, as far as these three can show. */
bool same_version(const struct stat *a, const struct stat *b);

/* Was the open file or block device written to, or its medium replaced, since it was opened?  False for pipes and
 * terminals. */
bool input_changed(const struct input *input);

void input_close(struct input *input); /* of one that was never opened: fd is -1 */

/* Exclusive access to files and block devices. */

/* As open(2), with O_EXCL for block devices: fails with EBUSY if the device is mounted or another program has opened it
 * with O_EXCL. The device cannot be mounted until the descriptor is closed. */
int open_exclusively(const char *name, int flags);

/* Lock an open file until it is closed: how is LOCK_EX, against other runs that lock it, or LOCK_SH, which several can
 * hold.  False: errno says why, EWOULDBLOCK while another has it, ESTALE if meanwhile the name is that of another file:
 * who had the lock may have put a new one in its place. */
bool lock_file(int fd, int how, int folder_fd, const char *name);

/* After a failure of lock_file(), with its errno: set the error message, and return GPUCRYPT_IO. */
int fail_locked(const char *name);

/* Lock bytes of an open file, with n_bytes 0 all from `from` on, until the descriptor is closed or they are unlocked:
 * type is F_WRLCK, against other descriptors, on other machines too, as network file systems pass these locks on;
 * F_RDLCK, beside others that lock so, also in place of an own F_WRLCK; or F_UNLCK. */
bool lock_bytes(int fd, short type, uint64_t from, uint64_t n_bytes);

/* Files with keys or passphrases that options name, and the log: a run overwrites, changes or removes none of its own
 * such files. */

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
