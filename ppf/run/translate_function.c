/* Functions: their bodies are read once for each combination of address spaces. */
#include "ppf/run/translate_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

static void read_node(struct translator *t, struct body *body, CXCursor cursor);

static void read_children(struct translator *t, struct body *body, CXCursor cursor)
{
	struct cursors children = translate_children(t, cursor);

	for (unsigned i = 0; i < children.n; i++)
		read_node(t, body, children.cursor[i]);
	free(children.cursor);
}

/* Calls. */

static const char *space_letter(enum space space)
{
	static const char *const letters[] = { "p", "p", "t", "k" };

	return letters[space];
}

/* A function of the C library that the kernel's text has, for each combination of address spaces. */
static bool edit_library_call(struct translator *t, struct body *body, CXCursor call, CXCursor callee, const char *name)
{
	static const struct {
		const char *name, *kernel;
		bool copies;
	} functions[] = { { "memcpy", "ppf_copy", true }, { "memmove", "ppf_copy", true },
		{ "__builtin_memcpy", "ppf_copy", true }, { "__builtin___memcpy_chk", "ppf_copy_checked", true },
		{ "memset", "ppf_set", false }, { "__builtin_memset", "ppf_set", false },
		{ "__builtin_bswap16", "__builtin_bswap16", false },
		{ "__builtin_bswap32", "__builtin_bswap32", false },
		{ "__builtin_bswap64", "__builtin_bswap64", false },
		{ "__builtin_expect", "__builtin_expect", false } };

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		enum space from;

		if (strcmp(functions[i].name, name) != 0)
			continue;
		from = functions[i].copies && libclang.Cursor_getNumArguments(call) > 1
		               ? space_of_pointer(t, body, libclang.Cursor_getArgument(call, 1))
		               : SPACE_OPEN;
		edit_add(t, body, call, lower_start(callee), lower_end(callee), "%s%s%s", functions[i].kernel,
		        functions[i].copies ? "_" : "", functions[i].copies ? space_letter(from) : "");
		return true;
	}
	return false;
}

struct instance *space_call(struct translator *t, struct body *body, CXCursor call)
{
	CXCursor definition = libclang.getCursorDefinition(libclang.getCursorReferenced(call));
	enum space spaces[MAX_ARGUMENTS] = { SPACE_OPEN };
	int n = libclang.Cursor_getNumArguments(call);

	if (libclang.Cursor_isNull(definition) || !cursor_is(definition, CXCursor_FunctionDecl) || n > MAX_ARGUMENTS)
		return NULL;
	for (unsigned i = 0; i < MAX_ARGUMENTS && (int)i < n; i++) {
		CXCursor argument = libclang.Cursor_getArgument(call, i);

		if (!type_is_pointer(libclang.getCursorType(argument)))
			continue;
		spaces[i] = space_of_pointer(t, body, argument);
		if (spaces[i] == SPACE_OPEN)
			spaces[i] = SPACE_PRIVATE;
	}
	return t->status == GPUCRYPT_OK ? instance_get(t, call, definition, spaces) : NULL;
}

static void read_call(struct translator *t, struct body *body, CXCursor call)
{
	struct cursors children = translate_children(t, call);
	CXCursor callee = children.n > 0 ? children.cursor[0] : call;
	struct name name = cursor_name(libclang.getCursorReferenced(call));
	struct instance *instance = NULL;

	for (unsigned i = 1; i < children.n; i++)
		read_node(t, body, children.cursor[i]);
	free(children.cursor);
	if (edit_library_call(t, body, call, callee, name.text))
		return;
	if (t->status == GPUCRYPT_OK)
		instance = space_call(t, body, call);
	if (instance) {
		const struct lowering place = { .text = t->source->text, .n_bytes = t->source->n_bytes };
		unsigned open = (unsigned)(lower_token(&place, lower_end(callee)) - t->source->text) + 1;

		edit_add(t, body, call, lower_start(callee), lower_end(callee), "f%u_%s", instance->number, name.text);
		edit_add(t, body, call, open, open, "ppf_t, ppf_k%s",
		        libclang.Cursor_getNumArguments(call) > 0 ? ", " : "");
	} else {
		translate_fail(t, call, "calls '%s', which is %s", *name.text ? name.text : "a pointer",
		        *name.text ? "not defined in the file" : "no function that is known before it runs");
	}
}

/* Variables. */

static bool evaluate(CXCursor declaration, long long *value)
{
	CXCursor initial = libclang.Cursor_getVarDeclInitializer(declaration);
	CXEvalResult result;
	bool is_integer;

	if (!libclang.isConstQualifiedType(libclang.getCursorType(declaration)) || libclang.Cursor_isNull(initial))
		return false;
	result = libclang.Cursor_Evaluate(initial);
	is_integer = result && libclang.EvalResult_getKind(result) == CXEval_Int;
	if (is_integer)
		*value = libclang.EvalResult_getAsLongLong(result);
	if (result)
		libclang.EvalResult_dispose(result);
	return is_integer;
}

static void read_reference(struct translator *t, struct body *body, CXCursor cursor)
{
	CXCursor declaration = libclang.getCursorReferenced(cursor);
	enum CX_StorageClass class = libclang.Cursor_getStorageClass(declaration);
	CXCursor definition = libclang.getCursorDefinition(declaration);
	struct object *object;
	long long value;

	if (!cursor_is(declaration, CXCursor_VarDecl) ||
	        (class != CX_SC_Static && class != CX_SC_Extern &&
	                cursor_is(libclang.getCursorSemanticParent(declaration), CXCursor_FunctionDecl)))
		return;
	if (!libclang.Cursor_isNull(definition) && !type_is_pointer(libclang.getCursorType(definition)) &&
	        evaluate(definition, &value)) {
		edit_add(t, body, cursor, lower_start(cursor), lower_end(cursor), "(%lld)", value);
		return;
	}
	object = object_of_variable(t, declaration);
	if (object)
		edit_add(t, body, cursor, lower_start(cursor), lower_end(cursor), "ppf_object_%u",
		        (unsigned)(object - t->objects));
}

/* A pointer, or an array of pointers. */
static bool holds_pointers(CXType type)
{
	type = libclang.getCanonicalType(type);
	while (type.kind == CXType_ConstantArray)
		type = libclang.getCanonicalType(libclang.getArrayElementType(type));
	return type.kind == CXType_Pointer;
}

static void read_initial_pointers(struct translator *t, struct body *body, CXCursor declaration, CXCursor initial)
{
	struct cursors children;

	if (!cursor_is(initial, CXCursor_InitListExpr)) {
		space_set(t, body, initial, declaration, space_of_pointer(t, body, initial));
		return;
	}
	children = translate_children(t, initial);
	for (unsigned i = 0; i < children.n; i++)
		read_initial_pointers(t, body, declaration, children.cursor[i]);
	free(children.cursor);
}

static void read_variable(struct translator *t, struct body *body, CXCursor declaration)
{
	CXCursor initial = libclang.Cursor_getVarDeclInitializer(declaration);

	read_children(t, body, declaration);
	if (!holds_pointers(libclang.getCursorType(declaration)))
		return;
	space_set(t, body, declaration, declaration, SPACE_OPEN);
	if (!libclang.Cursor_isNull(initial))
		read_initial_pointers(t, body, declaration, initial);
}

static bool is_static_statement(const struct cursors *variables)
{
	return variables->n > 0 && cursor_is(variables->cursor[0], CXCursor_VarDecl) &&
	       libclang.Cursor_getStorageClass(variables->cursor[0]) == CX_SC_Static;
}

static void read_declaration(struct translator *t, struct body *body, CXCursor statement)
{
	struct cursors variables = translate_children(t, statement);

	if (is_static_statement(&variables))
		edit_add(t, body, statement, lower_start(statement), lower_end(statement), ";");
	else
		read_children(t, body, statement);
	free(variables.cursor);
}

/* The other statements and expressions. */

static void read_assignment(struct translator *t, struct body *body, CXCursor cursor)
{
	struct cursors sides = translate_children(t, cursor);
	CXCursor root;
	enum space space;

	read_children(t, body, cursor);
	if (sides.n == 2 && libclang.getCanonicalType(libclang.getCursorType(sides.cursor[0])).kind == CXType_Pointer &&
	        type_is_pointer(libclang.getCursorType(sides.cursor[1])) &&
	        type_is_pointer(libclang.getCursorType(cursor))) {
		space = space_of_pointer(t, body, sides.cursor[1]);
		for (root = sides.cursor[0]; cursor_is(root, CXCursor_ParenExpr) ||
		                             cursor_is(root, CXCursor_UnexposedExpr) ||
		                             cursor_is(root, CXCursor_ArraySubscriptExpr);) {
			struct cursors inner = translate_children(t, root);
			root = inner.n > 0 ? inner.cursor[0] : libclang.getNullCursor();
			free(inner.cursor);
		}
		if (cursor_is(root, CXCursor_DeclRefExpr))
			space_set(t, body, cursor, libclang.getCursorReferenced(root), space);
		else if (space != SPACE_PRIVATE && space != SPACE_OPEN)
			translate_fail(t, cursor,
			        "a pointer to a table or key is stored in memory, which OpenCL C cannot follow");
	}
	free(sides.cursor);
}

static void read_cast(struct translator *t, struct body *body, CXCursor cursor)
{
	struct cursors children = translate_children(t, cursor);
	CXType type = libclang.getCursorType(cursor);
	char *text = NULL;
	size_t n_bytes;
	FILE *out;

	read_children(t, body, cursor);
	if (children.n > 0 && type_is_pointer(type) && (out = open_memstream(&text, &n_bytes)) != NULL) {
		CXCursor operand = children.cursor[children.n - 1];
		enum space space = type_is_pointer(libclang.getCursorType(operand)) ? space_of_pointer(t, body, operand)
		                                                                    : SPACE_PRIVATE;
		type_print(t, out, type, space, "");
		fclose(out);
		edit_add(t, body, cursor, lower_start(cursor), lower_start(operand), "(%s)", text);
		free(text);
	}
	free(children.cursor);
}

static void read_loop(struct translator *t, struct body *body, CXCursor cursor)
{
	edit_add(t, body, cursor, lower_start(cursor), lower_start(cursor), "UNROLL ");
	read_children(t, body, cursor);
}

static void read_return(struct translator *t, struct body *body, CXCursor cursor)
{
	struct cursors children = translate_children(t, cursor);

	read_children(t, body, cursor);
	if (children.n == 1 && type_is_pointer(libclang.getCursorType(children.cursor[0])))
		body->instance->result = space_of_pointer(t, body, children.cursor[0]);
	free(children.cursor);
}

static void refuse_assembly(struct translator *t, struct body *body, CXCursor cursor)
{
	(void)body;
	translate_fail(t, cursor, "assembly is not translated to OpenCL C");
}

static void read_node(struct translator *t, struct body *body, CXCursor cursor)
{
	static const struct {
		enum CXCursorKind kind;
		void (*read)(struct translator *t, struct body *body, CXCursor cursor);
	} readers[] = { { CXCursor_CallExpr, read_call }, { CXCursor_DeclRefExpr, read_reference },
		{ CXCursor_VarDecl, read_variable }, { CXCursor_DeclStmt, read_declaration },
		{ CXCursor_BinaryOperator, read_assignment }, { CXCursor_CStyleCastExpr, read_cast },
		{ CXCursor_ForStmt, read_loop }, { CXCursor_ReturnStmt, read_return },
		{ CXCursor_GCCAsmStmt, refuse_assembly } };

	if (t->status != GPUCRYPT_OK)
		return;
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (cursor_is(cursor, readers[i].kind)) {
			readers[i].read(t, body, cursor);
			return;
		}
	read_children(t, body, cursor);
}

/* Emission. */

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
	read_node(t, body, statements);
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
