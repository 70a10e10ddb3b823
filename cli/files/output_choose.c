/* Name and choose the output, and reject it where it must not be written. Nothing is changed here. */
#include "cli/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "gpucrypt/status.h"

#define MODE_BITS (S_IRWXU | S_IRWXG | S_IRWXO) /* no set-user-ID, set-group-ID, sticky */

/* The mode of the finished file: the input's, or for standard input what the umask leaves.  Only
 * ciphertext may be readable by others: the mode of a container says nothing of its content's. */
static mode_t finished_mode(const struct output_terms *terms)
{
	mode_t mode = S_IRUSR | S_IWUSR, mask;

	if (terms->standard_input) {
		mask = umask(0);
		umask(mask);
		mode = 0666 & ~mask;
	} else if (terms->input)
		mode = terms->input->st_mode & (terms->acl ? S_IRWXU : MODE_BITS);
	if (terms->input && S_ISDIR(terms->input->st_mode))
		mode &= ~(mode_t)(S_IXUSR | S_IXGRP | S_IXOTH);
	return terms->ciphertext ? mode : mode & (S_IRUSR | S_IWUSR);
}

int output_refuse_same(const struct output *output, const struct stat *there, const char *name)
{
	if (output->terms.input && !output->terms.replaces_input && same_storage(output->terms.input, there))
		return fail(GPUCRYPT_EXISTS, "%s: not overwritten: it is the input", name);
	return output->terms.keys ? key_files_spare(output->terms.keys, there, name, "overwritten") : GPUCRYPT_OK;
}

static int choose_descriptor(struct output *output)
{
	struct stat there;
	int flags = fcntl(output->descriptor, F_GETFL);

	output->kind = OUTPUT_DESCRIPTOR;
	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		errno = EBADF;
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(output->descriptor, &there) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot write: %s", output->name, strerror(errno));
	if (output->terms.ciphertext && isatty(output->descriptor))
		return fail(GPUCRYPT_USAGE, "%s: is a terminal: ciphertext is not written to it", output->name);
	return output_refuse_same(output, &there, output->name);
}

/* Is this an entry of another user in a folder where everybody can create entries? Its owner would receive the output.
 * Linux rejects the same case with fs.protected_fifos. */
static bool is_planted(const char *name)
{
	struct stat entry, above;
	char *folder = folder_name(name);
	bool planted = lstat(name, &entry) == 0 && stat(folder, &above) == 0 && (above.st_mode & S_ISVTX) &&
	               (above.st_mode & S_IWOTH) && entry.st_uid != geteuid();

	free(folder);
	return planted;
}

/* Choose an existing output that is not a regular file. */
static int choose_special(struct output *output, const struct stat *there)
{
	output->kind = OUTPUT_SPECIAL;
	if (S_ISDIR(there->st_mode))
		return fail(GPUCRYPT_IO, "%s: cannot write: %s", output->name, strerror(EISDIR));
	if (!output->terms.force && is_planted(output->name))
		return fail(GPUCRYPT_EXISTS,
		        "%s: not written: it is another user's, who could read the output, in a "
		        "world-writable directory: choose another name, or give -f",
		        output->name);
	if (S_ISBLK(there->st_mode) && !output->terms.force)
		return fail(GPUCRYPT_EXISTS, "%s: is a block device: not overwritten without -f", output->name);
	return GPUCRYPT_OK;
}

int output_choose(struct output *output, const char *name, const struct output_terms *terms)
{
	struct stat there;
	bool standard = !strcmp(name, "-");
	int status;

	*output = OUTPUT_NONE;
	output->name = standard ? "standard output" : name;
	output->terms = *terms;
	output->mode = finished_mode(terms);
	output->base = folder_base(name);
	snprintf(output->part, sizeof output->part, "%.*s.part", NAME_MAX, output->base);
	output->descriptor = standard ? STDOUT_FILENO : folder_descriptor(name);
	if (output->descriptor >= 0)
		return choose_descriptor(output);
	if (stat(name, &there) == 0) {
		if ((status = output_refuse_same(output, &there, name)) != GPUCRYPT_OK)
			return status;
		if (!S_ISREG(there.st_mode) && !(terms->tree && S_ISDIR(there.st_mode)))
			return choose_special(output, &there);
	}
	if (terms->tree)
		output->kind = OUTPUT_TREE;
	if (terms->merge && terms->tree && lstat(name, &there) == 0) {
		output->merges = true;
		output->folder_fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		return output->folder_fd < 0 ? fail_errno(name, "cannot merge into this file") : GPUCRYPT_OK;
	}
	if (lstat(name, &there) == 0)
		return terms->force || (terms->named_twice && output_named_twice(name))
		               ? GPUCRYPT_OK
		               : fail(GPUCRYPT_EXISTS, "%s: exists: not overwritten without -f", name);
	if (errno != ENOENT || !*output->base)
		return fail(GPUCRYPT_IO, "%s: cannot write: %s", name, strerror(errno));
	return GPUCRYPT_OK;
}

char *output_trim_name(char *name)
{
	for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
		name[n - 1] = '\0';
	return name;
}

size_t output_name_stem(const char *name)
{
	size_t length = strlen(folder_base(name)), suffix = strlen(CONTAINER_SUFFIX);

	if (length <= suffix || strcmp(name + strlen(name) - suffix, CONTAINER_SUFFIX) != 0)
		return 0;
	return strlen(name) - suffix;
}

/* Trailing slashes of a directory's name do not count. */
static int name_container(char **name, const char *operand)
{
	char *trimmed = output_trim_name(memory_or_exit(strdup(operand)));
	const char *base = folder_base(trimmed);
	bool named = *base && strcmp(base, ".") != 0 && strcmp(base, "..") != 0;

	if (named)
		*name = format_or_exit("%s" CONTAINER_SUFFIX, trimmed);
	free(trimmed);
	return named ? GPUCRYPT_OK
	             : fail(GPUCRYPT_USAGE, "%s: is no name to add %s to: -o OUT is needed", operand, CONTAINER_SUFFIX);
}

static int name_content(char **name, const char *operand)
{
	size_t stem = output_name_stem(operand);

	if (!stem)
		return fail(
		        GPUCRYPT_USAGE, "%s: its name does not end in %s: -o OUT is needed", operand, CONTAINER_SUFFIX);
	*name = memory_or_exit(strndup(operand, stem));
	return GPUCRYPT_OK;
}

int output_name(char **name, const char *operand, enum direction direction, const struct options *options)
{
	char *beside;
	int status;

	*name = NULL;
	if (options->output || !strcmp(operand, "-")) {
		*name = memory_or_exit(strdup(options->output ? options->output : "-"));
		return GPUCRYPT_OK;
	}
	if (options->parsed.raw)
		return fail(GPUCRYPT_USAGE, "%s: --raw needs -o OUT", operand);
	status = direction == ENCRYPT ? name_container(name, operand) : name_content(name, operand);
	if (status == GPUCRYPT_OK && options->output_folder) {
		beside = *name;
		*name = format_or_exit("%s/%s", options->output_folder, folder_base(beside));
		free(beside);
	}
	return status;
}

/* Mode, owner, group and time of a finished file.  File systems such as FAT, CIFS and FUSE may have none of these. */

#define MODE (S_ISUID | S_ISGID | S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO)

struct refused {
	char names[64]; /* of attributes: "mode, modification time" */
	int error;      /* of the last one */
};

bool output_refuses(int error)
{
	return error == EPERM || error == EACCES || error == EOPNOTSUPP || error == ENOSYS;
}

/* Note an attribute that the target refuses.  Returns a failure for any other error. */
static int judge_attribute(struct refused *refused, const struct output *output, bool done, const char *attribute)
{
	size_t n = strlen(refused->names);

	if (done)
		return GPUCRYPT_OK;
	if (!output_refuses(errno))
		return fail(GPUCRYPT_IO, "%s: cannot set its %s: %s", output->name, attribute, strerror(errno));
	refused->error = errno;
	snprintf(refused->names + n, sizeof refused->names - n, "%s%s", n > 0 ? ", " : "", attribute);
	return GPUCRYPT_OK;
}

/* Without this, the owner of a file that the superuser replaces would lose the file. */
static int set_owner(const struct output *output, const struct stat *here)
{
	const struct stat *input = output->terms.input;

	return !output->terms.replaces_input || here->st_uid == input->st_uid ||
	                       fchown(output->fd, input->st_uid, (gid_t)-1) == 0
	               ? GPUCRYPT_OK
	               : fail_errno(output->name, "cannot give it its owner");
}

static bool remove_list(int fd)
{
	return fremovexattr(fd, ACCESS_LIST) == 0 || errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS;
}

/* Set the input's group; if that is not possible, give group and others only the rights that both had.  Remove an
 * access control list that the file inherited from its folder. */
static int set_mode(const struct output *output, struct refused *refused)
{
	const struct stat *input = output->terms.standard_input ? NULL : output->terms.input;
	mode_t mode = output->mode;
	struct stat here;
	int status;

	if (fstat(output->fd, &here) != 0)
		return fail_errno(output->name, "cannot examine");
	status = input ? set_owner(output, &here) : GPUCRYPT_OK;
	if (input && mode & (S_IRWXG | S_IRWXO) && here.st_gid != input->st_gid &&
	        fchown(output->fd, (uid_t)-1, input->st_gid) != 0)
		mode &= S_IRWXU | ((mode & S_IRWXO) << 3) | ((mode & S_IRWXG) >> 3);
	return status
	        ?: judge_attribute(refused, output, remove_list(output->fd), "access control list")
	        ?: judge_attribute(refused, output, (here.st_mode & MODE) == mode || fchmod(output->fd, mode) == 0,
	                   "mode");
}

/* Set the time that the input had when it was opened: an input that changed since is then newer than the output. */
static int set_time(const struct output *output, struct refused *refused)
{
	const struct output_terms *terms = &output->terms;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	if (!terms->keeps_time || terms->standard_input || !S_ISREG(terms->input->st_mode))
		return GPUCRYPT_OK;
	times[1] = terms->input->st_mtim;
	return judge_attribute(refused, output, futimens(output->fd, times) == 0, "modification time");
}

/* Some targets ignore modes and report no error. */
static int look_at_mode(struct output *output)
{
	struct stat here;

	if (output->terms.ciphertext)
		return GPUCRYPT_OK;
	if (fstat(output->fd, &here) != 0)
		return fail_errno(output->name, "cannot examine");
	output->exposed = (here.st_mode & (S_IRWXG | S_IRWXO)) != 0;
	return GPUCRYPT_OK;
}

int output_set_attributes(struct output *output)
{
	struct refused refused = { "", 0 };
	int status = set_mode(output, &refused) ?: set_time(output, &refused) ?: look_at_mode(output);

	if (status == GPUCRYPT_OK && refused.error != 0 && !output->terms.quiet)
		message_warning(output->name, "cannot set its %s: %s", refused.names, strerror(refused.error));
	return status;
}

int output_result(const struct output *output)
{
	return !output->exposed
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_IO, "%s: others may read this file: its file system cannot make it private",
	                         output->name);
}
