#include "ppf/run/translate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/preprocess.h"
#include "ppf/isolate.h"
#include "ppf/run/internal.h"

void translate_fail(struct translator *t, const struct node *at, const char *format, ...)
{
	char text[300];
	va_list arguments;

	if (t->status != GPUCRYPT_OK)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	t->status = fail_at(at, GPUCRYPT_UNKNOWN, "%s", text);
}

bool memory_text_open(struct memory_text *text)
{
	*text = (struct memory_text){ .file = NULL };
	text->file = open_memstream(&text->bytes, &text->n_bytes);
	return text->file != NULL;
}

void memory_text_close(struct memory_text *text)
{
	if (text->file)
		fclose(text->file);
	free(text->bytes);
}

typedef void print_program(struct translator *t, FILE *out);

/* One of the two programs into its place in the result. */
static void program_print(struct translator *t, char *text, size_t n_bytes, print_program *print)
{
	FILE *out = fmemopen(text, n_bytes, "w");

	t->n_instances = 0;
	t->records = calloc(t->unit.n_records + 1, sizeof *t->records);
	t->variables = calloc(t->unit.n_symbols + 1, sizeof *t->variables);
	if (!out || !t->records || !t->variables || !memory_text_open(&t->declarations) ||
	        !memory_text_open(&t->functions)) {
		translate_fail(t, t->unit.at_entry, "out of memory");
		return;
	}
	print(t, out);
	if (fclose(out) != 0 || text[n_bytes - 1] != '\0' || memchr(text, '\0', n_bytes) == NULL)
		translate_fail(t, t->unit.at_entry, "the translation is too long");
	memory_text_close(&t->declarations);
	memory_text_close(&t->functions);
	free(t->records);
	free(t->variables);
}

static int translate_unit(struct translator *t, struct translation *translation)
{
	ports_find(t);
	objects_add_parameters(t);
	t->is_kernel = true;
	if (t->status == GPUCRYPT_OK)
		program_print(t, translation->kernel, sizeof translation->kernel, kernel_print);
	t->is_kernel = false;
	if (t->status == GPUCRYPT_OK)
		program_print(t, translation->host, sizeof translation->host, host_print);
	memcpy(translation->n_bytes, t->n_bytes, sizeof t->n_bytes);
	translation->random_bytes = t->random_bytes;
	return t->status;
}

static int translate_isolated(void *result, const void *request)
{
	struct translator *t = calloc(1, sizeof *t);
	int status;

	if (!t)
		return fail(GPUCRYPT_OTHER, "out of memory");
	t->request = request;
	status = unit_read(&t->unit, &t->request->analysis);
	if (status == GPUCRYPT_OK)
		status = translate_unit(t, result);
	unit_free(&t->unit);
	free(t);
	return status;
}

int translate(struct translation *translation, const struct translation_request *request)
{
	return isolate(&(struct isolation){ .file = request->analysis.file,
	        .work = translate_isolated,
	        .request = request,
	        .result = translation,
	        .n_bytes = sizeof *translation,
	        .prepare = preprocess_handle_signals });
}
