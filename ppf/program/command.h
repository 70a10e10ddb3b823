/* The subcommands of ppf: a row each in main.c's table, a source file each. */
#ifndef COMMAND_H
#define COMMAND_H

struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0]: its name; returns a gpucrypt_status */
	const char *summary;
};

int cmd_analyze(int argc, char **argv);
int cmd_measure(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_study(int argc, char **argv);
int cmd_profiles(int argc, char **argv);

#endif
