/* Mode, owner, group and time of a finished file.  File systems such as FAT, CIFS and FUSE may have none of these. */
#include "cli/files/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "command/message.h"
#include "gpucrypt/status.h"

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
