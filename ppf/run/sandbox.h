/* The rights of the function's program on the host, by libseccomp. */
#ifndef PPF_RUN_SANDBOX_H
#define PPF_RUN_SANDBOX_H

#include <stdbool.h>

/* Before a process is started for the program.  GPUCRYPT_UNKNOWN: without libseccomp nothing is run. */
int sandbox_load(const char *needed_by);

/*
 * Give up all system calls of this process but read, write and exit.  One execveat() stays allowed: of the program's
 * own descriptor, which this call closes, with the empty path at this address.  The program does not know the address;
 * with another path it could run any other program.  false: this system has no filters.
 */
bool sandbox_enter(int program, const char *path);

#endif
