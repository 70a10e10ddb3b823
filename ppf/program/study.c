/* ppf study: the program ppf-study (research/), which `make research` builds. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/program/options.h"

#define NAME "ppf-study"

int study_execute(char **argv)
{
	static char name[] = NAME;
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof NAME);
	char *folder_end = n < 0 ? NULL : memrchr(path, '/', (size_t)n);

	argv[0] = name;
	if (folder_end) {
		strcpy(folder_end + 1, NAME);
		execv(path, argv);
	}
	execvp(NAME, argv);
	return fail(GPUCRYPT_UNKNOWN, NAME ": cannot be run: %s (`make research` in gcrypt's sources builds it)",
	        strerror(errno));
}
