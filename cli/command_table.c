/* The tables of the program gcrypt. */
#include "cli/args/command.h"

#include <limits.h>

static const struct action key_actions[] = {
	{ "list", CMD_KEY_LIST, 2, cmd_key_list },
	{ "add", CMD_KEY_ADD, UINT_MAX, cmd_key_change },
	{ "remove", CMD_KEY_REMOVE, UINT_MAX, cmd_key_change },
	{ "change", CMD_KEY_CHANGE, UINT_MAX, cmd_key_change },
	{ "id", CMD_KEY_ID, UINT_MAX, cmd_key_id },
	{ .name = NULL },
};

static const struct command commands[] = {
	{ "enc", CMD_ENC, "[FILE|DIR...|-]", NULL, 0, UINT_MAX, cmd_enc,
	        "encrypt FILE or a directory into FILE.gcr, or standard input" },
	{ "dec", CMD_DEC, "[FILE.gcr...|- [-- PATH...]]", NULL, 0, UINT_MAX, cmd_dec,
	        "decrypt FILE.gcr into FILE, or standard input to standard output" },
	{ "verify", CMD_VERIFY, "[FILE.gcr...|-]", NULL, 0, UINT_MAX, cmd_verify,
	        "authenticate everything in FILE.gcr, write nothing" },
	{ "info", CMD_INFO, "FILE.gcr", NULL, 1, 1, cmd_info,
	        "show the header of FILE.gcr, or the keys of its groups" },
	{ "list", CMD_LIST, "FILE.gcr|- [-- PATH...]", NULL, 1, 1, cmd_list,
	        "print the names in an encrypted directory" },
	{ "key", CMD_KEY_LIST | CMD_KEY_ADD | CMD_KEY_REMOVE | CMD_KEY_CHANGE | CMD_KEY_ID, "ACTION FILE.gcr...",
	        key_actions, 2, UINT_MAX, NULL, "list, add, remove or change key slots of FILE.gcr; id: of keys" },
	{ "retag", CMD_RETAG, "IMAGE.gcr", NULL, 1, 1, cmd_retag,
	        "new tags in IMAGE.gcr for an image that was written to" },
	{ "join", CMD_JOIN, "FILE.gcr", NULL, 1, 1, cmd_join,
	        "complete FILE.gcr from the parts of enc or rekey --part" },
	{ "rekey", CMD_REKEY, "FILE.gcr", NULL, 1, 1, cmd_rekey,
	        "decrypt and encrypt FILE.gcr under a new file key in one pass" },
	{ "keygen", CMD_KEYGEN, "", NULL, 0, 0, cmd_keygen, "make a key file" },
	{ "devices", CMD_DEVICES, "", NULL, 0, 0, cmd_devices, "show what can be used, and why something cannot" },
	{ "advise", CMD_ADVISE, "", NULL, 0, 0, cmd_advise, "predict and compare ciphers and engines on this machine" },
	{ "bench", CMD_BENCH, "", NULL, 0, 0, cmd_bench, "measure ciphers on the devices and the CPU of this machine" },
	{ "selftest", CMD_SELFTEST, "", NULL, 0, 0, cmd_selftest, "known answers of all ciphers on every device" },
	{ .name = NULL },
};

static const struct synonym synonyms[] = { { "encrypt", "enc" }, { "compress", "enc" }, { "decrypt", "dec" },
	{ "extract", "dec" }, { "decompress", "dec" }, { "restore", "dec" }, { "check", "verify" },
	{ "test", "verify" }, { "ls", "list" }, { NULL, NULL } };

const struct program program = { "gcrypt", commands, gcrypt_rows, gcrypt_rules, CMD_DEC | CMD_LIST, synonyms };
