#include "plan.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/container.h"
#include "gpucrypt/status.h"
#include "json.h"
#include "message.h"

static void add(struct plan_lines *lines, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static void add(struct plan_lines *lines, const char *name, const char *format, ...)
{
	struct plan_line *line = &lines->lines[lines->n_lines++];
	va_list arguments;

	line->name = name;
	va_start(arguments, format);
	vsnprintf(line->text, sizeof line->text, format, arguments);
	va_end(arguments);
	message_clean(line->text);
}

int plan_check(const struct options *options, enum direction direction)
{
	const char *const engines[] = { "auto", engine_opencl.name, engine_cpu.name };
	const char *engine = options->plan.engine;
	bool known = !engine;
	struct suite suite;

	for (size_t i = 0; i < sizeof engines / sizeof *engines && !known; i++)
		known = !strcmp(engine, engines[i]);
	if (!known)
		return fail(GPUCRYPT_USAGE, "engine %s: there are %s %s %s", engine, engines[0],
		        engines[1], engines[2]);
	return suite_of_plan(&suite, &options->plan, direction);
}

static void describe_suite(struct plan_lines *lines, const struct suite *suite)
{
	add(lines, "cipher", "%s", suite->cipher->name);
	add(lines, "bits", "%u", 8 * suite->key_bytes);
	add(lines, "mode", "%s", suite->mode->name);
}

static void describe_sizes(struct plan_lines *lines, unsigned chunk_log2, unsigned group_log2)
{
	add(lines, "chunk", "%lu bytes", 1ul << chunk_log2);
	add(lines, "group", "%lu bytes", 1ul << group_log2);
}

static int describe_plan_sizes(struct plan_lines *lines, struct gpucrypt_plan plan)
{
	int status = container_sizes(&plan);

	if (status == GPUCRYPT_OK)
		describe_sizes(lines, plan.chunk_log2, plan.group_log2);
	return status;
}

/* What the header says; the input is left at its start if it is going to be read again. */
static int read_suite(
        struct plan_lines *lines, struct suite *suite, struct input *input, bool read_again)
{
	struct header_state state;
	int status = container_examine(&input->source, &state);

	if (status == GPUCRYPT_OK && read_again)
		status = input_rewind(input);
	if (status != GPUCRYPT_OK)
		return status;
	*suite = (struct suite){ .cipher = cipher_by_id(state.header.cipher_id),
		.mode = mode_by_id(state.header.mode_id),
		.key_bytes = state.header.key_bytes,
		.direction = DECRYPT };
	describe_suite(lines, suite);
	describe_sizes(lines, state.header.chunk_log2, state.header.group_log2);
	return GPUCRYPT_OK;
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

/* A container that comes through a pipe cannot be read twice. */
static bool header_unreadable(const struct options *options, const struct input *input)
{
	return !options->dry_run && lseek(input->source.fd, 0, SEEK_CUR) != 0;
}

int plan_describe(struct plan_lines *lines, const struct options *options, struct input *input,
        const char *output, enum direction direction)
{
	struct suite suite;
	int status = GPUCRYPT_OK;

	*lines = (struct plan_lines){ 0 };
	add(lines, "input", "%s", input->name);
	if (output)
		add(lines, "output", "%s", output);
	describe_secret(lines, options);
	if (direction == DECRYPT && !options->raw) {
		if (header_unreadable(options, input)) {
			add(lines, "cipher", "as the header says");
			add(lines, "engine", "%s",
			        options->plan.engine ? options->plan.engine : "auto");
			return GPUCRYPT_OK;
		}
		status = read_suite(lines, &suite, input, !options->dry_run);
	} else {
		status = suite_of_plan(&suite, &options->plan, direction);
		if (status != GPUCRYPT_OK)
			return status;
		describe_suite(lines, &suite);
		if (!options->raw)
			status = describe_plan_sizes(lines, options->plan);
	}
	if (status == GPUCRYPT_OK && !output && !suite.mode->whole_blocks)
		add(lines, "engine", "none: only tags are checked");
	else if (status == GPUCRYPT_OK)
		status = describe_engine(lines, &suite, &options->plan);
	return status;
}

void plan_print(FILE *stream, const struct plan_lines *lines)
{
	for (unsigned i = 0; i < lines->n_lines; i++)
		fprintf(stream, "%s: %s\n", lines->lines[i].name, lines->lines[i].text);
	fflush(stream);
}

int plan_print_json(const struct plan_lines *lines)
{
	json_t *json = json_object();

	for (unsigned i = 0; i < lines->n_lines; i++)
		json_object_set_new(json, lines->lines[i].name, json_text(lines->lines[i].text));
	return json_print(json);
}
