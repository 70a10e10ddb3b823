/* The tables of the program ppf. */
#include "ppf/program/options.h"

#include "ppf/model/nodes.h"
#include "ppf/record/device_record.h"

enum {
	CMD_ANALYZE = 1 << 0,
	CMD_MEASURE = 1 << 1,
	CMD_PREDICT = 1 << 2,
	CMD_STUDY = 1 << 3,
	CMD_PROFILES = 1 << 4,
	CMD_RUN = 1 << 5,
	CMD_NODES = 1 << 6,
	SOURCES = CMD_PREDICT | CMD_RUN
};

#define FIELD(member) offsetof(struct options, member)

/* clang-format off */
static const struct command commands[] = {
	{ "analyze", CMD_ANALYZE, "FILE.c...", NULL, 1, MAX_SOURCE_FILES, cmd_analyze,
		"count what a cipher's C source does for one block" },
	{ "measure", CMD_MEASURE, "", NULL, 0, 0, cmd_measure,
		"measure an OpenCL device, and this machine's CPU and storage" },
	{ "predict", CMD_PREDICT, "", NULL, 0, 0, cmd_predict,
		"bounds of a kernel's time in core cycles" },
	{ "run", CMD_RUN, "", NULL, 0, 0, cmd_run,
		"run a cipher's C source on an OpenCL device, and compare with the host and the prediction" },
	{ "study", CMD_STUDY, "", NULL, 0, 0, NULL,
		"measure the dissertation's figures again, by the program ppf-study" },
	{ "nodes", CMD_NODES, "", NULL, 0, 0, cmd_nodes,
		"predict one input on many nodes" },
	{ "profiles", CMD_PROFILES, "[FOLDER]", NULL, 0, 1, cmd_profiles,
		"analyse the built-in ciphers, whose sources are in FOLDER (kernels)" },
	{ .name = NULL },
};

static const struct option_row rows[] = {
	{ "function", 'f', "NAME", &type_text, CMD_ANALYZE | SOURCES, 0, FIELD(function), 0, 0,
		"the function that encrypts one block", NULL },
	{ NULL, 'D', "MACRO[=VALUE]", &type_preprocessor, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.preprocessor), 0, MAX_TEXTS,
		"as for a C compiler", NULL },
	{ NULL, 'U', "MACRO", &type_preprocessor, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.preprocessor), 0, MAX_TEXTS,
		"as for a C compiler", NULL },
	{ NULL, 'I', "DIR", &type_preprocessor, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.preprocessor), 0, MAX_TEXTS,
		"as for a C compiler", NULL },
	{ "include", 0, "FILE", &type_preprocessor, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.preprocessor), 0, MAX_TEXTS,
		"read FILE before the source", NULL },
	{ "tables", 0, "PATTERN", &type_list, SOURCES, 0, FIELD(analyze.table), 0, MAX_TEXTS,
		"with --source: glob of tables' names (see --table of ppf analyze)", NULL },
	{ "table", 0, "PATTERN", &type_list, CMD_ANALYZE, 0, FIELD(analyze.table), 0, MAX_TEXTS,
		"glob of tables' names, in place of the default ones (see ppf(1))", NULL },
	{ "key", 0, "PATTERN", &type_list, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.key), 0, MAX_TEXTS,
		"glob of round keys' names", NULL },
	{ "plain", 0, "PATTERN", &type_list, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.plain), 0, MAX_TEXTS,
		"glob of the plaintext parameter's name", NULL },
	{ "cipher", 0, "PATTERN", &type_list, CMD_ANALYZE, 0, FIELD(analyze.cipher), 0, MAX_TEXTS,
		"glob of the ciphertext parameter's name", NULL },
	{ "set", 0, "NAME=VALUE", &type_list, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.set), 0, MAX_TEXTS,
		"integer parameter or member of a known value, for example rounds=16", NULL },
	{ "rotate", 0, "PATTERN", &type_list, CMD_ANALYZE | SOURCES, 0, FIELD(analyze.rotate), 0, MAX_TEXTS,
		"glob of names of functions that rotate", NULL },
	{ "device", 0, "D", &type_device, CMD_MEASURE | CMD_RUN, 0, FIELD(device), 0, 999,
		"the OpenCL device of that number in gcrypt devices (the best one)", NULL },
	{ "output", 'o', "FILE", &type_text, CMD_MEASURE, 0, FIELD(output), 0, 0,
		"write FILE, in place of standard output and the cache of ppf predict", NULL },
	{ "device", 0, "FILE", &type_text, CMD_PREDICT, 0, FIELD(predict.device), 0, 0,
		"a built-in record, or the file of one (ppf measure -o)", "gtx580 gtx280 h200 cpu" },
	{ "cipher", 0, "C", &type_text, CMD_PREDICT, 0, FIELD(predict.cipher), 0, 0,
		"a built-in cipher", NULL },
	{ "bits", 0, "N", &type_number, CMD_PREDICT, 0, FIELD(predict.bits), 1, 256,
		"of its key (128)", "128 192 256" },
	{ "table", 0, "FORM", &type_text, CMD_PREDICT, 0, FIELD(predict.table), 0, 0,
		"form of its substitution tables", NULL },
	{ "counts", 0, "WHICH", &type_text, CMD_PREDICT, 0, FIELD(predict.counts), 0, 0,
		"core: of the built-in core, thesis: the dissertation's table 6.4, else a file of ppf analyze --json", "core thesis" },
	{ "source", 0, "FILE.c", &type_list, SOURCES, 0, FIELD(sources), 0, MAX_SOURCE_FILES,
		"counts of a C function, as ppf analyze finds them; again: a further file", NULL },
	{ "ciphertext", 0, "PATTERN", &type_list, SOURCES, 0, FIELD(analyze.cipher), 0, MAX_TEXTS,
		"with --source: glob of the ciphertext parameter's name", NULL },
	{ "block", 0, "N", &type_number, SOURCES, 0, FIELD(predict.block), 1, 4096,
		"with --source: bytes of the cipher's block (those that the function reads)", NULL },
	{ "size", 0, "N", &type_bytes, SOURCES | CMD_NODES, 0, FIELD(predict.size), 1, UINT64_C(1) << 60,
		"of the input; K, M, G, T, KiB, MiB … may follow", NULL },
	{ "work-groups", 0, "N", &type_number, SOURCES, 0, FIELD(predict.work_groups), 1, 1u << 30,
		"in the launch (4 for each compute unit)", NULL },
	{ "work-items", 0, "N", &type_number, SOURCES, 0, FIELD(predict.work_items), 1, 1u << 20,
		"in a work-group (256)", NULL },
	{ "copies", 0, "N", &type_power, CMD_PREDICT, 0, FIELD(predict.copies), 1, 1u << MAX_COPIES_LOG2,
		"replicas of the tables in local memory, a power of 2 (1)", NULL },
	{ "mode", 0, "NAME", &type_mode, CMD_PREDICT, 0, FIELD(predict.mode), 0, 0,
		"mode that the estimate is for (ctr)", NULL },
	{ "key-space", 0, "SPACE", &type_key_space, SOURCES, 0, FIELD(predict.key_space), 0, 0,
		"where round keys are (local)", NULL },
	{ "table-space", 0, "SPACE", &type_table_space, SOURCES, 0, FIELD(run.table_space), 0, 0,
		"where tables are (local)", NULL },
	{ "prepare", 0, "STATEMENT", &type_text, CMD_RUN, 0, FIELD(run.prepare), 0, 0,
		"C statement that runs first, for example key_schedule(context, random)", NULL },
	{ "sweep", 0, NULL, &type_flag, CMD_RUN, 0, FIELD(run.sweep), 0, 0,
		"measure all placements and launch shapes that no option names", NULL },
	{ "rate", 0, "N", &type_bytes, CMD_NODES, 0, FIELD(nodes.rate), 1, UINT64_C(1) << 60,
		"bytes a second of one node alone", NULL },
	{ "storage", 0, "N", &type_bytes, CMD_NODES, 0, FIELD(nodes.storage), 1, UINT64_C(1) << 60,
		"bytes a second that all nodes read while they write as many (no limit)", NULL },
	{ "together", 0, "N", &type_list, CMD_NODES, 0, FIELD(nodes.together), 0, MAX_TOGETHER,
		"nodes on one host: bytes a second that a process reaches; again: 2, 4, 8, … together", NULL },
	{ "nodes", 0, "N", &type_number, CMD_NODES, 0, FIELD(nodes.count), 1, MAX_NODES,
		"the most nodes (1024)", NULL },
	{ "piece", 0, "N", &type_bytes, CMD_NODES, 0, FIELD(nodes.piece), 1 << 12, UINT64_C(1) << 50,
		"bytes that a node takes at a time (64M)", NULL },
	{ "start", 0, "S", &type_number, CMD_NODES, 0, FIELD(nodes.start_s), 0, 1000000,
		"seconds until a node works (1)", NULL },
	{ "json", 0, NULL, &type_flag, CMD_ANALYZE | SOURCES | CMD_NODES, 0, FIELD(json), 0, 0,
		"print JSON", NULL },
	{ "help", 'h', "all", &type_help, ~0u, 0, FIELD(parsed.help), 0, 0,
		"print this help; all: with all options", "all" },
	{ .type = NULL },
};

static const struct option_rule rules[] = {
	{ CMD_ANALYZE, 0, "", RULE_NEEDS, "function", NULL },
	{ CMD_PREDICT, 0, "", RULE_NEEDS, "device", NULL },
	{ CMD_PREDICT, 0, "", RULE_NEEDS, "size", NULL },
	{ CMD_PREDICT, 0, "", RULE_NEEDS, "cipher source counts", NULL },
	{ CMD_NODES, 0, "", RULE_NEEDS, "size", NULL },
	{ CMD_NODES, 0, "", RULE_NEEDS, "rate", NULL },
	{ CMD_RUN, 0, "", RULE_NEEDS, "source", NULL },
	{ CMD_RUN, 0, "", RULE_NEEDS, "function", NULL },
	{ CMD_PREDICT, 0, "cipher", RULE_EXCLUDES, "source", NULL },
	{ CMD_PREDICT, 0, "source", RULE_NEEDS, "function", NULL },
	{ CMD_PREDICT, 0, "source", RULE_EXCLUDES, "table bits counts", "they are of a built-in cipher" },
	{ CMD_PREDICT, 0, "cipher", RULE_EXCLUDES, "function tables key plain ciphertext rotate include block set",
		"they are of a source" },
	{ .given = NULL },
};
/* clang-format on */

_Static_assert(sizeof rows / sizeof *rows <= MAX_OPTION_ROWS, "parsed.given has room for each row");

static const struct synonym synonyms[] = { { NULL, NULL } };

const struct program program = { "ppf", commands, rows, rules, 0, synonyms };
