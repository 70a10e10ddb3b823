/* Types in OpenCL C. */
#include "ppf/run/translate_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

/* Declarations at file scope. */

/* The widest one there: a typedef may hold the definition of a structure. */
static struct extent *find_top(struct translator *t, unsigned offset)
{
	struct extent *widest = NULL;

	for (unsigned i = 0; i < t->n_tops; i++) {
		struct extent *top = &t->tops[i];

		if (top->start <= offset && offset < top->end &&
		        (!widest || top->end - top->start > widest->end - widest->start))
			widest = top;
	}
	return widest;
}

/* Two declarations in one, as in struct a { … } x; or typedef struct { … } a, *b;, are emitted to the longer one's
 * end. */
static void mark_emitted(struct translator *t, const struct extent *widest)
{
	for (unsigned i = 0; i < t->n_tops; i++)
		if (t->tops[i].start >= widest->start && t->tops[i].end <= widest->end)
			t->tops[i].emitted = true;
}

static bool is_type(CXCursor cursor)
{
	return cursor_is(cursor, CXCursor_TypedefDecl) || cursor_is(cursor, CXCursor_StructDecl) ||
	       cursor_is(cursor, CXCursor_UnionDecl) || cursor_is(cursor, CXCursor_EnumDecl);
}

void type_need(struct translator *t, CXCursor declaration)
{
	CXCursor definition = libclang.getCursorDefinition(declaration);
	struct extent *top;

	if (libclang.Cursor_isNull(definition))
		definition = declaration;
	top = find_top(t, lower_start(definition));
	if (!top || top->emitted || !is_type(top->cursor) || t->status != GPUCRYPT_OK)
		return;
	mark_emitted(t, top);
	type_need_all(t, top->cursor);
	text_emit(t, t->types.file, top->start, top->end, NULL, top->cursor);
	fputs(";\n", t->types.file);
}

static enum CXChildVisitResult need_named(CXCursor cursor, CXCursor parent, CXClientData translator)
{
	CXCursor named = libclang.getCursorReferenced(cursor);

	(void)parent;
	if (cursor_is(cursor, CXCursor_TypeRef))
		type_need(translator, named);
	else if (cursor_is(cursor, CXCursor_DeclRefExpr) && cursor_is(named, CXCursor_EnumConstantDecl))
		type_need(translator, libclang.getCursorSemanticParent(named));
	return CXChildVisit_Recurse;
}

void type_need_all(struct translator *t, CXCursor cursor)
{
	libclang.visitChildren(cursor, need_named, t);
}

/* Printing. */

bool type_is_array(CXType type)
{
	enum CXTypeKind kind = libclang.getCanonicalType(type).kind;

	return kind == CXType_ConstantArray || kind == CXType_IncompleteArray;
}

bool type_is_pointer(CXType type)
{
	return libclang.getCanonicalType(type).kind == CXType_Pointer || type_is_array(type);
}

/* A typedef of a pointer or array becomes that. */
static CXType unfold(CXType type)
{
	while (type_is_pointer(type) && type.kind != CXType_Pointer && type.kind != CXType_ConstantArray &&
	        type.kind != CXType_IncompleteArray) {
		CXCursor declaration = libclang.getTypeDeclaration(type);

		if (!cursor_is(declaration, CXCursor_TypedefDecl))
			return libclang.getCanonicalType(type);
		type = libclang.getTypedefDeclUnderlyingType(declaration);
	}
	return type;
}

static const char *builtin_name(enum CXTypeKind kind)
{
	static const struct {
		enum CXTypeKind kind;
		const char *name;
	} names[] = { { CXType_Void, "void" }, { CXType_Bool, "bool" }, { CXType_Char_S, "char" },
		{ CXType_Char_U, "char" }, { CXType_SChar, "char" }, { CXType_UChar, "uchar" },
		{ CXType_Short, "short" }, { CXType_UShort, "ushort" }, { CXType_Int, "int" }, { CXType_UInt, "uint" },
		{ CXType_Long, "long" }, { CXType_ULong, "ulong" }, { CXType_LongLong, "long" },
		{ CXType_ULongLong, "ulong" }, { CXType_Float, "float" }, { CXType_Double, "double" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].kind == kind)
			return names[i].name;
	return NULL;
}

static void print_base(struct translator *t, FILE *out, CXType type, enum space space)
{
	static const char *const spaces[] = { "", "", "TABLE_SPACE ", "KEY_SPACE " };
	CXCursor declaration = libclang.getTypeDeclaration(type);
	CXType canonical = libclang.getCanonicalType(type);
	const char *word = cursor_is(declaration, CXCursor_StructDecl)  ? "struct "
	                   : cursor_is(declaration, CXCursor_UnionDecl) ? "union "
	                   : cursor_is(declaration, CXCursor_EnumDecl)  ? "enum "
	                                                                : "";

	fprintf(out, "%s%s", spaces[space], libclang.isConstQualifiedType(type) ? "const " : "");
	if (builtin_name(canonical.kind)) {
		fputs(builtin_name(canonical.kind), out);
	} else if (is_type(declaration)) {
		type_need(t, declaration);
		fprintf(out, "%sc_%s", word, cursor_name(declaration).text);
	} else {
		translate_fail(
		        t, t->source->entry, "a pointer to a function, a vector, or another type that OpenCL C lacks");
	}
}

void type_print(struct translator *t, FILE *out, CXType type, enum space space, const char *declarator)
{
	char inner[512];
	CXType target;

	type = unfold(type);
	if (type.kind == CXType_Pointer) {
		target = libclang.getPointeeType(type);
		snprintf(inner, sizeof inner, type_is_array(target) ? "(*%s)" : "*%s", declarator);
	} else if (type.kind == CXType_ConstantArray) {
		target = libclang.getArrayElementType(type);
		snprintf(inner, sizeof inner, "%s[%lld]", declarator, libclang.getArraySize(type));
	} else if (type.kind == CXType_IncompleteArray) {
		target = libclang.getArrayElementType(type);
		snprintf(inner, sizeof inner, type_is_array(target) ? "(*%s)" : "*%s", declarator);
	} else {
		print_base(t, out, type, space);
		fprintf(out, " %s", declarator);
		return;
	}
	if (strlen(inner) > sizeof inner - 2)
		translate_fail(t, t->source->entry, "a type with too many dimensions");
	else
		type_print(t, out, target, space, inner);
}
