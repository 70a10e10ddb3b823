#include "cli/files/exclusive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/status.h"

/* O_EXCL without O_CREAT means nothing for other files. */
int open_exclusively(const char *name, int flags)
{
	struct stat there;

	return open(name, stat(name, &there) == 0 && S_ISBLK(there.st_mode) ? flags | O_EXCL : flags);
}

static bool lock_named(int fd, int how, int folder_fd, const char *name)
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

bool lock_exclusively(int fd, int folder_fd, const char *name)
{
	return lock_named(fd, LOCK_EX, folder_fd, name);
}

bool lock_shared(int fd, int folder_fd, const char *name)
{
	return lock_named(fd, LOCK_SH, folder_fd, name);
}

int fail_locked(const char *name)
{
	return fail(GPUCRYPT_IO, "%s: cannot be locked: %s", name,
	        errno == EWOULDBLOCK ? "it is being re-encrypted, or its key slots are being changed"
	                             : strerror(errno));
}

/* Network file systems pass these locks on to the server. */
static bool set_lock(int fd, short type, uint64_t from, uint64_t n_bytes)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)from, .l_len = (off_t)n_bytes };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool lock_bytes(int fd, uint64_t from, uint64_t n_bytes)
{
	return set_lock(fd, F_WRLCK, from, n_bytes);
}

bool unlock_bytes(int fd, uint64_t from, uint64_t n_bytes)
{
	return set_lock(fd, F_UNLCK, from, n_bytes);
}

bool lock_bytes_shared(int fd, uint64_t from, uint64_t n_bytes)
{
	return set_lock(fd, F_RDLCK, from, n_bytes);
}
