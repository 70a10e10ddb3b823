/* The command line of a program with the options of gcrypt: find and run the subcommand.  Returns its status. */
#ifndef CLI_RUN_COMMAND_H
#define CLI_RUN_COMMAND_H

int run_command(int argc, char **argv);

#endif
