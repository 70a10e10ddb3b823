#include "exclusive.h"

#include <fcntl.h>
#include <sys/stat.h>

/* O_EXCL without O_CREAT means nothing for other files. */
int open_exclusively(const char *name, int flags)
{
	struct stat there;

	return open(name, stat(name, &there) == 0 && S_ISBLK(there.st_mode) ? flags | O_EXCL : flags);
}
