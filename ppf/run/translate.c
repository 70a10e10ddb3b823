#include "ppf/run/translate.h"

#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/isolate.h"
#include "ppf/run/internal.h"

uint64_t place_number(struct translator *t, const struct node *node)
{
	const size_t most = sizeof((struct translation *)0)->files - 2;
	size_t at = 0;

	while (t->files[at] != '\0' && strcmp(t->files + at, node->file) != 0)
		at += strlen(t->files + at) + 1;
	if (at + strlen(node->file) > most)
		at = 0;
	else
		strcpy(t->files + at, node->file);
	return (uint64_t)at << 32 | node->line;
}

void memory_text_open(struct memory_text *text)
{
	*text = (struct memory_text){ .bytes = NULL };
	text->file = open_memstream(&text->bytes, &text->n_bytes);
	if (!text->file)
		isolate_end(fail(GPUCRYPT_OTHER, "out of memory"));
}

const char *memory_text_end(struct memory_text *text)
{
	if (fclose(text->file) != 0)
		isolate_end(fail(GPUCRYPT_OTHER, "out of memory"));
	return text->bytes;
}

typedef void print_program(struct translator *t, FILE *out);

/* One of the two programs into its place in the result. */
static void program_print(struct translator *t, char *text, size_t n_bytes, print_program *print)
{
	FILE *out = fmemopen(text, n_bytes, "w");

	if (!out)
		isolate_end(fail(GPUCRYPT_OTHER, "out of memory"));
	t->n_instances = 0;
	t->records = tree_allocate((t->unit.n_records + 1) * sizeof *t->records);
	t->variables = tree_allocate((t->unit.n_symbols + 1) * sizeof *t->variables);
	memory_text_open(&t->declarations);
	memory_text_open(&t->functions);
	print(t, out);
	if (fclose(out) != 0 || text[n_bytes - 1] != '\0' || memchr(text, '\0', n_bytes) == NULL)
		fail_at(t->unit.at_entry, "the translation is too long");
}

static void translate_isolated(void *result, const void *request)
{
	struct translator *t = tree_allocate(sizeof *t);
	struct translation *translation = result;

	t->request = request;
	t->files = translation->files;
	unit_read(&t->unit, &t->request->analysis);
	objects_add_parameters(t);
	t->is_kernel = true;
	program_print(t, translation->kernel, sizeof translation->kernel, kernel_print);
	t->is_kernel = false;
	program_print(t, translation->host, sizeof translation->host, host_print);
	memcpy(translation->block_bytes, t->block_bytes, sizeof t->block_bytes);
	memcpy(translation->n_bytes, t->n_bytes, sizeof t->n_bytes);
	translation->random_bytes = t->random_bytes;
	translation->key_at = t->key_at;
}

int translate(struct translation *translation, const struct translation_request *request)
{
	return source_isolate(request->analysis.file, translate_isolated, request, translation, sizeof *translation);
}
