/* ppf analyze: counts of one function in one file. */
#include <stdio.h>

#include "cli/terminal/json.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/analyze.h"
#include "ppf/program/options.h"

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

	for (int i = 0; i < N_OPERATORS; i++)
		json_set(operators, operator_names[i], json_integer(profile->operators[i]));
	if (json_object_set_new(object, "file", json_string(analysis->file)) != 0)
		json_set(object, "file", json_null()); /* not UTF-8 */
	json_set(object, "function", json_string(analysis->function));
	json_set(object, "n_tbl", json_integer(profile->n_tbl));
	json_set(object, "n_key", json_integer(profile->n_key));
	json_set(object, "n_inst", json_integer(profile_n_inst(profile)));
	json_set(object, "operators", operators);
	json_set(object, "n_pt", json_integer(profile->n_pt));
	json_set(object, "n_ct", json_integer(profile->n_ct));
	return json_print(object);
}

/* NULL: the default patterns. */
static const char *const *list(const struct text_list *texts)
{
	return texts->n > 0 ? texts->texts : NULL;
}

int cmd_analyze(const struct options *options)
{
	const struct analysis analysis = { .file = options->parsed.operands[0],
		.function = options->function,
		.options = options->analyze.preprocessor.texts,
		.patterns = { list(&options->analyze.table), list(&options->analyze.key),
		        list(&options->analyze.rotate), list(&options->analyze.plain),
		        list(&options->analyze.cipher) } };
	struct profile profile;
	int status = analyze(&profile, &analysis);

	if (status != GPUCRYPT_OK)
		return status;
	return options->json ? print_json(&profile, &analysis) : print_text(&profile);
}
