/* ppf: performance prediction for ciphers on GPUs; the status of a subcommand is the exit code. */
#include <unistd.h>

#include "command/message.h"
#include "gpucrypt/device/icd.h"
#include "gpucrypt/device/probe.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"

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
