/*
 * A file to write: under its name appears the whole result or nothing.  Used in this order:
 * output_choose (looks and refuses, changes nothing), output_create, writing to fd, output_sync,
 * output_commit; output_discard at any time.
 */
#ifndef CLI_FILES_OUTPUT_H
#define CLI_FILES_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/files/input.h"
#include "gpucrypt/crypto/cipher.h"
#include "cli/args/options.h"

/* Conditions for an output. */
struct output_terms {
	const struct stat *input;     /* not owned; NULL: made from nothing (a new key) */
	const struct key_files *keys; /* not owned; files that must not be overwritten; NULL: none */
	bool standard_input;          /* the input came from there and has no mode to copy */
	bool keeps_time;              /* a regular input's modification time is that of the output */
	bool acl;                     /* more is said of the input's readers than its mode does */
	bool force;
	bool replaces_input; /* the output takes the input's place in the end */
	bool part;           /* the unfinished file is NAME.part, and output_commit() gives it no name, before: */
	bool resume;         /* output_take_part(): the temporary file is NAME.part, which stays until it is complete */
	bool named_twice;    /* with part: an earlier run may have given the file both names */
	bool merge;          /* --merge: a directory tree is merged into the existing directory */
	bool tree;           /* a directory tree, unless it is going to a pipe or a device */
	bool ciphertext;     /* refused on a terminal; and only it may be readable by others */
	bool quiet;          /* no warning of attributes that the target refuses */
};

enum output_kind {
	OUTPUT_NAMED,     /* a regular file, made under a temporary name */
	OUTPUT_TREE,      /* a folder, made under a temporary name; fd is that of the folder */
	OUTPUT_SPECIAL,   /* exists and is no regular file: opened and written */
	OUTPUT_DESCRIPTOR /* open already: -, /dev/stdout, /dev/fd/N */
};

struct output {
	enum output_kind kind;
	const char *name; /* for messages; not owned */
	const char *base; /* name in the folder; points into the name given */
	struct output_terms terms;
	char part[NAME_MAX + sizeof ".part"]; /* NAME.part, in the folder */
	mode_t mode;                          /* of the finished file */
	int descriptor;                       /* OUTPUT_DESCRIPTOR: its number */
	int fd, folder_fd;                    /* -1: closed */
	char temporary[NAME_MAX + 1];         /* in the folder; "" if there is none */
	bool exposed;                         /* others may read the finished plaintext: the target keeps no modes */
	bool merges;                          /* the content is merged into an existing folder, folder_fd */
	bool named; /* it has got its name, and stays: a failure after that is of the folder's sync */
};

/* The extended attribute that holds a POSIX access control list. */
#define ACCESS_LIST "system.posix_acl_access"

/* Most hard links of a part file: OUT.part and, left by runs that were killed while they named it, its temporary name
 * and OUT. */
#define PART_LINKS 3

/* An output that is not open; output_discard() does nothing with it. */
#define OUTPUT_NONE ((struct output){ .fd = -1, .folder_fd = -1 })

/* GPUCRYPT_EXISTS where it would overwrite, or the output is also the input or a key file. */
int output_choose(struct output *output, const char *name, const struct output_terms *terms);

int output_create(struct output *output);

/* For terms.part, output_create() opens only the folder.  Then: open NAME.part, if it is *there; else make its first
 * content in a new file, and give that the name, unless another run was faster: open NAME.part in any case.
 * output_lock_part: lock this part, or all of them with number 0.  GPUCRYPT_EXISTS. */
int output_open_part(struct output *output, bool *there);
int output_start_part(struct output *output);
int output_name_part(struct output *output, bool replaces); /* replaces: whatever has the name NAME.part */
int output_lock_part(struct output *output, uint64_t number);

/* Give up the lock of this part, then lock all.  *locked: no other run has one, and none has given the file its name.
 */
int output_lock_all_parts(struct output *output, uint64_t number, bool *locked);

/* *has: the open file has this name in its folder.  GPUCRYPT_IO if the name cannot be examined. */
int output_has_name(const struct output *output, const char *name, bool *has);

/* GPUCRYPT_EXISTS if the name is not that of the open file any more. */
int output_check_part(const struct output *output);

/* A run that is killed while it gives NAME.part the name NAME by a link leaves both names.
 * output_named_twice: are NAME and NAME.part one regular file?
 * output_end_naming: if so, remove the name NAME.part.  GPUCRYPT_EXISTS if the file is the input, or a key file. */
bool output_named_twice(const char *name);
int output_end_naming(const char *name, const struct output_terms *terms);

/* NAME.part is complete: output_commit() gives it the output's name. */
int output_take_part(struct output *output);

/* Set mode and time of the finished file, and sync it.  Attributes that the target refuses cause one warning and no
 * failure. */
int output_sync(struct output *output);

/* After output_sync(): GPUCRYPT_IO if others may read the file and it is plaintext. */
int output_result(const struct output *output);

/* Does this errno mean that the target has no such attribute, or that this user may not set it? */
bool output_refuses(int error);

/* Close; a named file or tree gets its name now, without a moment in which another's file could be lost. In the place
 * of a tree, an existing file or folder may be the only copy of something: it is renamed to NAME.~1~, NAME.~2~, …, with
 * a message, and never removed.  With `merges`, see merge_move(). */
int output_commit(struct output *output);

/* Close, and remove what has no name yet. */
void output_discard(struct output *output);

/* The last steps at once, for an output that is created: write these bytes, sync, check, and commit. */
int output_put(struct output *output, const void *bytes, size_t n_bytes);

/* All steps at once: write these bytes to a new file, or to the device or descriptor of this name.  GPUCRYPT_IO, and no
 * file, if others could read bytes that are for the owner only. */
int output_write(const char *name, const void *bytes, size_t n_bytes, const struct output_terms *terms);

/* Pictures of ppf/gnuplot.h as files that a user names. */

/* Open the output of --plot before anything is measured. With name NULL, *output is left unchanged. Errors: GPUCRYPT_IO
 * if the file cannot be written, GPUCRYPT_OTHER if gnuplot cannot be run. */
int gnuplot_open(struct output *output, const char *name, bool force);

/* Run what script() writes; the output, which is open, gets the whole picture and is committed. */
int gnuplot_draw(struct output *output, void (*script)(FILE *stream, const void *self), const void *self);

/* The functions above call these. */
int output_open_folder(struct output *output);
int output_create_temporary(struct output *output);
int output_set_attributes(struct output *output);

/* GPUCRYPT_EXISTS if this file, called name in messages, is the input, or a key file. */
int output_refuse_same(const struct output *output, const struct stat *there, const char *name);

/* merge.c: merge a new folder into an existing folder: files of the same name are replaced, each by one rename; folders
 * of the same name are merged; other entries stay.  A folder never replaces a file, and a file never replaces a folder.
 * Links below the existing folder are not followed. */

struct merge {
	const struct output *output; /* not owned; output->folder_fd is open */
	unsigned long long n_replaced, n_new;
};

/* Count a member as new or as a replacement, by its path in the folder, and change nothing.  GPUCRYPT_EXISTS: the path
 * is a folder and the member is not, or the reverse, or the path is the input or a key file. */
int merge_examine(struct merge *merge, const char *path, bool is_folder);

/* Print one line: how many files are replaced and how many are new. */
void merge_announce(const struct merge *merge);

/* Move the content of the output's temporary folder into the existing folder, except folders that exist there.  After
 * a failure each file is either the old or the new one. */
int merge_move(const struct output *output);

/* Names. */

#define CONTAINER_SUFFIX ".gcr"

/* The length of a name without .gcr, 0 if it does not end in that or is nothing else. */
size_t output_name_stem(const char *name);

/* Name the output for an operand: the argument of -o, "-" for "-", else the operand's name with .gcr added or removed.
 * The caller frees *name. */
int output_name(char **name, const char *operand, enum direction direction, const struct options *options);

/* Take slashes away from the end of a directory's name, in place. */
char *output_trim_name(char *name);

#endif
