/* gcrypt: run a subcommand; its status is the exit code. */
#include "cli/run_command.h"
#include "cli/terminal/message.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/start.h"

int main(int argc, char **argv)
{
	int status;

	program_start();
	status = message_end(run_command(argc, argv));
	signals_expect_exit();
	return status;
}
