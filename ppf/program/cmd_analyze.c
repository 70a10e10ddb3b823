/* ppf analyze: counts of one function in one file. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "ppf/analysis/analyze.h"
#include "ppf/program/command.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"

#define MAX_WORDS 64

/* A list that options add to; ended by NULL. */
struct words {
	const char *word[MAX_WORDS + 1];
	unsigned n;
};

struct arguments {
	const char *function;
	int json, help;
	struct words table, key, rotate, plain, cipher, preprocessor;
};

enum { OPTION_INCLUDE = 256, OPTION_TABLE, OPTION_KEY, OPTION_ROTATE, OPTION_PLAIN, OPTION_CIPHER };

static const char help[] = "usage: ppf analyze --function NAME [options] FILE.c\n"
                           "count what a cipher's C source does for one block\n\n"
                           "  -f, --function NAME   the function that encrypts one block\n"
                           "  -D MACRO[=VALUE]      as for a C compiler\n"
                           "  -U MACRO              …\n"
                           "  -I FOLDER             …\n"
                           "      --include FILE    read FILE before\n"
                           "      --table PATTERN   arrays and pointers with such names are tables\n"
                           "      --key PATTERN     … round keys\n"
                           "      --plain PATTERN   parameters with such names are the plaintext\n"
                           "      --cipher PATTERN  … the ciphertext\n"
                           "      --rotate PATTERN  functions with such names rotate\n"
                           "      --json            print JSON\n\n"
                           "Patterns are globs.  The first one of a kind replaces the list that there is by "
                           "default:\n";

static void print_patterns(const char *name, const char *const *patterns)
{
	printf("  --%-7s", name);
	for (; *patterns; patterns++)
		printf(" %s", *patterns);
	putchar('\n');
}

static int print_help(void)
{
	fputs(help, stdout);
	print_patterns("table", default_patterns.table);
	print_patterns("key", default_patterns.key);
	print_patterns("plain", default_patterns.plain);
	print_patterns("cipher", default_patterns.cipher);
	print_patterns("rotate", default_patterns.rotate);
	return GPUCRYPT_OK;
}

static int append(struct words *words, const char *word)
{
	if (words->n == MAX_WORDS)
		return fail(GPUCRYPT_USAGE, "analyze: more than %d options of one kind", MAX_WORDS);
	words->word[words->n++] = word;
	return GPUCRYPT_OK;
}

/* "-D" and its value as one word; freed when the program ends. */
static int append_joined(struct words *words, int letter, const char *value)
{
	char *word;

	if (asprintf(&word, "-%c%s", letter, value) < 0)
		return fail(GPUCRYPT_OTHER, "out of memory");
	return append(words, word);
}

static int store(void *self, int option)
{
	struct arguments *a = self;
	int status = GPUCRYPT_OK;

	switch (option) {
	case 'f':
		a->function = optarg;
		return status;
	case 'D':
	case 'U':
	case 'I':
		return append_joined(&a->preprocessor, option, optarg);
	case OPTION_INCLUDE:
		status = append(&a->preprocessor, "-include");
		return status == GPUCRYPT_OK ? append(&a->preprocessor, optarg) : status;
	case OPTION_TABLE:
		return append(&a->table, optarg);
	case OPTION_KEY:
		return append(&a->key, optarg);
	case OPTION_ROTATE:
		return append(&a->rotate, optarg);
	case OPTION_PLAIN:
		return append(&a->plain, optarg);
	case OPTION_CIPHER:
		return append(&a->cipher, optarg);
	default:
		return GPUCRYPT_OK;
	}
}

static int parse(struct arguments *a, int argc, char **argv)
{
	const struct option options[] = {
		{ "function", required_argument, NULL, 'f' },
		{ "include", required_argument, NULL, OPTION_INCLUDE },
		{ "table", required_argument, NULL, OPTION_TABLE },
		{ "key", required_argument, NULL, OPTION_KEY },
		{ "rotate", required_argument, NULL, OPTION_ROTATE },
		{ "plain", required_argument, NULL, OPTION_PLAIN },
		{ "cipher", required_argument, NULL, OPTION_CIPHER },
		{ "json", no_argument, &a->json, 1 },
		{ "help", no_argument, &a->help, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int status = options_read(argc, argv, "+:f:D:U:I:", options, store, a);

	if (status != GPUCRYPT_OK || a->help)
		return status;
	if (optind != argc - 1)
		return fail(GPUCRYPT_USAGE, "analyze: takes one FILE (see ppf analyze --help)");
	if (!a->function)
		return fail(GPUCRYPT_USAGE, "analyze: --function is missing");
	return GPUCRYPT_OK;
}

static int print_text(const struct profile *profile)
{
	printf("%s\n  N_tbl %u\n  N_key %u\n  N_inst %u\n", profile->name, profile->n_tbl, profile->n_key,
	        profile_n_inst(profile));
	for (int i = 0; i < N_OPERATORS; i++)
		if (profile->operators[i] > 0)
			printf("    %-7s %u\n", operator_names[i], profile->operators[i]);
	printf("  N_pt %u\n  N_ct %u\n", profile->n_pt, profile->n_ct);
	printf("  logic functions of three inputs %u\n  fields", profile->logic_functions);
	for (int i = 0; i < N_FIELDS; i++)
		printf(" %s %u", field_names[i], profile->fields[i]);
	putchar('\n');
	return GPUCRYPT_OK;
}

static int print_json(const struct profile *profile, const struct analysis *analysis)
{
	json_t *operators = json_object(), *object = json_object();
	char *text;

	for (int i = 0; i < N_OPERATORS; i++)
		json_object_set_new(operators, operator_names[i], json_integer(profile->operators[i]));
	if (json_object_set_new(object, "file", json_string(analysis->file)) != 0)
		json_object_set_new(object, "file", json_null()); /* not UTF-8 */
	json_object_set_new(object, "function", json_string(analysis->function));
	json_object_set_new(object, "n_tbl", json_integer(profile->n_tbl));
	json_object_set_new(object, "n_key", json_integer(profile->n_key));
	json_object_set_new(object, "n_inst", json_integer(profile_n_inst(profile)));
	json_object_set_new(object, "operators", operators);
	json_object_set_new(object, "n_pt", json_integer(profile->n_pt));
	json_object_set_new(object, "n_ct", json_integer(profile->n_ct));
	text = json_dumps(object, JSON_INDENT(2));
	json_decref(object);
	if (!text)
		return fail(GPUCRYPT_OTHER, "out of memory");
	puts(text);
	free(text);
	return GPUCRYPT_OK;
}

static const char *const *list(const struct words *words)
{
	return words->n > 0 ? words->word : NULL;
}

int cmd_analyze(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct profile profile;
	int status = parse(&a, argc, argv);

	if (status != GPUCRYPT_OK || a.help)
		return status == GPUCRYPT_OK ? print_help() : status;
	struct analysis analysis = { .file = argv[optind],
		.function = a.function,
		.options = a.preprocessor.word,
		.patterns = { list(&a.table), list(&a.key), list(&a.rotate), list(&a.plain), list(&a.cipher) } };
	status = analyze(&profile, &analysis);
	if (status != GPUCRYPT_OK)
		return status;
	return a.json ? print_json(&profile, &analysis) : print_text(&profile);
}
