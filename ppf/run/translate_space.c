/* The address space of each pointer of a function. */
#include "ppf/run/translate_parts.h"

#include <stdlib.h>

#include "gpucrypt/status.h"

static const char *const space_names[] = { "no memory", "private memory", "a table", "a key" };

enum space *space_find(struct translator *t, struct body *body, CXCursor declaration)
{
	(void)t;
	for (unsigned i = 0; i < body->n_pointers; i++)
		if (libclang.equalCursors(body->pointers[i].declaration, declaration))
			return &body->pointers[i].space;
	return NULL;
}

void space_set(struct translator *t, struct body *body, CXCursor at, CXCursor declaration, enum space space)
{
	enum space *found = space_find(t, body, declaration);

	if (!found && body->n_pointers == MAX_PLACES) {
		translate_fail(t, at, "more than %d pointers in a function", MAX_PLACES);
		return;
	}
	if (!found) {
		found = &body->pointers[body->n_pointers].space;
		body->pointers[body->n_pointers++].declaration = declaration;
		*found = SPACE_OPEN;
	}
	if (*found != SPACE_OPEN && space != SPACE_OPEN && *found != space)
		translate_fail(t, at, "'%s' points to %s and to %s: OpenCL C needs two pointers",
		        cursor_name(declaration).text, space_names[*found], space_names[space]);
	else if (space != SPACE_OPEN)
		*found = space;
}

/* The child that is not a type, the last one of a cast. */
static CXCursor operand(struct translator *t, CXCursor cursor)
{
	struct cursors children = translate_children(t, cursor);
	CXCursor last = children.n > 0 ? children.cursor[children.n - 1] : libclang.getNullCursor();

	free(children.cursor);
	return last;
}

static bool points(CXCursor cursor)
{
	return type_is_pointer(libclang.getCursorType(cursor));
}

/* A variable with static storage is a table or key; others are in registers. */
static bool is_static(CXCursor declaration)
{
	enum CX_StorageClass class = libclang.Cursor_getStorageClass(declaration);

	return cursor_is(declaration, CXCursor_VarDecl) &&
	       (class == CX_SC_Static || class == CX_SC_Extern ||
	               !cursor_is(libclang.getCursorSemanticParent(declaration), CXCursor_FunctionDecl));
}

/* The variable at the start of a[i], a.b, *a and the like; null: another expression. */
static CXCursor root_of(struct translator *t, CXCursor cursor)
{
	while (!libclang.Cursor_isNull(cursor) && !cursor_is(cursor, CXCursor_DeclRefExpr)) {
		struct cursors children = translate_children(t, cursor);
		CXCursor next = libclang.getNullCursor();

		if (children.n > 0 && !cursor_is(cursor, CXCursor_CallExpr))
			next = children.cursor[0];
		free(children.cursor);
		cursor = next;
	}
	return cursor;
}

static enum space space_of_root(struct translator *t, struct body *body, CXCursor cursor)
{
	CXCursor root = root_of(t, cursor);
	enum space *found = NULL;

	if (!libclang.Cursor_isNull(root))
		found = space_find(t, body, libclang.getCursorReferenced(root));
	return found ? *found : SPACE_PRIVATE;
}

enum space space_of_object(struct translator *t, struct body *body, CXCursor cursor)
{
	CXCursor declaration = libclang.getCursorReferenced(cursor), inner = operand(t, cursor);
	struct cursors children;
	enum space space = SPACE_PRIVATE;
	struct object *object;

	switch ((int)libclang.getCursorKind(cursor)) {
	case CXCursor_UnexposedExpr:
	case CXCursor_ParenExpr:
		return space_of_object(t, body, inner);
	case CXCursor_DeclRefExpr:
		object = is_static(declaration) ? object_of_variable(t, declaration) : NULL;
		return object ? object_space(object) : SPACE_PRIVATE;
	case CXCursor_UnaryOperator: /* * */
		return space_of_pointer(t, body, inner);
	case CXCursor_MemberRefExpr:
		return points(inner) && !type_is_array(libclang.getCursorType(inner)) ? space_of_pointer(t, body, inner)
		                                                                      : space_of_object(t, body, inner);
	case CXCursor_ArraySubscriptExpr:
		children = translate_children(t, cursor);
		if (children.n == 2)
			space = space_of_pointer(t, body, children.cursor[points(children.cursor[0]) ? 0 : 1]);
		free(children.cursor);
		return space;
	default:
		return SPACE_PRIVATE;
	}
}

/* Of two operands: the pointer, or the latter one of an assignment or comma. */
static enum space space_of_binary(struct translator *t, struct body *body, CXCursor cursor)
{
	struct cursors children = translate_children(t, cursor);
	enum space space = SPACE_PRIVATE;

	if (children.n == 2)
		space = space_of_pointer(t, body, children.cursor[points(children.cursor[1]) ? 1 : 0]);
	free(children.cursor);
	return space;
}

static enum space space_of_choice(struct translator *t, struct body *body, CXCursor cursor)
{
	struct cursors children = translate_children(t, cursor);
	enum space a = SPACE_PRIVATE, b = SPACE_PRIVATE;

	if (children.n == 3) {
		a = space_of_pointer(t, body, children.cursor[1]);
		b = space_of_pointer(t, body, children.cursor[2]);
	}
	free(children.cursor);
	if (a != b && a != SPACE_OPEN && b != SPACE_OPEN)
		translate_fail(t, cursor,
		        "?: chooses between pointers to %s and to %s, which have no common type in OpenCL C",
		        space_names[a], space_names[b]);
	return a == SPACE_OPEN ? b : a;
}

/* & gives a pointer to an object; ++, -- and * of pointers give one of the same variable. */
static enum space space_of_unary(struct translator *t, struct body *body, CXCursor cursor)
{
	CXCursor inner = operand(t, cursor);
	CXType type = libclang.getCanonicalType(libclang.getCursorType(inner));

	if (t->source->text[lower_start(cursor)] == '&')
		return space_of_object(t, body, inner);
	return type.kind == CXType_Pointer ? space_of_pointer(t, body, inner) : space_of_root(t, body, inner);
}

enum space space_of_pointer(struct translator *t, struct body *body, CXCursor cursor)
{
	struct instance *called;

	if (libclang.Cursor_isNull(cursor) || t->status != GPUCRYPT_OK)
		return SPACE_OPEN;
	if (type_is_array(libclang.getCursorType(cursor)) && !space_find(t, body, libclang.getCursorReferenced(cursor)))
		return space_of_object(t, body, cursor);
	switch ((int)libclang.getCursorKind(cursor)) {
	case CXCursor_UnexposedExpr:
	case CXCursor_ParenExpr:
	case CXCursor_CStyleCastExpr:
		return space_of_pointer(t, body, operand(t, cursor));
	case CXCursor_IntegerLiteral:
		return SPACE_OPEN;
	case CXCursor_BinaryOperator:
	case CXCursor_CompoundAssignOperator:
		return space_of_binary(t, body, cursor);
	case CXCursor_ConditionalOperator:
		return space_of_choice(t, body, cursor);
	case CXCursor_UnaryOperator:
		return space_of_unary(t, body, cursor);
	case CXCursor_CallExpr:
		called = space_call(t, body, cursor);
		return called ? called->result : SPACE_PRIVATE;
	default:
		return space_of_root(t, body, cursor);
	}
}
