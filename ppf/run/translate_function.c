/* The body of a function, read for one combination of address spaces. */
#include "ppf/run/translate_parts.h"

#include <limits.h>
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

/* A function without definition: the analysis found no way there, and on the host it has the address 0. */
static void drop_call(struct translator *t, struct body *body, CXCursor call)
{
	bool is_void = libclang.getCanonicalType(libclang.getCursorType(call)).kind == CXType_Void;

	for (unsigned i = 0; i < body->n_edits; i++) /* of its arguments */
		if (body->edits[i].start >= lower_start(call) && body->edits[i].end <= lower_end(call))
			body->edits[i].end = body->edits[i].start = UINT_MAX;
	edit_add(t, body, call, lower_start(call), lower_end(call), is_void ? "(void)0" : "0");
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
	} else if (t->status == GPUCRYPT_OK) {
		drop_call(t, body, call);
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

bool is_static_statement(const struct cursors *variables)
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

void body_read(struct translator *t, struct body *body, CXCursor statements)
{
	read_node(t, body, statements);
}
