/* The option table. */
#include "option_table.h"

#include "command.h"

#define FIELD(member) offsetof(struct options, member)

#define WRITES    (CMD_ENC | CMD_DEC)
#define READS_ALL (WRITES | CMD_VERIFY)
#define ANY       (~0u)

/* clang-format off */
const struct option_row option_table[] = {
	{ "cipher", 0, "NAME", &type_text, CMD_ENC, WRITES, FIELD(plan.cipher), 0, 0,
		"aes, camellia, sc2000, or auto (the default)" },
	{ "bits", 0, "N", &type_number, CMD_ENC, WRITES, FIELD(plan.key_bits), 1, 9999,
		"key size: 128, 192 or 256 (the default)" },
	{ "mode", 0, "NAME", &type_text, CMD_ENC, WRITES, FIELD(plan.mode), 0, 0,
		"ctr (the default), xts, or ecb (shows equal blocks)" },
	{ "passphrase", 0, "SOURCE", &type_passphrase, READS_ALL | CMD_INFO, 0, FIELD(passphrase), 0, 0,
		"read it from env:VAR, file:PATH, fd:N or cmd:COMMAND" },
	{ "key-file", 0, "FILE", &type_key_file, READS_ALL | CMD_INFO, WRITES, FIELD(key_file), 0, 0,
		"use a key file (see keygen) instead of a passphrase" },
	{ "output", 'o', "FILE", &type_text, WRITES | CMD_KEYGEN, WRITES, FIELD(output), 0, 0,
		"write FILE; - is standard output" },
	{ "force", 'f', NULL, &type_flag, WRITES, WRITES, FIELD(force), 0, 0,
		"overwrite; write to block devices" },
	{ "rm", 0, NULL, &type_flag, WRITES, 0, FIELD(remove_source), 0, 0,
		"remove the source after reading back and comparing" },
	{ "dry-run", 0, NULL, &type_flag, READS_ALL, WRITES, FIELD(dry_run), 0, 0,
		"only print the plan" },
	{ "json", 0, NULL, &type_flag,
		READS_ALL | CMD_INFO | CMD_KEY | CMD_DEVICES, WRITES, FIELD(json), 0, 0,
		"print JSON" },
	{ "show-keys", 0, "G", &type_group, CMD_INFO, 0, FIELD(show_keys), 0, UINT64_MAX - 1,
		"keys, IVs and places of all groups, or of group G" },
	{ "quiet", 'q', NULL, &type_flag, READS_ALL, WRITES, FIELD(quiet), 0, 0,
		"no progress and no warnings" },
	{ "verbose", 'v', NULL, &type_flag, READS_ALL | CMD_SELFTEST, WRITES, FIELD(verbose), 0, 0,
		"say more" },
	{ "progress", 0, NULL, &type_choice, READS_ALL, WRITES, FIELD(progress), 0, 0,
		"show progress even if there is no terminal; or never" },
	{ "all", 0, NULL, &type_flag, CMD_SELFTEST, 0, FIELD(all), 0, 0,
		"every combination, not only a selection" },
	{ "shard", 0, "I/N", &type_shard, CMD_SELFTEST, 0, FIELD(shard), 1, 1000000,
		"only part I, from 0 to N-1, of N parts" },
	{ "engine", 0, "NAME", &type_text, READS_ALL, WRITES, FIELD(plan.engine), 0, 0,
		"opencl, cpu, or auto (the default)" },
	{ "device", 0, "N", &type_device, READS_ALL | CMD_SELFTEST, WRITES, FIELD(plan.device), 0, 999,
		"OpenCL device, as numbered by devices" },
	{ "threads", 'T', "N", &type_number, READS_ALL, WRITES, FIELD(plan.threads), 1, 4096,
		"threads of the CPU" },
	{ "table", 0, "FORM", &type_text, READS_ALL, WRITES, FIELD(plan.table), 0, 0,
		"form of the substitution tables, as in selftest -v" },
	{ "table-space", 0, "SPACE", &type_text, READS_ALL, WRITES, FIELD(plan.table_space), 0, 0,
		"where tables are: local (the default), constant, global" },
	{ "key-space", 0, "SPACE", &type_text, READS_ALL, WRITES, FIELD(plan.key_space), 0, 0,
		"where round keys are: local (the default), constant" },
	{ "copies", 0, "N", &type_number, READS_ALL, WRITES, FIELD(plan.copies), 1, 1024,
		"copies of the table in local memory, a power of 2" },
	{ "work-items", 0, "N", &type_number, READS_ALL | CMD_SELFTEST, WRITES, FIELD(plan.work_items), 1, 1u << 20,
		"work-items in a work-group" },
	{ "work-groups", 0, "N", &type_number, READS_ALL | CMD_SELFTEST, WRITES, FIELD(plan.work_groups), 1, 1u << 30,
		"work-groups in a launch" },
	{ "chunk-log2", 0, "N", &type_number, CMD_ENC, 0, FIELD(plan.chunk_log2), 12, 20,
		"log2 of the bytes under one tag (17)" },
	{ "group-log2", 0, "N", &type_number, CMD_ENC, 0, FIELD(plan.group_log2), 12, 26,
		"log2 of the bytes in one group (24)" },
	{ "raw", 0, NULL, &type_flag, WRITES, WRITES, FIELD(raw), 0, 0,
		"no container: only the cipher, nothing is authenticated" },
	{ "key-hex", 0, "HEX", &type_key_hex, 0, WRITES, FIELD(key_hex), 0, MAX_RAW_KEY_BYTES,
		"the key; xts: both keys, one after the other" },
	{ "iv-hex", 0, "HEX", &type_iv_hex, 0, WRITES, FIELD(iv_hex), 0, MAX_RAW_KEY_BYTES,
		"ctr: first counter; xts: tweak of the first unit" },
	{ "iv-start", 0, "N", &type_count, 0, WRITES, FIELD(raw_options.iv_start), 0, UINT64_MAX,
		"xts: number of the first 512-byte sector" },
	{ "sector-size", 0, "S", &type_number, 0, WRITES, FIELD(raw_options.sector_bytes), 1, 1u << 30,
		"xts: 512 (the default), 1024, 2048 or 4096" },
	{ "iv-large-sectors", 0, NULL, &type_flag, 0, WRITES, FIELD(raw_options.iv_large_sectors), 0, 0,
		"xts: number sectors by their own size" },
	{ "allow-weak-key", 0, NULL, &type_flag, 0, WRITES, FIELD(raw_options.allow_weak_key), 0, 0,
		"xts: both keys may be the same" },
	{ "no-padding", 0, NULL, &type_flag, 0, WRITES, FIELD(raw_options.no_padding), 0, 0,
		"ecb: no PKCS#7 padding" },
	{ "offset", 0, "N", &type_bytes, 0, WRITES, FIELD(raw_options.offset), 0, INT64_MAX,
		"start at this byte of the input (K, M, G, T may follow)" },
	{ "length", 0, "N", &type_bytes, 0, WRITES, FIELD(raw_options.length), 0, INT64_MAX,
		"do only so many bytes" },
	{ "help", 'h', NULL, &type_flag, ANY, ANY, FIELD(help), 0, 0,
		"print this" },
};
/* clang-format on */

const unsigned n_option_rows = sizeof option_table / sizeof *option_table;

_Static_assert(sizeof option_table / sizeof *option_table <= 64, "options.given has a bit a row");
