/* Types of option values, for both programs. */
#ifndef COMMAND_OPTION_TABLE_H
#define COMMAND_OPTION_TABLE_H

#include "command/program.h"
#include "gpucrypt/crypto/names.h"

#define MAX_RAW_KEY_BYTES 64
#define MAX_TEXTS         128

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

/* How an option's field names key files: not at all, as a path, as a struct text_list of paths, or as a secret source.
 * */
enum key_file_kind { KEY_FILE_NONE, KEY_FILE_NAME, KEY_FILE_LIST, KEY_FILE_SOURCE };

/* Syntax and storage of an option's value. */
struct option_type {
	bool argument; /* has a value */
	bool optional; /* … which may be left out, and is given only as --NAME=VALUE */
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

static inline unsigned option_row_bits(const struct option_row *row)
{
	return row->native | row->raw;
}

/* Check that the command takes the given options, and program.rules.  GPUCRYPT_USAGE with a message on a conflict. */
int options_check(const struct parsed *parsed);

/* Check one rule.  name: of an input that the rule is for, which begins the message: `why` then names the input's kind
 * (RULE_EXCLUDES), or is the rest of the message; NULL: the rule is for all. */
int option_rule_check(const struct option_rule *rule, const struct parsed *parsed, const char *name);

#endif
