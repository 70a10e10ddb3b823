/* gcrypt's options, filled by the option table (option_table.c). */
#ifndef CLI_ARGS_OPTIONS_H
#define CLI_ARGS_OPTIONS_H

#include "command/program.h"
#include "gpucrypt/container/raw.h"

#define MAX_RECIPIENTS 144 /* as many as a header has room for */
#define MAX_IDENTITIES 128 /* private keys that are tried */

/* Secrets that open a container or will open a new one. The texts are not owned. */
struct secret_options {
	const char *passphrase; /* a secret source */
	const char *key_file;
	struct text_list identities;     /* PEM files of private keys */
	const char *identity_passphrase; /* the secret source for protected ones */
	struct text_list recipients;     /* PEM files of public keys */
	struct hex_bytes key_hex;        /* wiped by options_wipe() */
};

/* Kinds of input with rules of their own; bits: an input may be of several. */
enum { INPUT_TREE = 1, INPUT_COMPRESSED = 2, INPUT_DETACHED = 4, INPUT_VOLUME = 8, INPUT_NO_TREE = 16 };
struct input_rule {
	unsigned kinds;
	struct option_rule rule;
};

struct options {
	struct parsed parsed; /* first */
	struct gpucrypt_plan plan;
	enum gpucrypt_cipher allow; /* a cipher that "auto" may choose too */

	/* Secrets and key slots. */
	struct secret_options opening, added; /* added: by --new-… */
	unsigned kdf_cost;                    /* log2 N of scrypt, or KDF_AUTO; 0: the default */
	uint64_t max_kdf_bytes;               /* 0: the default */
	struct slot_name slot;
	const char *label;   /* of one key slot, or of a LUKS volume */
	bool skip_unusable;  /* recipients' keys */
	bool anonymous;      /* slots for public keys name no key */
	unsigned drop_slots; /* 1 << number of each */
	bool x25519, ml_kem;
	struct group_choice show_keys;

	/* Files, and how they are read and written. */
	const char *files_from;    /* name of the file that lists the inputs */
	bool null;                 /* names in files_from end with a zero byte */
	unsigned jobs;             /* files processed at a time; 0 means 1 */
	struct text_list manifest; /* names of manifests; enc takes one */
	bool prune;                /* drop the manifest's records of files that are not inputs */
	const char *changed;       /* name of the list of ranges that may have changed */
	const char *output, *output_folder;
	const char *image; /* of a detached container */
	bool force, remove_source;
	bool detached, in_place, resume, update, luks2;
	const char *luks2_header; /* a file of its own */
	const char *kdf, *uuid;   /* of a new LUKS volume; kdf is CRYPT_KDF_… */
	struct shard part;        /* index from 1; count 0: not in parts */
	unsigned part_align;      /* in bytes; 0: not given */
	bool salvage, verify_first;
	unsigned zstd_level;                    /* 0: not compressed */
	struct text_list exclude, exclude_from; /* patterns, and files of patterns */
	bool one_file_system;
	bool devices, same_permissions, no_sparse, merge;
	uint64_t rate_bytes; /* read at most so many a second; 0: no limit */
	bool idle;
	struct hex_bytes iv_hex;        /* wiped by options_wipe() */
	struct raw_options raw_options; /* raw_mode_options() adds key and IV */

	/* Options for printing. */
	bool quiet, verbose, json, dry_run;
	enum yes_no progress;
	const char *log; /* a file that gets the results */

	/* Options of advise, bench and selftest. */
	uint64_t size_bytes;   /* 0: not given */
	uint64_t update_bytes; /* advise --update; 0: not given */
	unsigned share;        /* per cent of the groups that have changed */
	bool explain, measure, remeasure, end_to_end, all;
	const char *plot, *report;
	struct shard shard;
	unsigned nodes;        /* 0: not given */
	uint64_t storage_rate; /* bytes per second; 0: not given */
};

/* The tables of gcrypt. */
extern const struct option_row gcrypt_rows[];
extern const struct option_rule gcrypt_rules[];
extern const struct input_rule gcrypt_input_rules[]; /* until kinds is 0 */

#define OPTIONS_DEFAULT ((struct options){ .raw_options.length = UINT64_MAX, .shard.count = 1 })

/* Refuse options that do not go with the input: GPUCRYPT_USAGE. */
int options_check_input(const struct options *options, unsigned kinds, const char *name);

/* The given options that the CPU engine does not use: "--copies, --work-items"; "" if there is none. */
void options_for_kernels(const struct options *options, char *text, size_t n);

void options_wipe(struct options *options);

/* gcrypt's subcommands: a row each in cli/command_table.c, a source file each; enc, dec and verify share
 * cmd_transform.c. */

/* One bit each, so that a row of the option table can name several. */
enum command_bit {
	CMD_ENC = 1 << 0,
	CMD_DEC = 1 << 1,
	CMD_VERIFY = 1 << 2,
	CMD_INFO = 1 << 3,
	CMD_KEY_LIST = 1 << 4,
	CMD_KEYGEN = 1 << 5,
	CMD_DEVICES = 1 << 6,
	CMD_SELFTEST = 1 << 7,
	CMD_ADVISE = 1 << 8,
	CMD_BENCH = 1 << 9,
	CMD_RETAG = 1 << 10,
	CMD_REKEY = 1 << 11,
	CMD_LIST = 1 << 12,
	CMD_KEY_ADD = 1 << 13,
	CMD_KEY_REMOVE = 1 << 14,
	CMD_KEY_CHANGE = 1 << 15,
	CMD_KEY_ID = 1 << 16,
	CMD_JOIN = 1 << 17,
	CMD_CLEAN = 1 << 18
};

int cmd_enc(const struct options *options);
int cmd_dec(const struct options *options);
int cmd_verify(const struct options *options);
int cmd_info(const struct options *options);
int cmd_rekey(const struct options *options);
int cmd_list(const struct options *options);
int cmd_key_list(const struct options *options);
int cmd_key_change(const struct options *options);
int cmd_key_id(const struct options *options);
int cmd_keygen(const struct options *options);
int cmd_devices(const struct options *options);
int cmd_selftest(const struct options *options);
int cmd_advise(const struct options *options);
int cmd_join(const struct options *options);
int cmd_retag(const struct options *options);
int cmd_clean(const struct options *options);
int cmd_bench(const struct options *options);

#endif
