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

#include "gpucrypt/crypto/names.h"

#define MAX_OPTION_ROWS   128
#define MAX_RAW_KEY_BYTES 64
#define MAX_TEXTS         128

/* Values of a subcommand's options: each program has its own struct, which begins with a struct parsed. */
struct options;
struct option_row;

/* --NAME, --no-NAME, or neither. */
enum yes_no { CHOICE_AUTO, CHOICE_YES, CHOICE_NO };

struct hex_bytes {
	uint8_t bytes[MAX_RAW_KEY_BYTES];
	size_t length;
};

/* Values of an option that may be repeated; ends with NULL. */
struct text_list {
	const char *texts[MAX_TEXTS + 1]; /* not owned */
	unsigned n;
};

struct shard {
	unsigned index, count;
};

/* Whether keys are shown (`info --show-keys[=G]`), and of which group. */
struct group_choice {
	bool chosen;
	uint64_t group; /* UINT64_MAX: all */
};

/* A key slot, and a member of a shared one, counted from 1; 0: none is named. */
struct slot_name {
	unsigned slot, member;
};

/* How an option's field names key files: not at all, as a path, as a struct text_list of paths, or as a secret source.
 * */
enum key_file_kind { KEY_FILE_NONE, KEY_FILE_NAME, KEY_FILE_LIST, KEY_FILE_SOURCE };

/* Syntax and storage of an option's value. */
struct option_type {
	bool optional; /* the value may be left out, and is given only as --NAME=VALUE */
	bool negation; /* --no-NAME exists */
	bool once;     /* the option may be given only once */
	bool secret;   /* names a secret; given once, or: */
	bool repeated; /* several times, and all count */
	bool units;    /* a number of bytes: K, M, G or T may follow */
	bool power;    /* a power of 2 */
	bool wide;     /* the field is a uint64_t, not an unsigned */
	bool destroys; /* data may be lost: never proposed for a misspelled option */
	/* Stored if a number is left out, "auto" or 0; added to other numbers. */
	unsigned omitted, automatic, zero, more;
	/* text: the value, NULL if it was left out; for what has no value, NULL means --no-NAME */
	int (*store)(const struct option_row *row, void *field, char *text);
	enum key_file_kind files;
	const struct value_names *names; /* of an enum; else NULL */
};

extern const struct option_type type_flag, type_risky_flag, type_choice, type_text, type_word, type_passphrase,
        type_key_file, type_number, type_power, type_device, type_count, type_bytes, type_key_hex, type_iv_hex,
        type_group, type_label, type_shard, type_level, type_recheck, type_list, type_key_list, type_identities,
        type_slot, type_slots, type_kdf_cost, type_cipher, type_mode, type_engine, type_table, type_table_space,
        type_key_space, type_preprocessor, type_help, type_heading, type_rare_heading;

/* An option, or a heading of the help (only `type` and `help` are set): type_heading, or type_rare_heading, the options
 * below which only --help=all prints. */
struct option_row {
	const char *name;     /* NULL: there is only a letter */
	char letter;          /* 0: there is only a name */
	const char *argument; /* the name of its value in the help text; NULL: it has no value */
	const struct option_type *type;
	unsigned native, raw; /* bits of the subcommands that take it: without --raw, with --raw */
	size_t offset;        /* of its field in struct options */
	uint64_t least, most; /* of a number; most: of a list's length, and of hexadecimal digits in bytes */
	const char *help;
	const char *words; /* values to complete, separated by blanks; of type_word these are all values */
};

static inline unsigned option_row_bits(const struct option_row *row)
{
	return row->native | row->raw;
}

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
	const char *examples; /* lines for --help, each with a newline; "": none */
};

/* Hint for the user of another program: its commands and options, separated by blanks, and the text of a message. */
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
	bool once;            /* no option with a value may be given twice, unless all its values count */
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

/* Find the subcommand that argv[1] names; `help COMMAND` becomes `COMMAND --help`.  *command NULL: the usage text or
 * the version was printed, and nothing is left to do.  GPUCRYPT_USAGE: an unknown command, with a message, or no
 * command, with the usage text. */
int command_find(const struct command **command, int argc, char **argv);

/* Parse the arguments after the subcommand's name into *options, which holds the defaults; operands are moved to the
 * front of argv, and secrets are overwritten in it.  GPUCRYPT_USAGE with a message. */
int options_parse(struct options *options, const struct command *command, int argc, char **argv);

/* Check one rule.  name: of an input that the rule is for, which begins the message: `why` then names the input's kind
 * (RULE_EXCLUDES), or is the rest of the message; NULL: the rule is for all. */
int option_rule_check(const struct option_rule *rule, const struct parsed *parsed, const char *name);

/* Run the subcommand, or print its help. */
int command_run(const struct command *command, const struct options *options);

/* Was this option, by its long name, on the command line? */
bool option_given(const struct options *options, const char *name);

/* nearest.c: the proposal for a mistyped word in a message. */

/* Number of insertions, deletions and replacements of one character, and exchanges of two neighbouring characters, that
 * turn one word into the other (optimal string alignment). */
unsigned edit_distance(const char *a, const char *b);

/* The words tried so far; starts as all zero. */
struct nearest {
	char word[48]; /* the closest word; "": no word is close enough to propose */
	unsigned distance;
	char list[192]; /* all words tried: "a, b, c" */
	char hint[160];
};

/* At most a third of the letters may differ, and not the first ("gpu" does not mean "cpu"); a word that given is the
 * beginning of is closest. */
void nearest_try(struct nearest *nearest, const char *given, const char *word);

/* Is the word in program.hints?  Then nearest_hint() returns the hint's text. */
bool nearest_know(struct nearest *nearest, const char *word);

/* ": " and the text of a hint, else ": nearest is PREFIXWORD" or ""; valid as long as *nearest. */
const char *nearest_hint(struct nearest *nearest, const char *prefix);

/* Of both programs and of the library's package. */
#define VERSION "0.2"

#endif
