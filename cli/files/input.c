#include "cli/files/input.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "command/message.h"

#ifndef BLKGETDISKSEQ /* Linux 5.15 */
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

/* O_EXCL without O_CREAT means nothing for other files. */
int open_exclusively(const char *name, int flags)
{
	struct stat there;

	return open(name, stat(name, &there) == 0 && S_ISBLK(there.st_mode) ? flags | O_EXCL : flags);
}

bool lock_file(int fd, int how, int folder_fd, const char *name)
{
	struct stat opened, named;

	if (flock(fd, how | LOCK_NB) != 0)
		return false;
	if (fstat(fd, &opened) == 0 && fstatat(folder_fd, name, &named, 0) == 0 && opened.st_dev == named.st_dev &&
	        opened.st_ino == named.st_ino)
		return true;
	errno = ESTALE;
	return false;
}

int fail_locked(const char *name)
{
	return fail(GPUCRYPT_IO, "%s: cannot be locked: %s", name,
	        errno == EWOULDBLOCK ? "it is being re-encrypted, or its key slots are being changed"
	                             : strerror(errno));
}

bool lock_bytes(int fd, short type, uint64_t from, uint64_t n_bytes)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)from, .l_len = (off_t)n_bytes };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* A device that others write to may be read: reading may be the only way to save its content. */
static int open_named(const char *name)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
	int fd = open_exclusively(name, flags);

	if (fd >= 0 || errno != EBUSY)
		return fd;
	fd = open(name, flags);
	if (fd >= 0)
		message_warning(name, "is mounted or in use: it may change while it is read");
	return fd;
}

bool same_storage(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode))
		return a->st_rdev == b->st_rdev;
	return S_ISREG(a->st_mode) && S_ISREG(b->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool same_version(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && same_time(&a->st_mtim, &b->st_mtim) && same_time(&a->st_ctim, &b->st_ctim);
}

static uint64_t medium_number(int fd)
{
	uint64_t number = 0;

	return ioctl(fd, BLKGETDISKSEQ, &number) == 0 ? number : 0;
}

bool input_changed(const struct input *input)
{
	const struct stat *then = &input->stat;
	struct stat now;

	if (!S_ISREG(then->st_mode) && !S_ISBLK(then->st_mode))
		return false;
	if (fstat(input->source.fd, &now) != 0)
		return true;
	/* The change time of a device is that of its node, not of its content. */
	return S_ISREG(then->st_mode)
	               ? !same_version(&now, then)
	               : !same_time(&now.st_mtim, &then->st_mtim) || medium_number(input->source.fd) != input->medium;
}

int input_open_any(struct input *input, const char *name)
{
	int fd;

	*input = (struct input){ .source.fd = -1, .name = name };
	input->standard = !strcmp(name, "-");
	if (input->standard)
		input->name = "standard input";
	fd = input->standard ? STDIN_FILENO : open_named(name);
	if (fd < 0)
		return fail_errno(name, "cannot open");
	input->source.fd = fd;
	if (fstat(fd, &input->stat) != 0)
		return fail_errno(input->name, "cannot read");
	if (S_ISBLK(input->stat.st_mode))
		input->medium = medium_number(fd);
	input->tree = S_ISDIR(input->stat.st_mode);
	if (!input->tree) {
		int status = source_open(&input->source, fd, input->name);

		input->source.skips_holes = true;
		return status;
	}
	input->source.name = input->name;
	input->source.size_bytes = UINT64_MAX;
	return GPUCRYPT_OK;
}

int input_open(struct input *input, const char *name)
{
	int status = input_open_any(input, name);

	if (status == GPUCRYPT_OK && input->tree)
		return fail(GPUCRYPT_USAGE, "%s: is a directory: gcrypt enc takes those", input->name);
	return status;
}

void input_close(struct input *input)
{
	if (input->source.fd >= 0 && !input->standard)
		close(input->source.fd);
	input->source.fd = -1;
}
