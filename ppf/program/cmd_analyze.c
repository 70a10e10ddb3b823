/* ppf analyze: counts of one function in one file. */
#include <stdio.h>

#include "command/json.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/analyze.h"
#include "ppf/program/options.h"
#include "ppf/record/records.h"

static void print_memory(const struct memory_list *memory)
{
	if (memory->n > 0)
		printf("  %-24s %-10s %7s %8s  %s\n", "memory", "role", "bytes", "accesses", "because");
	for (const struct memory_use *use = memory->of; use < memory->of + memory->n; use++)
		printf("  %-24s %-10s %7u %8u  %s\n", use->name, role_names[use->role], use->bytes, use->accesses,
		        use->why);
}

static int print_text(const struct profile *profile, const struct memory_list *memory)
{
	printf("%s\n  N_tbl %u\n  N_key %u\n  N_inst %u\n", profile->name, profile->n_tbl, profile->n_key,
	        profile_n_inst(profile));
	for (int i = 0; i < N_OPERATORS; i++)
		if (profile->operators[i] > 0)
			printf("    %-7s %u\n", operator_names[i], profile->operators[i]);
	printf("  N_pt %u\n  N_ct %u\n", profile->n_pt, profile->n_ct);
	printf("  critical path %u look-ups, %u operators\n", profile->lookups_deep, profile->operators_deep);
	printf("  logic functions of three inputs %u\n  fields", profile->logic_functions);
	for (int i = 0; i < N_FIELDS; i++)
		printf(" %s %u", field_names[i], profile->fields[i]);
	printf("\n  masks written as casts %u\n  block %u bytes, tables %llu bytes\n", profile->casts,
	        profile->block_bytes, (unsigned long long)profile->table_bytes);
	if (*profile->note)
		printf("  note: %s\n", profile->note);
	print_memory(memory);
	return GPUCRYPT_OK;
}

static json_t *memory_json(const struct memory_list *memory)
{
	json_t *list = json_array();

	for (const struct memory_use *use = memory->of; use < memory->of + memory->n; use++)
		json_array_append_new(
		        list, json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:s}", "name", use->name, "role",
		                      role_names[use->role], "bytes", (int)use->bytes, "loads", (int)use->loads,
		                      "stores", (int)use->stores, "accesses", (int)use->accesses, "because", use->why));
	return list;
}

static int print_json(const struct profile *profile, const struct analysis *analysis)
{
	json_t *object = json_object();
	int status;

	json_set_name(object, "file", analysis->file);
	json_set(object, "function", json_string(analysis->function));
	json_set(object, "n_inst", json_integer(profile_n_inst(profile)));
	status = profile_record_write(profile, object);
	if (status != GPUCRYPT_OK) {
		json_decref(object);
		return status;
	}
	json_set(object, "memory", memory_json(analysis->memory));
	if (*profile->note)
		json_set(object, "counts_note", json_string(profile->note));
	return json_print(object);
}

/* NULL: the default patterns. */
static const char *const *list(const struct text_list *texts)
{
	return texts->n > 0 ? texts->texts : NULL;
}

/* Further sources are read before the first one. */
struct analysis analysis_of_options(const struct options *options, struct preprocessor_options *preprocessor)
{
	const struct text_list *given = &options->analyze.preprocessor;
	bool has_option = options->sources.n > 0;
	const char *const *files = has_option ? options->sources.texts : (const char *const *)options->parsed.operands;
	unsigned n_files = has_option ? options->sources.n : options->parsed.n_operands, n = 0;

	for (; n < given->n; n++)
		preprocessor->texts[n] = given->texts[n];
	for (unsigned i = 1; i < n_files && i < MAX_SOURCE_FILES; i++) {
		preprocessor->texts[n++] = "-include";
		preprocessor->texts[n++] = files[i];
	}
	preprocessor->texts[n] = NULL;
	return (struct analysis){ .file = files[0],
		.function = options->function,
		.set = list(&options->analyze.set),
		.options = preprocessor->texts,
		.by_value = true,
		.patterns = { .table = list(&options->analyze.table),
		        .key = list(&options->analyze.key),
		        .rotate = list(&options->analyze.rotate),
		        .plain = list(&options->analyze.plain),
		        .cipher = list(&options->analyze.cipher) } };
}

/* A block is what the function writes. */
int check_counts(const struct profile *profile, struct launch *launch, const struct options *options)
{
	const char *name = profile->name;

	launch->block_bytes = options->predict.block ?: profile->block_bytes ?: 4 * profile->n_pt;
	launch->table_words = (unsigned)((profile->table_bytes + 3) / 4);
	if (profile->n_pt == 0 && options->predict.block == 0)
		return fail(GPUCRYPT_USAGE, "%s: reads no input block: name the parameter by --plain, or give --block",
		        name);
	if (profile->n_ct == 0)
		return fail(GPUCRYPT_USAGE, "%s: writes no output block: name the parameter by --ciphertext", name);
	if (profile->n_tbl == 0 && profile_n_inst(profile) == 0)
		return fail(GPUCRYPT_USAGE, "%s: has neither operators nor table look-ups: nothing to predict", name);
	return GPUCRYPT_OK;
}

int profile_of_source(
        struct profile *profile, struct launch *launch, struct memory_list *memory, const struct options *options)
{
	struct preprocessor_options preprocessor;
	struct analysis analysis = analysis_of_options(options, &preprocessor);

	int status;

	analysis.memory = memory;
	status = analyze(profile, &analysis) ?: check_counts(profile, launch, options);
	if (options->predict.block) /* an answer to the note */
		*profile->note = '\0';
	return status;
}

int cmd_analyze(const struct options *options)
{
	struct preprocessor_options preprocessor;
	struct analysis analysis = analysis_of_options(options, &preprocessor);
	struct memory_list memory = { .n = 0 };
	struct profile profile;
	int status;

	analysis.memory = &memory;
	status = analyze(&profile, &analysis);
	if (status == GPUCRYPT_OK && profile_n_inst(&profile) + profile.n_tbl + memory.n == 0)
		status = fail(GPUCRYPT_UNKNOWN,
		        "%s: nothing to count: the function has no operators and accesses no memory outside it",
		        profile.name);
	if (status != GPUCRYPT_OK)
		return status;
	return options->json ? print_json(&profile, &analysis) : print_text(&profile, &memory);
}
