/* Exclusive access to files and block devices. */
#ifndef EXCLUSIVE_H
#define EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

/* As open(2), with O_EXCL for block devices: fails with EBUSY if the device is mounted or another program has opened it
 * with O_EXCL. The device cannot be mounted until the descriptor is closed. */
int open_exclusively(const char *name, int flags);

/* Lock an open file against other runs that lock it, until it is closed.  False: errno says why,
 * EWOULDBLOCK while another has it, ESTALE if meanwhile the name is that of another file: who had the
 * lock may have put a new one in its place. */
bool lock_exclusively(int fd, int folder_fd, const char *name);

/* As lock_exclusively(), but shared: several descriptors can hold it. */
bool lock_shared(int fd, int folder_fd, const char *name);

/* After a failure of lock_exclusively() or lock_shared(), with its errno: set the error message, and return
 * GPUCRYPT_IO. */
int fail_locked(const char *name);

/* Lock bytes of an open file, with n_bytes 0 all from `from` on, against other descriptors, on other machines too,
 * until the descriptor is closed or the bytes are unlocked. */
bool lock_bytes(int fd, uint64_t from, uint64_t n_bytes);
bool unlock_bytes(int fd, uint64_t from, uint64_t n_bytes);

/* The same beside others that lock so; an own exclusive lock becomes a shared one. */
bool lock_bytes_shared(int fd, uint64_t from, uint64_t n_bytes);

#endif
