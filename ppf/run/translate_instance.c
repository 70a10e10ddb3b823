/* Functions: each is emitted once for each combination of address spaces. */
#include "ppf/run/translate_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

/* Variables that hold pointers are declared one by one, each with its space. */
static void edit_pointers(struct translator *t, struct body *body, CXCursor statement)
{
	struct cursors variables = translate_children(t, statement);
	unsigned at = lower_start(statement);
	bool any = false;

	for (unsigned i = 0; i < variables.n; i++) {
		enum space *space = space_find(t, body, variables.cursor[i]);
		any |= space && (*space == SPACE_TABLE || *space == SPACE_KEY);
	}
	for (unsigned i = 0; i < variables.n && any && !is_static_statement(&variables); i++) {
		CXCursor variable = variables.cursor[i], initial = libclang.Cursor_getVarDeclInitializer(variable);
		bool has_initial = !libclang.Cursor_isNull(initial);
		enum space *space = space_find(t, body, variable);
		char name[140], *text = NULL;
		size_t n_bytes;
		FILE *out = open_memstream(&text, &n_bytes);

		if (!out)
			break;
		snprintf(name, sizeof name, "c_%s", cursor_name(variable).text);
		type_print(t, out, libclang.getCursorType(variable), space ? *space : SPACE_PRIVATE, name);
		fclose(out);
		edit_add(t, body, variable, at, has_initial ? lower_start(initial) : lower_end(variable), "%s%s%s",
		        i > 0 ? "; " : "", text, has_initial ? " = " : "");
		free(text);
		at = lower_end(variable);
	}
	free(variables.cursor);
}

struct pointers {
	struct translator *t;
	struct body *body;
};

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent, CXClientData pointers)
{
	struct pointers *p = pointers;

	(void)parent;
	if (cursor_is(cursor, CXCursor_DeclStmt))
		edit_pointers(p->t, p->body, cursor);
	return CXChildVisit_Recurse;
}

/* An array parameter is a pointer to the first element. */
void parameter_print(struct translator *t, FILE *out, CXCursor parameter, enum space space, const char *name)
{
	CXType type = libclang.getCursorType(parameter);
	char declarator[180];

	if (!type_is_array(type)) {
		type_print(t, out, type, space, name);
		return;
	}
	type = libclang.getArrayElementType(libclang.getCanonicalType(type));
	snprintf(declarator, sizeof declarator, type_is_array(type) ? "(*%s)" : "*%s", name);
	type_print(t, out, type, space, declarator);
}

static void emit_head(struct translator *t, const struct instance *instance)
{
	CXCursor definition = instance->definition;
	int n = libclang.Cursor_getNumArguments(definition);
	char name[160];

	snprintf(name, sizeof name, "f%u_%s", instance->number, cursor_name(definition).text);
	type_print(t, t->functions.file, libclang.getCursorResultType(definition), instance->result, name);
	fputs("(TABLE_SPACE const uchar *ppf_t, KEY_SPACE const uchar *ppf_k", t->functions.file);
	for (unsigned i = 0; (int)i < n; i++) {
		CXCursor parameter = libclang.Cursor_getArgument(definition, i);
		struct name own = cursor_name(parameter);

		if (*own.text)
			snprintf(name, sizeof name, "c_%s", own.text);
		else
			snprintf(name, sizeof name, "unnamed_%u", i);
		fputs(", ", t->functions.file);
		parameter_print(t, t->functions.file, parameter, instance->arguments[i], name);
	}
	fputs(")\n", t->functions.file);
}

static CXCursor body_of(struct translator *t, CXCursor definition)
{
	struct cursors children = translate_children(t, definition);
	CXCursor found = libclang.getNullCursor();

	for (unsigned i = 0; i < children.n; i++)
		if (cursor_is(children.cursor[i], CXCursor_CompoundStmt))
			found = children.cursor[i];
	free(children.cursor);
	return found;
}

static void translate_body(struct translator *t, struct body *body, struct instance *instance)
{
	CXCursor statements = body_of(t, instance->definition);
	struct pointers pointers = { t, body };
	int n = libclang.Cursor_getNumArguments(instance->definition);

	type_need_all(t, instance->definition);
	for (unsigned i = 0; (int)i < n; i++) {
		CXCursor parameter = libclang.Cursor_getArgument(instance->definition, i);

		if (type_is_pointer(libclang.getCursorType(parameter)))
			space_set(t, body, parameter, parameter, instance->arguments[i]);
	}
	body_read(t, body, statements);
	if (t->status == GPUCRYPT_OK)
		libclang.visitChildren(statements, visit_declaration, &pointers);
	if (t->status != GPUCRYPT_OK)
		return;
	emit_head(t, instance);
	text_emit(t, t->functions.file, lower_start(statements), lower_end(statements), body, instance->definition);
	fputs("\n\n", t->functions.file);
}

static CXFile file_of(CXCursor cursor)
{
	CXFile file;

	libclang.getFileLocation(libclang.getCursorLocation(cursor), &file, NULL, NULL, NULL);
	return file;
}

struct instance *instance_get(struct translator *t, CXCursor call, CXCursor definition, const enum space *arguments)
{
	struct instance *instance = t->instances;
	struct body *body;

	for (; instance < t->instances + t->n_instances; instance++)
		if (libclang.equalCursors(instance->definition, definition) &&
		        !memcmp(instance->arguments, arguments, sizeof instance->arguments))
			break;
	if (instance->active)
		translate_fail(t, call, "recursion, which OpenCL C lacks");
	if (instance < t->instances + t->n_instances)
		return t->status == GPUCRYPT_OK ? instance : NULL;
	body = calloc(1, sizeof *body);
	if (t->n_instances == MAX_PLACES - 1 || !body || file_of(definition) != file_of(t->source->entry)) {
		translate_fail(
		        t, call, "too many functions, or one in a file that a directive made by a macro includes");
		free(body);
		return NULL;
	}
	*instance = (struct instance){ .definition = definition, .number = t->n_instances++, .active = true };
	memcpy(instance->arguments, arguments, sizeof instance->arguments);
	body->instance = instance;
	translate_body(t, body, instance);
	instance->active = false;
	for (unsigned i = 0; i < body->n_edits; i++)
		free(body->edits[i].text);
	free(body);
	return t->status == GPUCRYPT_OK ? instance : NULL;
}
