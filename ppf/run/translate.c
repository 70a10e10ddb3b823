#include "ppf/run/translate_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/preprocess.h"
#include "ppf/isolate.h"

void translate_fail(struct translator *t, CXCursor cursor, const char *format, ...)
{
	char text[300];
	va_list arguments;
	CXString file;
	unsigned line;

	if (t->status != GPUCRYPT_OK)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	libclang.getPresumedLocation(libclang.getCursorLocation(cursor), &file, &line, NULL);
	t->status = fail(GPUCRYPT_UNKNOWN, "%s:%u: %s", libclang.getCString(file), line, text);
	libclang.disposeString(file);
}

static enum CXChildVisitResult append(CXCursor cursor, CXCursor parent, CXClientData list)
{
	(void)parent;
	lower_append(list, cursor);
	return CXChildVisit_Continue;
}

struct cursors translate_children(struct translator *t, CXCursor cursor)
{
	struct cursors children = { 0 };

	libclang.visitChildren(cursor, append, &children);
	if (children.failed)
		translate_fail(t, cursor, "out of memory");
	return children;
}

bool cursor_is(CXCursor cursor, enum CXCursorKind kind)
{
	return libclang.getCursorKind(cursor) == kind;
}

struct name cursor_name(CXCursor cursor)
{
	CXString string = libclang.getCursorSpelling(cursor);
	const char *text = libclang.getCString(string);
	struct name name;

	snprintf(name.text, sizeof name.text, "%s", text ? text : "");
	libclang.disposeString(string);
	return name;
}

const char *role_of(const struct translation_request *request, const char *name, unsigned *n_bytes)
{
	const char *role = "";

	*n_bytes = 0;
	for (unsigned i = 0; i < request->memory->n; i++) {
		const struct memory_use *use = &request->memory->of[i];
		size_t length = strcspn(use->name, "-.[");

		if (strlen(name) != length || strncmp(use->name, name, length) != 0)
			continue;
		if (use->bytes > *n_bytes)
			*n_bytes = use->bytes;
		if (!*role || !strcmp(use->role, "table"))
			role = use->role;
	}
	return role;
}

bool setting_of(const struct translation_request *request, const char *name, long long *value)
{
	const char *const *set = request->analysis.set;
	size_t length = strlen(name);

	for (; set && *set; set++) {
		if (strncmp(*set, name, length) != 0 || (*set)[length] != '=')
			continue;
		*value = strtoll(*set + length + 1, NULL, 0);
		return true;
	}
	return false;
}

/* Text for the assembler could name files, which the assembler would read. */
static void refuse_assembly(struct translator *t, CXCursor top)
{
	const char *text = t->source->text + lower_start(top);

	text += text[0] == '_' && text[1] == '_' ? 2 : 0;
	if (cursor_is(top, CXCursor_UnexposedDecl) && strncmp(text, "asm", 3) == 0)
		translate_fail(t, top, "assembly is not translated to OpenCL C");
}

static void list_tops(struct translator *t)
{
	CXCursor unit = t->source->entry;
	struct cursors tops;

	while (!cursor_is(unit, CXCursor_TranslationUnit) && !libclang.Cursor_isNull(unit))
		unit = libclang.getCursorSemanticParent(unit);
	tops = translate_children(t, unit);
	t->tops = calloc(tops.n + 1, sizeof *t->tops);
	for (unsigned i = 0; i < tops.n; i++)
		refuse_assembly(t, tops.cursor[i]);
	for (unsigned i = 0; t->tops && i < tops.n; i++)
		t->tops[t->n_tops++] = (struct extent){ lower_start(tops.cursor[i]), lower_end(tops.cursor[i]),
			tops.cursor[i], false };
	free(tops.cursor);
}

/* The entry with spaces by the roles of its parameters. */
static void translate_entry(struct translator *t)
{
	enum space spaces[MAX_ARGUMENTS] = { SPACE_OPEN };
	int n = libclang.Cursor_getNumArguments(t->source->entry);

	if (n > MAX_ARGUMENTS)
		translate_fail(t, t->source->entry, "more than %d parameters", MAX_ARGUMENTS);
	objects_add_parameters(t);
	for (unsigned i = 0; i < MAX_ARGUMENTS && (int)i < n; i++) {
		CXCursor parameter = libclang.Cursor_getArgument(t->source->entry, i);

		spaces[i] = type_is_pointer(libclang.getCursorType(parameter)) ? SPACE_PRIVATE : SPACE_OPEN;
		for (unsigned j = 0; j < t->n_objects; j++)
			if (libclang.equalCursors(t->objects[j].declaration, parameter))
				spaces[i] = object_space(&t->objects[j]);
	}
	if (t->status == GPUCRYPT_OK)
		instance_get(t, t->source->entry, t->source->entry, spaces);
}

typedef void emit_text(struct translator *t, FILE *out);

static void write_text(struct translator *t, char *text, size_t n_bytes, emit_text *emit)
{
	FILE *out = fmemopen(text, n_bytes, "w");

	if (!out) {
		translate_fail(t, t->source->entry, "out of memory");
		return;
	}
	emit(t, out);
	if (fclose(out) != 0 || text[n_bytes - 1] != '\0' || memchr(text, '\0', n_bytes) == NULL)
		translate_fail(t, t->source->entry, "the translation is too long");
}

struct texts {
	struct translator translator;
	struct translation *translation;
};

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

static int translate_source(void *self, const struct parsed_source *source)
{
	struct texts *texts = self;
	struct translator *t = &texts->translator;

	t->source = source;
	if (!memory_text_open(&t->types) || !memory_text_open(&t->functions))
		return fail(GPUCRYPT_OTHER, "out of memory");
	list_tops(t);
	ports_find(t);
	translate_entry(t);
	if (t->status == GPUCRYPT_OK)
		write_text(t, texts->translation->kernel, sizeof texts->translation->kernel, kernel_emit);
	if (t->status == GPUCRYPT_OK)
		write_text(t, texts->translation->host, sizeof texts->translation->host, host_emit);
	memcpy(texts->translation->n_bytes, t->n_bytes, sizeof t->n_bytes);
	texts->translation->random_bytes = t->random_bytes;
	memory_text_close(&t->types);
	memory_text_close(&t->functions);
	free(t->tops);
	return t->status;
}

static int translate_isolated(void *result, const void *request)
{
	struct texts *texts = calloc(1, sizeof *texts);
	const struct translation_request *of = request;
	int status;

	if (!texts)
		return fail(GPUCRYPT_OTHER, "out of memory");
	texts->translator.request = request;
	texts->translation = result;
	status = parse_source(&of->analysis, translate_source, texts);
	free(texts);
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
