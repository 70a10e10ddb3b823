#include "cli/files/leftovers.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "command/text.h"
#include "command/message.h"
#include "gpucrypt/clock.h"

#define DIGIT  "[0123456789abcdef]"
#define DIGITS DIGIT DIGIT DIGIT DIGIT

/* A younger entry may belong to a run that has not locked it yet. */
#define LEAST_AGE_SECONDS 0.1

/* Remote file systems lock only files that are open for writing, but the final mode of a file may forbid to write.  The
 * run that makes an entry holds a lock on the entry until the entry has its final name. */
static int lock_entry(const struct leftover *leftover)
{
	const struct stat *there = &leftover->stat;
	int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, fd = -1;
	double changed = (double)there->st_ctim.tv_sec + 1e-9 * (double)there->st_ctim.tv_nsec;

	if (clock_seconds(CLOCK_REALTIME) - changed <= LEAST_AGE_SECONDS)
		return -1;
	if (S_ISREG(there->st_mode))
		fd = openat(leftover->folder_fd, leftover->name, O_RDWR | flags);
	if (fd < 0)
		fd = openat(leftover->folder_fd, leftover->name, O_RDONLY | flags);
	if (fd >= 0 && lock_file(fd, LOCK_EX, leftover->folder_fd, leftover->name))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void describe(struct leftover *leftover)
{
	char amount[16] = "a folder", when[32] = "";
	struct tm local;

	if (!S_ISDIR(leftover->stat.st_mode))
		amount_text(amount, 512.0 * (double)leftover->stat.st_blocks);
	if (localtime_r(&leftover->stat.st_ctim.tv_sec, &local) != NULL)
		strftime(when, sizeof when, "%F %H:%M", &local);
	snprintf(leftover->text, sizeof leftover->text, "%s, last changed %s", amount, when);
}

bool leftover_next(struct leftover *leftover, struct walk *walk)
{
	struct stat *there = &leftover->stat;

	while ((leftover->name = walk_next(walk, &leftover->folder_fd)) != NULL) {
		leftover->part = fnmatch("?*.gcr.part", leftover->name, 0) == 0;
		if ((!leftover->part &&
		            fnmatch(".gcrypt-" DIGITS DIGITS DIGITS DIGITS ".part", leftover->name, 0) != 0) ||
		        fstatat(leftover->folder_fd, leftover->name, there, AT_SYMLINK_NOFOLLOW) != 0 ||
		        !(S_ISREG(there->st_mode) || S_ISDIR(there->st_mode)) || there->st_uid != geteuid())
			continue;
		leftover->lock = leftover->part ? -1 : lock_entry(leftover);
		describe(leftover);
		return true;
	}
	return false;
}

void leftover_release(struct leftover *leftover)
{
	if (leftover->lock >= 0)
		close(leftover->lock);
}

bool leftovers_warn(int folder_fd, const char *folder)
{
	struct walk walk = { 0 };
	struct leftover leftover = { .lock = -1 };

	if (walk_enter(&walk, fcntl(folder_fd, F_DUPFD_CLOEXEC, 3)))
		while (leftover.lock < 0 && leftover_next(&leftover, &walk))
			;
	if (leftover.lock >= 0)
		message_warning(folder, "contains %s, left by a killed run (%s): see gcrypt clean %s", leftover.name,
		        leftover.text, folder);
	leftover_release(&leftover);
	walk_close(&walk);
	return leftover.lock >= 0;
}
