/* A program with the options of gcrypt, which handles secrets. */
#ifndef CLI_RUN_COMMAND_H
#define CLI_RUN_COMMAND_H

/* Open standard descriptors that are closed, keep memory out of core files and from other processes, prepare libraries,
 * and install the signal handlers.  In the process that tries drivers (gpucrypt/device/device.h), this call tries the
 * drivers and does not return.  Call this before any other thread exists. */
void program_start(void);

/* Find and run the subcommand.  Returns its status. */
int run_command(int argc, char **argv);

/* The last call of a program, whose standard output is flushed: returns its status, or ends the process where a
 * driver's destructors might wait for a device that has failed. */
int program_end(int status);

#endif
