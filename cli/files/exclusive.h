/* Exclusive access to files and block devices. */
#ifndef EXCLUSIVE_H
#define EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>

/* As open(2), with O_EXCL for block devices: fails with EBUSY if the device is mounted or another program has opened it
 * with O_EXCL. The device cannot be mounted until the descriptor is closed. */
int open_exclusively(const char *name, int flags);

/* Lock an open file until it is closed: how is LOCK_EX, against other runs that lock it, or LOCK_SH, which several can
 * hold.  False: errno says why, EWOULDBLOCK while another has it, ESTALE if meanwhile the name is that of another file:
 * who had the lock may have put a new one in its place. */
bool lock_file(int fd, int how, int folder_fd, const char *name);

/* After a failure of lock_file(), with its errno: set the error message, and return GPUCRYPT_IO. */
int fail_locked(const char *name);

/* Lock bytes of an open file, with n_bytes 0 all from `from` on, until the descriptor is closed or they are unlocked:
 * type is F_WRLCK, against other descriptors, on other machines too, as network file systems pass these locks on;
 * F_RDLCK, beside others that lock so, also in place of an own F_WRLCK; or F_UNLCK. */
bool lock_bytes(int fd, short type, uint64_t from, uint64_t n_bytes);

#endif
