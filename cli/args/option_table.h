/* The option table's shape, shared by the table with its parser and by the value types. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "cli/args/options.h"
#include "gpucrypt/crypto/names.h"

struct option_row;

/* How a field names files with keys: not at all, as a path, as a struct text_list of paths, as a secret source. */
enum key_file_kind { KEY_FILE_NONE, KEY_FILE_NAME, KEY_FILE_LIST, KEY_FILE_SOURCE };

/* What an option's value looks like and how it is stored. */
struct option_type {
	bool argument; /* takes one */
	bool optional; /* … which can be left out, and is given only as --NAME=VALUE */
	bool negation; /* --no-NAME exists */
	bool secret;   /* what it names is nobody else's to read; given once, or: */
	bool repeated; /* several times, and all count */
	/* text: the value, NULL if it was left out; for what takes none, NULL means --no-NAME */
	int (*store)(const struct option_row *row, void *field, char *text);
	enum key_file_kind files;        /* what names files with keys in the field */
	const struct value_names *names; /* a plan's value; else NULL */
};

struct option_row {
	const char *name;
	char letter;          /* 0: none */
	const char *argument; /* its name in the help text */
	const struct option_type *type;
	unsigned native, raw; /* subcommands that take it: without --raw, with --raw */
	size_t offset;        /* of its field in struct options */
	uint64_t least, most; /* of a number */
	const char *help;
};

extern const struct option_type type_flag, type_choice, type_text, type_passphrase, type_key_file, type_number,
        type_power, type_device, type_count, type_bytes, type_key_hex, type_iv_hex, type_group, type_shard, type_level,
        type_recheck, type_list, type_identities, type_slots, type_kdf_cost, type_cipher, type_mode, type_engine,
        type_table, type_table_space, type_key_space;
extern const struct option_row option_table[];
extern const unsigned n_option_rows;

#endif
