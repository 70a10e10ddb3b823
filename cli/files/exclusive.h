/* Files and block devices that nobody else is to have meanwhile. */
#ifndef EXCLUSIVE_H
#define EXCLUSIVE_H

#include <stdbool.h>

/* open(2), which for a block device fails with EBUSY where it is mounted or another opened it so; and
 * until it is closed nobody can mount it. */
int open_exclusively(const char *name, int flags);

/* Lock an open file against other runs that lock it, until it is closed.  False: errno says why,
 * EWOULDBLOCK while another has it, ESTALE if meanwhile the name is that of another file: who had the
 * lock may have put a new one in its place. */
bool lock_exclusively(int fd, int folder_fd, const char *name);

#endif
