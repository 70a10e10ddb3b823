/* The tables of the program gcrypt. */
#include "cli/args/options.h"

#include <limits.h>

static const struct action key_actions[] = {
	{ "list", CMD_KEY_LIST, 2, cmd_key_list },
	{ "add", CMD_KEY_ADD, UINT_MAX, cmd_key_change },
	{ "remove", CMD_KEY_REMOVE, UINT_MAX, cmd_key_change },
	{ "change", CMD_KEY_CHANGE, UINT_MAX, cmd_key_change },
	{ "id", CMD_KEY_ID, UINT_MAX, cmd_key_id },
	{ .name = NULL },
};

/* clang-format off */
static const struct command commands[] = {
	{ "enc", CMD_ENC, "[FILE|DIR...|-]", NULL, 0, UINT_MAX, cmd_enc,
		"encrypt FILE or a directory into FILE.gcr, or standard input",
		"  gcrypt enc big.img                       with a passphrase, to big.img.gcr\n"
		"  gcrypt enc --zstd -r anna.pem.pub home   compressed, for the owner of a key\n" },
	{ "dec", CMD_DEC, "[FILE.gcr...|- [-- PATH...]]", NULL, 0, UINT_MAX, cmd_dec,
		"decrypt FILE.gcr into FILE, or standard input to output",
		"  gcrypt dec -o back.img big.img.gcr\n"
		"  gcrypt dec -i anna.pem -o part home.gcr -- letters '*.jpg'   (patterns work)\n" },
	{ "verify", CMD_VERIFY, "[FILE.gcr...|-]", NULL, 0, UINT_MAX, cmd_verify,
		"authenticate everything in FILE.gcr, write nothing",
		"  gcrypt verify -j 2 -i anna.pem *.gcr\n"
		"  ssh host cat home.gcr | gcrypt verify -i anna.pem -\n" },
	{ "info", CMD_INFO, "FILE.gcr", NULL, 1, 1, cmd_info,
		"show the header of FILE.gcr, or the keys of its groups", "" },
	{ "list", CMD_LIST, "FILE.gcr|- [-- PATH...]", NULL, 1, 1, cmd_list,
		"print the names in an encrypted directory",
		"  gcrypt list -v -i anna.pem home.gcr\n"
		"  gcrypt list -i anna.pem home.gcr -- letters '*.jpg'   (patterns work)\n" },
	{ "key", CMD_KEY_LIST | CMD_KEY_ADD | CMD_KEY_REMOVE | CMD_KEY_CHANGE | CMD_KEY_ID, "ACTION FILE.gcr...",
		key_actions, 2, UINT_MAX, NULL, "list, add, remove, change key slots of FILE.gcr; id of keys",
		"  gcrypt key list big.img.gcr\n"
		"  gcrypt key add -i anna.pem --new-recipient carl.pem.pub big.img.gcr\n"
		"  gcrypt key remove -i anna.pem --slot 1 big.img.gcr\n" },
	{ "retag", CMD_RETAG, "IMAGE.gcr", NULL, 1, 1, cmd_retag,
		"compute new tags in IMAGE.gcr after writes to the image", "" },
	{ "join", CMD_JOIN, "FILE.gcr", NULL, 1, 1, cmd_join,
		"complete FILE.gcr from the parts of enc or rekey --part", "" },
	{ "rekey", CMD_REKEY, "FILE.gcr", NULL, 1, 1, cmd_rekey,
		"decrypt and encrypt FILE.gcr under a new file key in one pass",
		"  gcrypt rekey -i anna.pem --drop-slot 1 big.img.gcr\n"
		"  gcrypt rekey -i anna.pem -r carl.pem.pub --drop-slot 1 -o new.gcr big.img.gcr\n" },
	{ "keygen", CMD_KEYGEN, "", NULL, 0, 0, cmd_keygen, "make a key file or a key pair",
		"  gcrypt keygen -o backup.key           for --key-file\n"
		"  gcrypt keygen --x25519 -o anna.pem    for -i anna.pem and -r anna.pem.pub\n" },
	{ "clean", CMD_CLEAN, "DIR...", NULL, 1, UINT_MAX, cmd_clean,
		"list files that killed runs left in DIR; -f: remove them",
		"  gcrypt clean .\n"
		"  gcrypt clean --force home\n" },
	{ "devices", CMD_DEVICES, "", NULL, 0, 0, cmd_devices, "list OpenCL devices, and why some cannot be used", "" },
	{ "advise", CMD_ADVISE, "", NULL, 0, 0, cmd_advise, "predict and compare ciphers and engines on this machine",
		"  gcrypt advise --size 16G\n" },
	{ "bench", CMD_BENCH, "", NULL, 0, 0, cmd_bench, "measure ciphers on the devices and the CPU of this machine",
		"  gcrypt bench --engine cpu --cipher aes --bits 256\n" },
	{ "selftest", CMD_SELFTEST, "", NULL, 0, 0, cmd_selftest, "test all ciphers against known answers", "" },
	{ .name = NULL },
};

/* What users of age, gpg, openssl, zstd, tar, restic and git type. */
static const struct hint hints[] = {
	{ "encrypt compress backup create -e --encrypt --create", "use gcrypt enc" },
	{ "decrypt extract decompress restore -d --decrypt --decompress --uncompress --extract", "use gcrypt dec" },
	{ "-x", "to extract, use gcrypt dec; to stay on one file system, --one-file-system" },
	{ "check test -t --test --check", "use gcrypt verify" },
	{ "ls -l --list", "use gcrypt list" },
	{ "-1 -2 -3 -4 -5 -6 -7 -8 -9 --level --fast --best --ultra",
		"a compression level is the value of --zstd: gcrypt enc --zstd=9" },
	{ "-z -Z --compress --compression --gzip", "use gcrypt enc --zstd" },
	{ "-c --stdout --to-stdout", "use -o - for standard output; without a key a passphrase is asked for" },
	{ "-p --password --password-file --password-command --passphrase-file --passphrase-fd --pass --symmetric",
		"a passphrase is asked for, or use --passphrase SOURCE" },
	{ "-k --keep", "the input is kept without --rm; a key file is given as --key-file" },
	{ "-i --input --infile", "inputs are operands; enc takes public keys: use -r" },
	{ "-R --recipients-file", "use --recipients-from; a directory is encrypted as a whole" },
	{ "-r --recursive", "a directory is encrypted as a whole" },
	{ "-a --armor --ascii --base64", "containers are binary: use base64 in a pipe" },
	{ "-s --sign", "a container is authenticated by its keys; gcrypt does not sign" },
	{ "-C --directory --target-directory", "use --output-dir" },
	{ "-y --yes --overwrite", "use --force" },
	{ "-n", "use --dry-run" },
	{ "-S", "use gcrypt enc --sparse" },
	{ "-V --version", "use gcrypt version" },
	{ .words = NULL },
};
/* clang-format on */

const struct program program = { "gcrypt", commands, gcrypt_rows, gcrypt_rules, CMD_DEC | CMD_LIST, hints,
	"exit status: 0 done, 2 usage, 3 I/O, 4 damage, 5 wrong key, 6 exists; gcrypt(1)", false };
