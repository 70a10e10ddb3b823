/* gcrypt's subcommands: a row each in cli/command_table.c, a source file each; enc, dec and verify share
 * cmd_transform.c. */
#ifndef CLI_ARGS_COMMAND_H
#define CLI_ARGS_COMMAND_H

#include "cli/args/options.h"

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
