/* Block devices are opened exclusively. */
#ifndef EXCLUSIVE_H
#define EXCLUSIVE_H

/* open(2), which for a block device fails with EBUSY where it is mounted or another opened it so; and
 * until it is closed nobody can mount it. */
int open_exclusively(const char *name, int flags);

#endif
