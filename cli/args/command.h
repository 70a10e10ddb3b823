/* The subcommands: a row each in command_table.c, a source file each; enc, dec and verify share
 * cmd_transform.c. */
#ifndef COMMAND_H
#define COMMAND_H

#include "cli/args/options.h"

/* One bit each, so that a row of the option table can name several. */
enum command_bit {
	CMD_ENC = 1 << 0,
	CMD_DEC = 1 << 1,
	CMD_VERIFY = 1 << 2,
	CMD_INFO = 1 << 3,
	CMD_KEY = 1 << 4,
	CMD_KEYGEN = 1 << 5,
	CMD_DEVICES = 1 << 6,
	CMD_SELFTEST = 1 << 7,
	CMD_ADVISE = 1 << 8,
	CMD_BENCH = 1 << 9,
	CMD_RETAG = 1 << 10,
	CMD_REKEY = 1 << 11,
	CMD_LIST = 1 << 12
};

struct command {
	const char *name;
	enum command_bit bit;
	const char *operands;       /* for the usage text */
	const char *const *actions; /* what the first operand may be, ends with NULL; NULL: anything */
	unsigned min_operands, max_operands;
	int (*run)(const struct options *options); /* returns a gpucrypt_status */
	const char *summary;
};

extern const struct command command_table[];
extern const unsigned n_commands;

int cmd_enc(const struct options *options);
int cmd_dec(const struct options *options);
int cmd_verify(const struct options *options);
int cmd_info(const struct options *options);
int cmd_rekey(const struct options *options);
int cmd_list(const struct options *options);
int cmd_key(const struct options *options);
int cmd_keygen(const struct options *options);
int cmd_devices(const struct options *options);
int cmd_selftest(const struct options *options);
int cmd_advise(const struct options *options);
int cmd_retag(const struct options *options);
int cmd_bench(const struct options *options);

#endif
