#include "cli/files/exclusive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/status.h"

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
