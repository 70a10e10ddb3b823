/*
 * Description of a program's command line: subcommands, options, and rules for options that are given together. Both
 * programs, gcrypt and ppf, have these tables, which drive parsing, --help, messages and completion.
 */
#ifndef COMMAND_PROGRAM_H
#define COMMAND_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_OPTION_ROWS 128

/* Values of a subcommand's options: each program has its own struct, which begins with a struct parsed. */
struct options;
struct option_type;

/* A key slot, and a member of a shared one, counted from 1; 0: none is named. */
struct slot_name {
	unsigned slot, member;
};

/* An option; or a heading of --help for the rows behind it: type_heading or type_rare_heading, whose rows only
 * --help=all shows, and `help`. */
struct option_row {
	const char *name;     /* NULL: there is only a letter */
	char letter;          /* 0: there is only a name */
	const char *argument; /* its name in the help text */
	const struct option_type *type;
	unsigned native, raw; /* bits of the subcommands that take it: without --raw, with --raw */
	size_t offset;        /* of its field in struct options */
	uint64_t least, most; /* of a number; most: of a list's length, and of hexadecimal digits in bytes */
	const char *help;
	const char *words; /* values to complete, separated by blanks; of type_word these are all values */
};

enum option_rule_kind {
	RULE_EXCLUDES, /* none of the others may be given */
	RULE_NEEDS,    /* at least one of the other options must be given */
	RULE_REFUSES   /* as RULE_EXCLUDES; `why` is the whole message */
};

/* A rule holds for a command where all options in `given` are given; "": always.  Names are separated by blanks; in
 * `others`, NAME=VALUE is an option that has this value. */
struct option_rule {
	unsigned native, raw; /* bits of the subcommands, as of a row */
	const char *given;
	enum option_rule_kind kind;
	const char *others;
	const char *why; /* for the message; NULL: nothing to add */
};

/* An action, chosen by the first operand of a subcommand. */
struct action {
	const char *name; /* NULL: the end */
	unsigned bit;
	unsigned max_operands;
	int (*run)(const struct options *options);
};

struct command {
	const char *name;
	unsigned bits;                /* in the option table; of a subcommand with actions, the bits of all */
	const char *operands;         /* for the usage text */
	const struct action *actions; /* NULL: none */
	unsigned min_operands, max_operands;
	int (*run)(const struct options *options); /* returns a gpucrypt_status; with actions NULL */
	const char *summary;
	const char *examples; /* lines for --help; "": none */
};

/* Commands and options of other programs, separated by blanks, and what a message says about them. */
struct hint {
	const char *words, *text;
};

struct program {
	const char *name;
	/* Each array ends with a zeroed element. */
	const struct command *commands;
	const struct option_row *rows;
	const struct option_rule *rules;
	unsigned members; /* bits of the subcommands that take PATHs after an operand and -- */
	const struct hint *hints;
	const char *statuses; /* the exit statuses for --help */
};

#define FOR_EACH_COMMAND(c) for (const struct command *c = program.commands; c->name; c++)
#define FOR_EACH_ROW(row)   for (const struct option_row *row = program.rows; row->type; row++)
#define FOR_EACH_RULE(rule) for (const struct option_rule *rule = program.rules; rule->given; rule++)

/* The tables of this program. */
extern const struct program program;

/* The result of parsing besides the values of options. */
struct parsed {
	const struct command *command;
	const struct action *action; /* NULL: the subcommand has none */
	char **operands;             /* the front of argv; not owned */
	unsigned n_operands;
	char **members; /* the end of argv; not owned */
	unsigned n_members;
	bool raw;
	const char *help;            /* "", or the value of --help=all; NULL: not given */
	bool given[MAX_OPTION_ROWS]; /* by row; not set by --no-NAME */
};

/* Find the subcommand that argv[1] names; `help COMMAND` becomes `COMMAND --help`.  *command is NULL where nothing is
 * left to do: the usage text or the version was printed.  GPUCRYPT_USAGE with a message, or without one where there is
 * no word. */
int command_find(const struct command **command, int argc, char **argv);

/* Parse the arguments after the subcommand's name into *options, which holds the defaults; operands are moved to the
 * front of argv, and secrets are overwritten in it.  GPUCRYPT_USAGE with a message. */
int options_parse(struct options *options, const struct command *command, int argc, char **argv);

/* Run the subcommand, or print its help. */
int command_run(const struct command *command, const struct options *options);

/* Was this option, by its long name, on the command line? */
bool option_given(const struct options *options, const char *name);

/* Of both programs and of the library's package. */
#define VERSION "0.2"

#endif
