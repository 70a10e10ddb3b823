/* gcrypt's options, and which go together. */
#include <string.h>

#include "cli/args/command.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

#define FIELD(member) offsetof(struct options, member)

#define NEW_KEY   (CMD_KEY_ADD | CMD_KEY_CHANGE)
#define CMD_KEYS  (NEW_KEY | CMD_KEY_REMOVE)
#define WRITES    (CMD_ENC | CMD_DEC)
#define MAKES     (CMD_ENC | CMD_REKEY)
#define READS     (WRITES | CMD_VERIFY)
#define READS_ALL (READS | CMD_REKEY)
#define OPENS     (READS_ALL | CMD_LIST | CMD_INFO | CMD_KEYS | CMD_RETAG)
#define COMPUTES  (READS_ALL | CMD_LIST)
#define UNLOCKS   (OPENS | CMD_JOIN)
#define ANY       (~0u)
#define SOURCES   "env: file: fd: cmd:"

/* clang-format off */
const struct option_row gcrypt_rows[] = {
	{ "cipher", 0, "NAME", &type_cipher, MAKES | CMD_ADVISE | CMD_BENCH, WRITES, FIELD(plan.cipher), 0, 0,
		"aes, camellia, sc2000, or auto (the default)", NULL },
	{ "allow", 0, "NAME", &type_cipher, CMD_ENC | CMD_ADVISE, 0, FIELD(allow), 0, 0,
		"also let auto choose this cipher: sc2000", "sc2000" },
	{ "bits", 0, "N", &type_number, MAKES | CMD_ADVISE | CMD_BENCH, WRITES, FIELD(plan.key_bits), 1, 9999,
		"key size: 128, 192 or 256 (the default)", "128 192 256" },
	{ "mode", 0, "NAME", &type_mode, MAKES | CMD_ADVISE | CMD_BENCH, WRITES, FIELD(plan.mode), 0, 0,
		"ctr (the default), xts, or ecb (shows equal blocks)", NULL },
	{ "passphrase", 0, "SOURCE", &type_passphrase, UNLOCKS, 0, FIELD(opening.passphrase), 0, 0,
		"source: env:VAR, file:PATH, fd:N or cmd:COMMAND", SOURCES },
	{ "kdf-cost", 0, "LOG2N", &type_kdf_cost, MAKES | NEW_KEY, 0, FIELD(kdf_cost), 10, 20,
		"log2 N of scrypt for passphrases (17); auto: one second here", "auto" },
	{ "max-kdf-memory", 0, "N", &type_bytes, UNLOCKS, 0, FIELD(max_kdf_bytes), 1 << 20, UINT64_C(1) << 34,
		"skip key slots whose scrypt needs more memory (1G)", NULL },
	{ "key-file", 0, "FILE", &type_key_file, UNLOCKS, WRITES, FIELD(opening.key_file), 0, 0,
		"use a key file (see keygen) instead of a passphrase", NULL },
	{ "recipient", 'r', "PUB.pem", &type_key_list, MAKES | CMD_KEY_REMOVE, 0, FIELD(opening.recipients), 0, MAX_TEXTS,
		"public key (PEM or SSH) to encrypt for, or to remove (repeatable)", NULL },
	{ "recipients-from", 0, "FILE", &type_list, MAKES, 0, FIELD(opening.recipients), 0, MAX_TEXTS,
		"a file of several public keys to encrypt for", NULL },
	{ "identity", 'i', "KEY.pem", &type_identities, OPENS & ~CMD_ENC, 0, FIELD(opening.identities), 0, MAX_TEXTS,
		"open with these private keys, PEM or SSH (repeatable)", NULL },
	{ "identity-passphrase", 0, "SOURCE", &type_passphrase, OPENS & ~CMD_ENC, 0, FIELD(opening.identity_passphrase), 0, 0,
		"passphrase of protected private keys (else asked for)", SOURCES },
	{ "new-passphrase", 0, "SOURCE", &type_passphrase, NEW_KEY | CMD_REKEY, 0, FIELD(added.passphrase), 0, 0,
		"add this passphrase (asked for without any --new- option)", SOURCES },
	{ "new-key-file", 0, "FILE", &type_key_file, NEW_KEY | CMD_REKEY, 0, FIELD(added.key_file), 0, 0,
		"add this key file", NULL },
	{ "new-recipient", 0, "PUB.pem", &type_key_list, NEW_KEY, 0, FIELD(added.recipients), 0, MAX_TEXTS,
		"add the owner of this public key (repeatable)", NULL },
	{ "slot", 0, "N[.M]", &type_slot, CMD_KEY_REMOVE, 0, FIELD(slot), 0, 7,
		"the slot to remove", NULL },
	{ "label", 0, "TEXT", &type_label, CMD_ENC | CMD_KEYS, 0, FIELD(label), 0, 0,
		"name of the key slot or LUKS2 volume, which anyone can read", NULL },
	{ "anonymous", 0, NULL, &type_flag, MAKES | NEW_KEY, 0, FIELD(anonymous), 0, 0,
		"store no key ids: nobody sees who can open the container", NULL },
	{ "drop-slot", 0, "N", &type_slots, CMD_REKEY, 0, FIELD(drop_slots), 0, 31,
		"drop key slot N of the old container (repeatable)", NULL },
	{ "x25519", 0, NULL, &type_flag, CMD_KEYGEN, 0, FIELD(x25519), 0, 0,
		"a pair for --identity and --recipient: FILE and FILE.pub", NULL },
	{ "ml-kem", 0, NULL, &type_flag, CMD_KEYGEN, 0, FIELD(ml_kem), 0, 0,
		"a pair that withstands quantum computers: X25519 and ML-KEM-768", NULL },
	{ "output", 'o', "FILE", &type_text, WRITES | CMD_KEYGEN | CMD_REKEY, WRITES, FIELD(output), 0, 0,
		"write FILE; - is standard output", NULL },
	{ "output-dir", 0, "DIR", &type_text, WRITES, 0, FIELD(output_folder), 0, 0,
		"write into DIR, under the default names", NULL },
	{ "files-from", 0, "LIST", &type_text, READS, WRITES, FIELD(files_from), 0, 0,
		"the inputs are the lines of LIST; - is standard input", NULL },
	{ "null", '0', NULL, &type_flag, READS, WRITES, FIELD(null), 0, 0,
		"names in LIST end with a zero byte, as find -print0 writes them", NULL },
	{ "manifest", 0, "FILE", &type_list, CMD_ENC | CMD_VERIFY, 0, FIELD(manifest), 0, MAX_TEXTS,
		"enc: record in FILE, encrypt only what changed; verify: check (repeatable)", NULL },
	{ "prune", 0, NULL, &type_flag, CMD_ENC, 0, FIELD(prune), 0, 0,
		"drop the manifest's records of files that are not among the inputs", NULL },
	{ "jobs", 'j', "N", &type_number, READS, 0, FIELD(jobs), 1, 256,
		"work on N files at a time", NULL },
	{ "sparse", 0, NULL, &type_flag, MAKES, 0, FIELD(plan.sparse), 0, 0,
		"store chunks of zeros as holes, which reveals their positions", NULL },
	{ "no-sparse", 0, NULL, &type_flag, CMD_DEC, CMD_DEC, FIELD(no_sparse), 0, 0,
		"write zeros and holes instead of leaving holes in the file", NULL },
	{ "zstd", 0, "LEVEL", &type_level, CMD_ENC, 0, FIELD(zstd_level), 1, 22,
		"compress a file or a directory", NULL },
	{ "devices", 0, NULL, &type_flag, CMD_DEC, 0, FIELD(devices), 0, 0,
		"extract device nodes", NULL },
	{ "same-permissions", 'p', NULL, &type_flag, CMD_DEC, 0, FIELD(same_permissions), 0, 0,
		"restore modes, access lists and attributes as stored; no umask", NULL },
	{ "force", 'f', NULL, &type_risky_flag, WRITES | CMD_KEYGEN | CMD_REKEY | CMD_ADVISE | CMD_BENCH | CMD_KEY_REMOVE | CMD_JOIN, WRITES, FIELD(force), 0, 0,
		"overwrite; write to block devices", NULL },
	{ "rm", 0, NULL, &type_risky_flag, WRITES, 0, FIELD(remove_source), 0, 0,
		"remove the source after reading back and comparing", NULL },
	{ "dry-run", 0, NULL, &type_flag, READS_ALL, WRITES, FIELD(dry_run), 0, 0,
		"print the plan and stop", NULL },
	{ "json", 0, NULL, &type_flag,
		COMPUTES | CMD_INFO | CMD_KEY_LIST | NEW_KEY | CMD_DEVICES | CMD_ADVISE | CMD_BENCH | CMD_JOIN, WRITES, FIELD(json), 0, 0,
		"print JSON", NULL },
	{ "show-keys", 0, "G", &type_group, CMD_INFO, 0, FIELD(show_keys), 0, UINT64_MAX - 1,
		"show keys, IVs and offsets of all groups, or of group G", NULL },
	{ "log", 0, "FILE", &type_text, READS_ALL | CMD_JOIN, WRITES, FIELD(log), 0, 0,
		"append to FILE what became of each input, as --json prints it", NULL },
	{ "quiet", 'q', NULL, &type_flag, READS_ALL | CMD_KEYS | CMD_RETAG | CMD_JOIN, WRITES, FIELD(quiet), 0, 0,
		"print neither progress nor warnings", NULL },
	{ "verbose", 'v', NULL, &type_flag, COMPUTES | CMD_SELFTEST, WRITES, FIELD(verbose), 0, 0,
		"print more", NULL },
	{ "progress", 0, NULL, &type_choice, READS_ALL | CMD_RETAG, WRITES, FIELD(progress), 0, 0,
		"show progress; --no-progress: never (default: only on a terminal)", NULL },
	{ "size", 0, "N", &type_bytes, CMD_ADVISE | CMD_BENCH, 0, FIELD(size_bytes), 1, UINT64_C(1) << 60,
		"size of the input or buffer; suffixes K, M, G, T", NULL },
	{ "explain", 0, NULL, &type_flag, CMD_ADVISE, 0, FIELD(explain), 0, 0,
		"print the model's equations with their numbers", NULL },
	{ "measure", 0, NULL, &type_flag, CMD_ADVISE, 0, FIELD(measure), 0, 0,
		"measure every row and compare, about 10 s per row", NULL },
	{ "remeasure", 0, NULL, &type_flag, CMD_ADVISE, 0, FIELD(remeasure), 0, 0,
		"measure the records of this machine again before", NULL },
	{ "plot", 0, "FILE", &type_text, CMD_ADVISE | CMD_BENCH, 0, FIELD(plot), 0, 0,
		"draw the SVG picture FILE with gnuplot", NULL },
	{ "nodes", 0, "N", &type_number, CMD_ADVISE, 0, FIELD(nodes), 1, 65536,
		"predict the time on up to N nodes like this one", NULL },
	{ "storage", 0, "RATE", &type_bytes, CMD_ADVISE, 0, FIELD(storage_rate), 1, UINT64_C(1) << 60,
		"bytes a second that all nodes read while they write as many", NULL },
	{ "end-to-end", 0, NULL, &type_flag, CMD_BENCH, 0, FIELD(end_to_end), 0, 0,
		"measure also from memory to memory, with tags", NULL },
	{ "all", 0, NULL, &type_flag, CMD_SELFTEST | CMD_BENCH, 0, FIELD(all), 0, 0,
		"all combinations, not only a selection", NULL },
	{ "shard", 0, "I/N", &type_shard, CMD_SELFTEST, 0, FIELD(shard), 0, 1000000,
		"run only part I, from 0 to N-1, of N parts", NULL },
	{ "engine", 0, "NAME", &type_engine, COMPUTES | CMD_ADVISE | CMD_BENCH, WRITES, FIELD(plan.engine), 0, 0,
		"opencl, cpu, all (a hybrid of both), or auto (the default)", NULL },
	{ "device", 0, "N", &type_device, COMPUTES | CMD_SELFTEST | CMD_ADVISE | CMD_BENCH, WRITES, FIELD(plan.device), 0, 999,
		"OpenCL device number, as printed by `gcrypt devices`", NULL },
	{ "threads", 'T', "N", &type_number, COMPUTES | CMD_RETAG | CMD_ADVISE | CMD_BENCH, WRITES, FIELD(plan.threads), 1, 4096,
		"number of CPU threads", NULL },
	{ "memory", 0, "SIZE", &type_bytes, COMPUTES, WRITES, FIELD(plan.memory_bytes), 1, UINT64_C(1) << 40,
		"memory for buffers (640M); suffixes K, M, G", NULL },
	{ "bwlimit", 0, "RATE", &type_bytes, READS_ALL | CMD_RETAG, WRITES, FIELD(rate_bytes), 1, UINT64_C(1) << 60,
		"read at most RATE bytes a second; suffixes K, M, G", NULL },
	{ "idle", 0, NULL, &type_flag, READS_ALL | CMD_RETAG, WRITES, FIELD(idle), 0, 0,
		"leave processors and storage to other programs", NULL },
	{ "constant-time", 0, NULL, &type_flag, COMPUTES | CMD_ADVISE | CMD_BENCH, WRITES, FIELD(plan.constant_time), 0, 0,
		"use constant-time implementations only", NULL },
	{ "table", 0, "FORM", &type_table, COMPUTES | CMD_BENCH, WRITES, FIELD(plan.kernel.table), 0, 0,
		"form of the substitution tables, as in selftest -v", NULL },
	{ "table-space", 0, "SPACE", &type_table_space, COMPUTES | CMD_BENCH, WRITES, FIELD(plan.kernel.table_space), 0, 0,
		"memory of tables: local (the default), constant, global", NULL },
	{ "key-space", 0, "SPACE", &type_key_space, COMPUTES | CMD_BENCH, WRITES, FIELD(plan.kernel.key_space), 0, 0,
		"memory of round keys: local (the default), constant, argument", NULL },
	{ "portable", 0, NULL, &type_flag, COMPUTES | CMD_BENCH, WRITES, FIELD(plan.kernel.portable), 0, 0,
		"use kernels without vendor-specific assembly", NULL },
	{ "copies", 0, "N", &type_number, COMPUTES | CMD_BENCH, WRITES, FIELD(plan.kernel.replicas), 1, 1024,
		"replicas of the table in local memory, a power of 2", NULL },
	{ "counters", 0, "N", &type_number, COMPUTES | CMD_BENCH, WRITES, FIELD(plan.kernel.blocks_per_item), 1, 256,
		"ctr: consecutive blocks per work-item, a power of 2", NULL },
	{ "work-items", 0, "N", &type_number, COMPUTES | CMD_SELFTEST | CMD_BENCH, WRITES, FIELD(plan.kernel.work_items), 1, 1u << 20,
		"work-items per work-group", NULL },
	{ "work-groups", 0, "N", &type_number, COMPUTES | CMD_SELFTEST | CMD_BENCH, WRITES, FIELD(plan.kernel.work_groups), 1, 1u << 30,
		"work-groups per launch", NULL },
	{ "chunk-log2", 0, "N", &type_number, MAKES, 0, FIELD(plan.chunk_log2), 12, 20,
		"log2 of a chunk's bytes; each chunk has a tag (17)", NULL },
	{ "group-log2", 0, "N", &type_number, MAKES, 0, FIELD(plan.group_log2), 12, 26,
		"log2 of a group's bytes (23)", NULL },
	{ "recheck", 0, "N", &type_recheck, COMPUTES, WRITES, FIELD(plan.recheck), 0, 1u << 30,
		"recompute a chunk of one group in N (64) on the CPU; 0: none", NULL },
	{ "device-deadline", 0, "SECONDS", &type_number, COMPUTES, WRITES, FIELD(plan.device_deadline), 1, 86400,
		"wait at most so long for a device (20 x the prediction, 2 at least)", NULL },
	{ "strict-device", 0, NULL, &type_flag, COMPUTES, WRITES, FIELD(plan.strict_device), 0, 0,
		"fail if a device fails; else the CPU does the rest of its work", NULL },
	{ "detached", 0, NULL, &type_flag, CMD_ENC, 0, FIELD(detached), 0, 0,
		"write an image that dm-crypt opens, and a detached header", NULL },
	{ "luks2", 0, NULL, &type_flag, CMD_ENC | CMD_ADVISE, 0, FIELD(luks2), 0, 0,
		"write a LUKS2 volume; advise for one", NULL },
	{ "luks2-header", 0, "FILE", &type_text, READS, 0, FIELD(luks2_header), 0, 0,
		"LUKS: the header is FILE, and the volume has only the payload", NULL },
	{ "kdf", 0, "NAME", &type_word, CMD_ENC, 0, FIELD(kdf), 0, 0,
		"LUKS2: argon2id (the default) or pbkdf2", "argon2id pbkdf2" },
	{ "uuid", 0, "UUID", &type_text, CMD_ENC, 0, FIELD(uuid), 0, 0,
		"LUKS2: UUID of the volume (else random)", NULL },
	{ "in-place", 0, NULL, &type_risky_flag, WRITES, 0, FIELD(in_place), 0, 0,
		"encrypt an image (--detached) or decrypt it in place", NULL },
	{ "resume", 0, NULL, &type_flag, CMD_ENC, 0, FIELD(resume), 0, 0,
		"continue OUT.part of an interrupted run with --resume", NULL },
	{ "part", 0, "I/N", &type_shard, READS_ALL, 0, FIELD(part), 1, 1000000,
		"only part I, from 1 to N, of N parts; enc, rekey: for gcrypt join", NULL },
	{ "align", 0, "SIZE", &type_power, MAKES, 0, FIELD(part_align), 4096, 1u << 30,
		"begin parts at multiples of SIZE of the container", NULL },
	{ "image", 0, "FILE", &type_text, CMD_DEC | CMD_VERIFY | CMD_RETAG | CMD_REKEY, 0, FIELD(image), 0, 0,
		"the image, if the detached header is not named IMAGE.gcr", NULL },
	{ "salvage", 0, NULL, &type_flag, CMD_DEC, 0, FIELD(salvage), 0, 0,
		"write all chunks that verify, zeros for the others; list the damage", NULL },
	{ "verify-first", 0, NULL, &type_flag, CMD_DEC, 0, FIELD(verify_first), 0, 0,
		"verify the whole input before the first byte is written", NULL },
	{ "raw", 0, NULL, &type_flag, WRITES, WRITES, FIELD(parsed.raw), 0, 0,
		"no container: the cipher alone, without authentication", NULL },
	{ "key-hex", 0, "HEX", &type_key_hex, 0, WRITES, FIELD(opening.key_hex), 0, MAX_RAW_KEY_BYTES,
		"the key; xts: both keys concatenated", NULL },
	{ "iv-hex", 0, "HEX", &type_iv_hex, 0, WRITES, FIELD(iv_hex), 16, 16,
		"ctr: first counter block; xts: tweak of the first data unit", NULL },
	{ "iv-start", 0, "N", &type_count, 0, WRITES, FIELD(raw_options.iv_start), 0, UINT64_MAX,
		"xts: number of the first 512-byte sector", NULL },
	{ "sector-size", 0, "S", &type_power, CMD_ENC, WRITES, FIELD(raw_options.sector_bytes), 512, 4096,
		"xts, raw, detached, LUKS2: 512 (the default), 1024, 2048 or 4096", "512 1024 2048 4096" },
	{ "iv-large-sectors", 0, NULL, &type_flag, 0, WRITES, FIELD(raw_options.iv_large_sectors), 0, 0,
		"xts: number sectors by their own size", NULL },
	{ "allow-weak-key", 0, NULL, &type_flag, 0, WRITES, FIELD(raw_options.allow_weak_key), 0, 0,
		"xts: both keys may be the same", NULL },
	{ "no-padding", 0, NULL, &type_flag, 0, WRITES, FIELD(raw_options.no_padding), 0, 0,
		"ecb: no PKCS#7 padding", NULL },
	{ "offset", 0, "N", &type_bytes, CMD_DEC, WRITES, FIELD(raw_options.offset), 0, INT64_MAX,
		"start at this byte of the content (K, M, G, T may follow)", NULL },
	{ "length", 0, "N", &type_bytes, CMD_DEC, WRITES, FIELD(raw_options.length), 0, INT64_MAX,
		"do only so many bytes", NULL },
	{ "help", 'h', NULL, &type_flag, ANY, ANY, FIELD(parsed.help), 0, 0,
		"print this help", NULL },
	{ .type = NULL },
};

#define ONE_SECRET   "one secret is enough"
#define INTERRUPTED  "an interrupted run could not be continued with public keys alone"
#define NEXT_RUN     "the next run could not read the manifest with public keys alone"
#define OTHER_PARTS  "other parts could not be encrypted with public keys alone"
#define ONLY_PUBLIC  "nothing can be read back with public keys alone"

const struct option_rule gcrypt_rules[] = {
	{ UNLOCKS, WRITES, "passphrase", RULE_EXCLUDES, "key-file identity", ONE_SECRET },
	{ UNLOCKS, WRITES, "key-file", RULE_EXCLUDES, "identity key-hex", ONE_SECRET },
	{ OPENS & ~CMD_ENC, 0, "identity-passphrase", RULE_NEEDS, "identity", NULL },
	{ NEW_KEY | CMD_REKEY, 0, "new-passphrase", RULE_EXCLUDES, "new-key-file", ONE_SECRET },
	{ CMD_KEY_REMOVE, 0, "", RULE_NEEDS, "slot recipient label", NULL },
	{ CMD_KEY_REMOVE, 0, "slot", RULE_EXCLUDES, "recipient label", NULL },
	{ CMD_KEY_REMOVE, 0, "recipient", RULE_EXCLUDES, "label", NULL },
	{ CMD_ENC | CMD_REKEY, 0, "anonymous", RULE_NEEDS, "recipient recipients-from", NULL },
	{ NEW_KEY, 0, "anonymous", RULE_NEEDS, "new-recipient", NULL },
	{ CMD_ENC, 0, "anonymous", RULE_EXCLUDES, "resume in-place", "who can continue could not be compared" },
	{ CMD_KEYGEN, 0, "x25519", RULE_NEEDS, "output", "the public key goes to KEY.pub" },
	{ CMD_KEYGEN, 0, "ml-kem", RULE_NEEDS, "output", "the public key goes to KEY.pub" },
	{ 0, WRITES, "raw", RULE_NEEDS, "cipher", NULL },
	{ 0, WRITES, "raw", RULE_NEEDS, "bits", NULL },
	{ 0, WRITES, "raw", RULE_NEEDS, "mode", NULL },
	{ 0, WRITES, "raw", RULE_NEEDS, "key-hex key-file", NULL },
	{ WRITES, WRITES, "output-dir", RULE_EXCLUDES, "output", NULL },
	{ WRITES, 0, "rm", RULE_EXCLUDES, "offset length", "the rest would be lost" },
	{ CMD_ENC, 0, "rm recipient", RULE_NEEDS, "passphrase key-file", ONLY_PUBLIC },
	{ CMD_ENC, 0, "rm recipients-from", RULE_NEEDS, "passphrase key-file", ONLY_PUBLIC },
	{ CMD_DEC, 0, "salvage", RULE_EXCLUDES, "rm", "the source may hold more" },
	{ CMD_DEC, 0, "salvage", RULE_EXCLUDES, "offset length verify-first", NULL },
	{ CMD_DEC, 0, "verify-first", RULE_EXCLUDES, "offset length", NULL },
	{ CMD_ENC, 0, "in-place", RULE_NEEDS, "detached",
		"a container that is one file is longer than its content, and would overwrite what has not been read" },
	{ WRITES, 0, "in-place", RULE_EXCLUDES, "output rm", NULL },
	{ CMD_DEC, 0, "in-place", RULE_EXCLUDES, "output-dir salvage verify-first offset length no-sparse", NULL },
	{ CMD_ENC, 0, "in-place", RULE_EXCLUDES, "resume", "it always continues" },
	{ CMD_ENC, 0, "in-place recipient", RULE_NEEDS, "passphrase key-file", INTERRUPTED },
	{ CMD_ENC, 0, "in-place recipients-from", RULE_NEEDS, "passphrase key-file", INTERRUPTED },
	{ CMD_ENC, 0, "detached", RULE_NEEDS, "output in-place", "the image is IMAGE, its detached header IMAGE.gcr" },
	{ CMD_ENC, 0, "detached", RULE_EXCLUDES, "rm zstd", NULL },
	{ CMD_ENC, 0, "luks2", RULE_NEEDS, "output", NULL },
	{ CMD_ENC, 0, "luks2", RULE_EXCLUDES,
		"detached in-place resume recipient recipients-from rm zstd sparse allow chunk-log2 group-log2 output-dir jobs",
		NULL },
	{ CMD_ADVISE, 0, "luks2", RULE_EXCLUDES, "measure allow", NULL },
	{ CMD_ENC, 0, "luks2-header", RULE_NEEDS, "luks2", NULL },
	{ CMD_ENC, 0, "kdf", RULE_NEEDS, "luks2", NULL },
	{ CMD_ENC, 0, "uuid", RULE_NEEDS, "luks2", NULL },
	{ CMD_ENC, 0, "sector-size", RULE_NEEDS, "detached luks2", NULL },
	{ CMD_ENC, 0, "resume", RULE_EXCLUDES, "detached sparse zstd", NULL },
	{ CMD_ENC, 0, "resume recipient", RULE_NEEDS, "passphrase key-file", INTERRUPTED },
	{ CMD_ENC, 0, "resume recipients-from", RULE_NEEDS, "passphrase key-file", INTERRUPTED },
	{ CMD_ENC, 0, "part", RULE_EXCLUDES, "resume detached luks2 sparse zstd rm anonymous", NULL },
	{ CMD_DEC, 0, "part", RULE_EXCLUDES, "salvage offset length verify-first in-place rm luks2-header", NULL },
	{ CMD_ENC | CMD_VERIFY, 0, "part", RULE_EXCLUDES, "manifest", "give each run a list and a manifest of its own" },
	{ CMD_ENC, 0, "part recipient", RULE_NEEDS, "passphrase key-file", OTHER_PARTS },
	{ CMD_ENC, 0, "part recipients-from", RULE_NEEDS, "passphrase key-file", OTHER_PARTS },
	{ CMD_REKEY, 0, "part", RULE_NEEDS, "output", "the old container stays" },
	{ CMD_REKEY, 0, "part", RULE_EXCLUDES, "anonymous", NULL },
	{ CMD_REKEY, 0, "part identity", RULE_NEEDS, "new-passphrase new-key-file", OTHER_PARTS },
	{ MAKES, 0, "align", RULE_NEEDS, "part", NULL },
	{ READS, 0, "jobs", RULE_EXCLUDES, "progress", "several files are in work at a time" },
	{ CMD_DEC, 0, "salvage json", RULE_EXCLUDES, "jobs", NULL },
	{ READS, WRITES, "null", RULE_NEEDS, "files-from", NULL },
	{ CMD_ENC, 0, "manifest", RULE_EXCLUDES, "output detached luks2 resume rm dry-run align", NULL },
	{ CMD_ENC, 0, "prune", RULE_NEEDS, "manifest", NULL },
	{ CMD_ENC, 0, "manifest recipient", RULE_NEEDS, "passphrase key-file", NEXT_RUN },
	{ CMD_ENC, 0, "manifest recipients-from", RULE_NEEDS, "passphrase key-file", NEXT_RUN },
	{ CMD_VERIFY, 0, "manifest", RULE_EXCLUDES, "files-from image luks2-header dry-run", NULL },
	{ CMD_DEC, 0, "salvage json", RULE_REFUSES, "output=-",
		"--json: not with --output -: standard output gets the plaintext" },
	{ 0, WRITES, "raw", RULE_REFUSES, "cipher=auto", "--raw: needs a named cipher, not auto" },
	{ COMPUTES | CMD_ADVISE | CMD_BENCH, WRITES, "device", RULE_REFUSES, "engine=cpu",
		"--device: names an OpenCL device, not with --engine cpu" },
	{ CMD_ADVISE, 0, "storage", RULE_NEEDS, "nodes", NULL },
	{ CMD_ADVISE, 0, "nodes", RULE_EXCLUDES, "luks2", NULL },
	{ CMD_ADVISE, 0, "explain", RULE_EXCLUDES, "json", NULL },
	{ .given = NULL },
};

static const struct option_rule rules_of_file[] = { { .given = NULL } };
static const struct option_rule rules_of_tree[] = {
	{ WRITES, 0, "", RULE_REFUSES, "rm", "--rm: not with directories: what is in them may change unseen" },
	{ CMD_DEC, 0, "", RULE_REFUSES, "offset length verify-first",
		"--offset, --length and --verify-first: not with a directory tree, but for -o -" },
	{ .given = NULL },
};
static const struct option_rule rules_of_compressed[] = {
	{ CMD_DEC, 0, "", RULE_REFUSES, "offset length", "--offset and --length: not with a compressed file" },
	{ .given = NULL },
};
static const struct option_rule rules_of_detached[] = {
	{ CMD_DEC, 0, "", RULE_EXCLUDES, "rm", "a detached container" },
	{ .given = NULL },
};
static const struct option_rule rules_of_volume[] = {
	{ CMD_REKEY, 0, "", RULE_NEEDS, "output", "a LUKS volume is rekeyed to a new file only: give -o OUT" },
	{ CMD_REKEY, 0, "", RULE_REFUSES, "engine=all", "--engine all: a LUKS volume is rekeyed by one engine" },
	{ READS_ALL, 0, "", RULE_EXCLUDES,
		"identity offset length salvage verify-first part rm recipient recipients-from image sparse chunk-log2 group-log2",
		"a LUKS volume" },
	{ .given = NULL },
};
/* clang-format on */

_Static_assert(sizeof gcrypt_rows / sizeof *gcrypt_rows <= MAX_OPTION_ROWS, "parsed.given has room for each row");

void options_for_kernels(const struct options *options, char *text, size_t n)
{
	static const char *const names[] = { "table", "table-space", "key-space", "portable", "copies", "counters",
		"work-items", "work-groups" };

	text[0] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (option_given(options, names[i]) && (i > 0 || options->plan.kernel.table < TABLE_INSTRUCTIONS))
			snprintf(text + strlen(text), n - strlen(text), "%s--%s", text[0] ? ", " : "", names[i]);
}

const struct option_rule *const gcrypt_input_rules[INPUT_VOLUME + 1] = { [INPUT_FILE] = rules_of_file,
	[INPUT_TREE] = rules_of_tree,
	[INPUT_COMPRESSED] = rules_of_compressed,
	[INPUT_DETACHED] = rules_of_detached,
	[INPUT_VOLUME] = rules_of_volume };

int options_check_input(const struct options *options, enum input_kind kind, const char *name)
{
	if (kind != INPUT_TREE && options->parsed.n_members > 0)
		return fail(
		        GPUCRYPT_USAGE, "%s: -- PATH: only from the container of a directory into a directory", name);
	return option_rules_check(&options->parsed, gcrypt_input_rules[kind], name);
}

void options_wipe(struct options *options)
{
	wipe(&options->opening.key_hex, sizeof options->opening.key_hex);
	wipe(&options->iv_hex, sizeof options->iv_hex);
}
