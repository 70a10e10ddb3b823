/*
 * Options: one table (options.c) says each option's name, letter, argument, help text, subcommands,
 * type and where its value goes.  It drives parsing, --help and the messages.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpucrypt/container/raw.h"

#define MAX_RAW_KEY_BYTES 64
#define MAX_OPTION_ROWS   128
#define MAX_RECIPIENTS    8 /* as many as a header has key slots */

struct command;

/* --NAME, --no-NAME, or neither. */
enum yes_no { CHOICE_AUTO, CHOICE_YES, CHOICE_NO };

struct hex_bytes {
	uint8_t bytes[MAX_RAW_KEY_BYTES];
	size_t length;
};

struct shard {
	unsigned index, count;
};

/* Whether keys are shown (`info --show-keys[=G]`), and of which group. */
struct group_choice {
	bool chosen;
	uint64_t group; /* UINT64_MAX: all */
};

/* Of an option that may be given several times. */
struct text_list {
	const char *texts[MAX_RECIPIENTS]; /* not owned */
	unsigned n;
};

struct options {
	struct gpucrypt_plan plan;
	enum gpucrypt_cipher allow; /* a cipher that "auto" may choose too */
	const char *output;
	const char *output_folder;
	unsigned zstd_level; /* 0: not compressed */
	bool devices, same_permissions;
	bool force, remove_source, quiet, verbose, json, dry_run, help;
	enum yes_no progress;
	const char *passphrase; /* where it comes from: env:VAR, file:PATH, fd:N, cmd:COMMAND */
	const char *key_file;
	bool salvage;
	struct text_list identities;               /* PEM files of private keys */
	struct text_list recipients;               /* PEM files of public keys */
	unsigned kdf_cost;                         /* log2 N of scrypt, or KDF_AUTO; 0: the default */
	uint64_t max_kdf_bytes;                    /* 0: the default */
	const char *new_passphrase, *new_key_file; /* as without new_ */
	struct text_list new_recipients;
	unsigned slot;
	unsigned drop_slots; /* 1 << number of each */
	bool x25519, verify_first;
	bool detached, resume, in_place;
	const char *image; /* of a detached container */
	bool raw;
	struct hex_bytes key_hex, iv_hex; /* wiped by options_wipe() */
	struct raw_options raw_options;   /* key and IV are filled in by raw_mode.c */
	struct group_choice show_keys;
	uint64_t size_bytes; /* 0: not given */
	bool explain, measure, end_to_end;
	const char *plot;
	const char *from;  /* JSON of an earlier run */
	const char *files; /* a folder */
	bool all;
	struct shard shard;
	char **operands; /* the front of argv; not owned */
	unsigned n_operands;
	bool given[MAX_OPTION_ROWS]; /* by row of the table */
};

/* Parse the arguments after the subcommand's name.  Operands are moved to the front of argv, and
 * secrets are overwritten in it.  GPUCRYPT_USAGE with a message. */
int options_parse(struct options *options, const struct command *command, int argc, char **argv);

/* Was this option (by its long name) on the command line? */
bool option_given(const struct options *options, const char *name);

/* Those given that the CPU engine does not use: "--copies, --work-items"; "" if there is none. */
void options_for_kernels(const struct options *options, char *text, size_t n);

/* `gcrypt COMMAND --help`. */
void options_help(FILE *stream, const struct command *command);

void options_wipe(struct options *options);

#endif
