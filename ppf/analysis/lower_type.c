/* Types, variables and functions. */
#include <string.h>

#include "ppf/analysis/lower.h"

/* What was made of a declaration. */
struct known {
	struct known *next; /* in its bucket */
	CXCursor cursor;
	void *made;
};

struct called {
	struct called *next;
	CXCursor cursor;
	struct function function;
};

/* What was made of the declaration, or n_bytes of zeros to make it of. */
static void *find_known(struct lowering *l, CXCursor cursor, size_t n_bytes, bool *is_new)
{
	struct known **bucket = &l->known[libclang.hashCursor(cursor) % KNOWN_BUCKETS], *known = *bucket;

	while (known && !libclang.equalCursors(known->cursor, cursor))
		known = known->next;
	*is_new = !known;
	if (known)
		return known->made;
	known = tree_allocate(sizeof *known);
	*known = (struct known){ *bucket, cursor, tree_allocate(n_bytes) };
	*bucket = known;
	return known->made;
}

static CXCursor definition_of(CXCursor declaration)
{
	CXCursor definition = libclang.getCursorDefinition(declaration);

	return libclang.Cursor_isNull(definition) ? declaration : definition;
}

static uint64_t size_of(CXType type)
{
	long long bytes = libclang.Type_getSizeOf(type);

	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Find `tables` and `keys` in the chain of typedefs. */
static enum role role_of_type(CXType type)
{
	for (;;) {
		CXCursor declaration = libclang.getTypeDeclaration(type);
		CXString name = libclang.getCursorSpelling(declaration);
		bool table = !strcmp(libclang.getCString(name), "tables");
		bool key = !strcmp(libclang.getCString(name), "keys");
		bool is_typedef = libclang.getCursorKind(declaration) == CXCursor_TypedefDecl;

		libclang.disposeString(name);
		if (!is_typedef)
			return ROLE_NONE;
		if (table || key)
			return table ? ROLE_TABLE : ROLE_KEY;
		type = libclang.getTypedefDeclUnderlyingType(declaration);
	}
}

static void set_target(struct lowering *l, struct type *to, CXType type)
{
	struct type *target = tree_allocate(sizeof *target);

	to->target_bytes = size_of(type);
	to->target = target;
	*target = lower_type(l, type);
}

static void set_array(struct lowering *l, struct type *to, CXType canonical)
{
	CXType element = libclang.getArrayElementType(canonical);

	to->kind = TYPE_ARRAY;
	set_target(l, to, element);
	while (element.kind == CXType_ConstantArray)
		element = libclang.getArrayElementType(element);
	to->is_const |= libclang.isConstQualifiedType(element) != 0;
}

static enum CXVisitorResult append_field(CXCursor cursor, CXClientData self)
{
	lower_append(self, cursor);
	return CXVisit_Continue;
}

/* Known before its members, which may point to it. */
static const struct record *lower_record(struct lowering *l, CXType canonical)
{
	CXCursor cursor = libclang.getTypeDeclaration(canonical);
	struct cursors fields = { 0 };
	bool is_new;
	struct record *record = find_known(l, cursor, sizeof *record, &is_new);

	if (!is_new)
		return record;
	record->number = l->unit->n_records++;
	record->is_union = libclang.getCursorKind(cursor) == CXCursor_UnionDecl;
	libclang.Type_visitFields(canonical, append_field, &fields);
	record->members = tree_allocate((fields.n + 1) * sizeof *record->members);
	for (; record->n_members < fields.n; record->n_members++) {
		CXCursor field = fields.cursor[record->n_members];
		struct member *member = &record->members[record->n_members];

		member->name = lower_name_of(field);
		member->at = libclang.Cursor_getOffsetOfField(field) / 8;
		if (!libclang.Cursor_isBitField(field))
			member->type = lower_type(l, libclang.getCursorType(field));
	}
	return record;
}

struct type lower_type(struct lowering *l, CXType type)
{
	CXType canonical = libclang.getCanonicalType(type);
	struct type to = { .kind = TYPE_OTHER, .bytes = size_of(canonical) };

	if (canonical.kind == CXType_Enum)
		canonical = libclang.getCanonicalType(
		        libclang.getEnumDeclIntegerType(libclang.getTypeDeclaration(canonical)));
	to.is_const = libclang.isConstQualifiedType(canonical) != 0;
	/* libclang's order: _Bool, unsigned types, signed types; each ends with __int128 */
	to.is_signed = canonical.kind >= CXType_Char_S && canonical.kind <= CXType_LongLong;
	to.is_bool = canonical.kind == CXType_Bool;
	if (to.is_signed || (canonical.kind >= CXType_Bool && canonical.kind <= CXType_ULongLong)) {
		to.kind = TYPE_INTEGER;
	} else if (canonical.kind == CXType_Pointer) {
		to.kind = TYPE_POINTER;
		set_target(l, &to, libclang.getPointeeType(canonical));
	} else if (canonical.kind == CXType_ConstantArray || canonical.kind == CXType_IncompleteArray ||
	           canonical.kind == CXType_VariableArray) {
		set_array(l, &to, canonical);
	} else if (canonical.kind == CXType_Record) {
		to.kind = TYPE_RECORD;
		to.record = lower_record(l, canonical);
	} else if (canonical.kind == CXType_Void) {
		to.kind = TYPE_VOID;
	}
	if (to.kind == TYPE_POINTER || to.kind == TYPE_ARRAY)
		to.role = role_of_type(type);
	return to;
}

/* Variables. */

static enum storage storage_of(CXCursor declaration)
{
	enum CX_StorageClass class = libclang.Cursor_getStorageClass(declaration);
	CXCursor parent = libclang.getCursorSemanticParent(declaration);

	if (libclang.getCursorKind(declaration) == CXCursor_ParmDecl)
		return STORAGE_PARAMETER;
	if (class == CX_SC_Static || class == CX_SC_Extern || libclang.getCursorKind(parent) != CXCursor_FunctionDecl)
		return STORAGE_STATIC;
	return STORAGE_AUTOMATIC;
}

struct symbol *lower_symbol(struct lowering *l, CXCursor declaration)
{
	CXCursor cursor = definition_of(declaration), initial;
	bool is_new;
	struct symbol *symbol = find_known(l, cursor, sizeof *symbol, &is_new);

	if (!is_new)
		return symbol;
	symbol->name = lower_text(libclang.getCursorSpelling(cursor));
	symbol->number = l->unit->n_symbols++;
	symbol->type = lower_type(l, libclang.getCursorType(cursor));
	symbol->storage = storage_of(cursor);
	if (libclang.getCursorKind(cursor) != CXCursor_VarDecl)
		return symbol;
	initial = libclang.Cursor_getVarDeclInitializer(cursor);
	if (!libclang.Cursor_isNull(initial))
		symbol->initial = lower(l, initial);
	return symbol;
}

/* Functions. */

struct function *lower_function(struct lowering *l, CXCursor declaration)
{
	CXCursor cursor = definition_of(declaration);
	int n = libclang.Cursor_getNumArguments(cursor);
	bool is_new;
	struct called *called = find_known(l, cursor, sizeof *called, &is_new);
	struct function *function = &called->function;

	if (!is_new)
		return function;
	called->cursor = cursor;
	*(l->last ? &l->last->next : &l->called) = called;
	l->last = called;
	function->name = lower_text(libclang.getCursorSpelling(cursor));
	function->result = lower_type(l, libclang.getCursorResultType(cursor));
	if (n > 0)
		function->parameters = tree_allocate((size_t)n * sizeof *function->parameters);
	for (int i = 0; i < n; i++)
		function->parameters[function->n_parameters++] =
		        lower_symbol(l, libclang.Cursor_getArgument(cursor, (unsigned)i));
	return function;
}

void lower_bodies(struct lowering *l)
{
	for (struct called *called = l->called; called; called = called->next) {
		struct cursors children = lower_children(called->cursor);

		for (unsigned i = 0; i < children.n; i++)
			if (libclang.getCursorKind(children.cursor[i]) == CXCursor_CompoundStmt)
				called->function.body = lower(l, children.cursor[i]);
	}
}
