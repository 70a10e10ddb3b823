/* gcrypt: run a subcommand; its status is the exit code. */
#include "cli/run_command.h"
#include "command/message.h"

int main(int argc, char **argv)
{
	program_start();
	return program_end(message_end(run_command(argc, argv)));
}
