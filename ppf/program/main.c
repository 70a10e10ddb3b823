/* ppf: performance prediction for ciphers on GPUs; the status of a subcommand is the exit code. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/message.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"

#define STUDY "ppf-study" /* research/ contains ppf-study, which `make research` builds */

/* Replace this process by ppf-study beside the running program, else in PATH.  argv[1] is its first argument, and
 * argv[0] is overwritten.  Returns only on failure. */
static int study_execute(char **argv)
{
	static char name[] = STUDY;
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof STUDY);
	char *folder_end = n < 0 ? NULL : memrchr(path, '/', (size_t)n);

	argv[0] = name;
	if (folder_end) {
		strcpy(folder_end + 1, STUDY);
		execv(path, argv);
	}
	execvp(STUDY, argv);
	return fail(GPUCRYPT_UNKNOWN, STUDY ": cannot be run: %s (`make research` in gcrypt's sources builds it)",
	        strerror(errno));
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct options options = { .json = false };
	int status;

	icd_environment();
	probe_main();
	status = command_find(&command, argc, argv);
	if (command && !command->run)
		return message_end(study_execute(argv + 1));
	if (command)
		status = options_parse(&options, command, argc - 2, argv + 2);
	if (command && status == GPUCRYPT_OK)
		status = command_run(command, &options);
	if (status == GPUCRYPT_OK)
		message_left_out();
	status = message_end(status);
	if (devices_failed())
		_exit(status); /* destructors of a driver may wait for the device */
	return status;
}
