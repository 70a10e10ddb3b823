/*
 * System calls of Linux that not every C library declares: glibc has all of them since 2.30, musl statx() since 1.2.5
 * and renameat2() since 1.2.6; it calls getdents64() getdents().  They return -1 with errno, as the C library's do.
 */
#ifndef GPUCRYPT_SYSTEM_CALLS_H
#define GPUCRYPT_SYSTEM_CALLS_H

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef STATX_BTIME
#include <linux/stat.h>

static inline int statx(int folder, const char *name, int flags, unsigned mask, struct statx *status)
{
	return (int)syscall(SYS_statx, folder, name, flags, mask, status);
}
#endif

#ifndef RENAME_NOREPLACE
#include <linux/fs.h>

static inline int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
#endif

#ifndef __GLIBC__
#undef dirent64
#undef getdents64
#define dirent64 dirent

static inline ssize_t getdents64(int folder, void *entries, size_t n_bytes)
{
	return syscall(SYS_getdents64, folder, entries, n_bytes);
}
#endif

#endif
