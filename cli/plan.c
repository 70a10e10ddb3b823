#include "plan.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/container.h"
#include "gpucrypt/program.h"
#include "gpucrypt/status.h"
#include "json.h"
#include "message.h"

static void add(struct plan_lines *lines, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static void add(struct plan_lines *lines, const char *name, const char *format, ...)
{
	struct plan_line *line = &lines->lines[lines->n_lines++];
	va_list arguments;

	assert(lines->n_lines <= MAX_PLAN_LINES);
	line->name = name;
	va_start(arguments, format);
	vsnprintf(line->text, sizeof line->text, format, arguments);
	va_end(arguments);
}

int plan_check(const struct options *options, enum direction direction)
{
	const char *const engines[] = { "auto", engine_opencl.name, engine_cpu.name };
	const char *engine = options->plan.engine;
	bool known = !engine;
	struct file_plan plan;

	for (size_t i = 0; i < sizeof engines / sizeof *engines && !known; i++)
		known = !strcmp(engine, engines[i]);
	if (!known)
		return fail(GPUCRYPT_USAGE, "engine %s: there are %s %s %s", engine, engines[0],
		        engines[1], engines[2]);
	return direction == ENCRYPT || options->raw ? plan_file(&plan, options, NULL, direction)
	                                            : GPUCRYPT_OK;
}

/* What the header says; the input is left at its start if it is going to be read again. */
static int read_header(struct file_plan *plan, struct input *input, bool read_again)
{
	struct header_state state;
	const struct header *header = &state.header;
	int status = container_examine(&input->source, &state);

	if (status == GPUCRYPT_OK && read_again)
		status = input_rewind(input);
	if (status == GPUCRYPT_OK)
		*plan = (struct file_plan){ .suite = { .cipher = cipher_by_id(header->cipher_id),
			                            .mode = mode_by_id(header->mode_id),
			                            .key_bytes = header->key_bytes,
			                            .direction = DECRYPT },
			.chunk_log2 = header->chunk_log2,
			.group_log2 = header->group_log2 };
	return status;
}

int plan_file(struct file_plan *plan, const struct options *options, struct input *input,
        enum direction direction)
{
	struct gpucrypt_plan sizes = options->plan;
	struct program_shape shape;
	int status = GPUCRYPT_OK;

	*plan = (struct file_plan){ 0 };
	if (direction == ENCRYPT || options->raw) {
		status = suite_of_plan(&plan->suite, &options->plan, direction);
		if (status == GPUCRYPT_OK && !options->raw)
			status = container_sizes(&sizes);
		plan->chunk_log2 = sizes.chunk_log2;
		plan->group_log2 = sizes.group_log2;
	} else if (options->dry_run || lseek(input->source.fd, 0, SEEK_CUR) == 0)
		status = read_header(plan, input, !options->dry_run);
	else
		plan->unknown = true;
	if (status == GPUCRYPT_OK && !plan->unknown)
		status = program_shape_of_plan(&shape, plan->suite.cipher, &options->plan);
	return status;
}

static int describe_engine(
        struct plan_lines *lines, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	struct engine *engine = NULL;
	int status = engine_open(&engine, suite, plan);

	if (status != GPUCRYPT_OK)
		return status;
	add(lines, "engine", "%s", engine->description);
	if (engine->note[0])
		add(lines, "note", "%s", engine->note);
	engine_close(engine);
	return GPUCRYPT_OK;
}

static void describe_secret(struct plan_lines *lines, const struct options *options)
{
	if (options->key_file)
		add(lines, "key", "key file %s", options->key_file);
	else if (options->raw)
		add(lines, "key", "%s", options->key_hex.length ? "from --key-hex" : "none");
	else
		add(lines, "key", "passphrase, %s",
		        options->passphrase ? "from --passphrase" : "asked for");
}

int plan_describe(struct plan_lines *lines, const struct options *options,
        const struct file_plan *plan, const char *input, const char *output)
{
	const struct suite *suite = &plan->suite;

	*lines = (struct plan_lines){ 0 };
	add(lines, "input", "%s", input);
	if (output)
		add(lines, "output", "%s", output);
	describe_secret(lines, options);
	if (plan->unknown) {
		add(lines, "cipher", "as the header says");
		add(lines, "engine", "%s", options->plan.engine ? options->plan.engine : "auto");
		return GPUCRYPT_OK;
	}
	add(lines, "cipher", "%s", suite->cipher->name);
	add(lines, "bits", "%u", 8 * suite->key_bytes);
	add(lines, "mode", "%s", suite->mode->name);
	if (!options->raw) {
		add(lines, "chunk", "%lu bytes", 1ul << plan->chunk_log2);
		add(lines, "group", "%lu bytes", 1ul << plan->group_log2);
	}
	if (output || suite->mode->whole_blocks)
		return describe_engine(lines, suite, &options->plan);
	add(lines, "engine", "none: only tags are checked");
	return GPUCRYPT_OK;
}

void plan_print(FILE *stream, struct plan_lines *lines)
{
	for (unsigned i = 0; i < lines->n_lines; i++) {
		message_clean(lines->lines[i].text, true);
		fprintf(stream, "%s: %s\n", lines->lines[i].name, lines->lines[i].text);
	}
	fflush(stream);
}

int plan_print_json(const struct plan_lines *lines)
{
	json_t *json = json_object();

	for (unsigned i = 0; i < lines->n_lines; i++)
		json_object_set_new(json, lines->lines[i].name, json_text(lines->lines[i].text));
	return json_print(json);
}
