/* Types, variables and functions. */
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/lower.h"

struct known_record {
	struct known_record *next;
	CXCursor cursor;
	struct record record;
};

struct known_symbol {
	struct known_symbol *next;
	CXCursor cursor;
	struct symbol symbol;
};

struct known_function {
	struct known_function *next; /* in order of their first call */
	CXCursor cursor;
	struct function function;
};

static bool is_signed(enum CXTypeKind kind)
{
	return kind == CXType_Char_S || kind == CXType_SChar || kind == CXType_Short || kind == CXType_Int ||
	       kind == CXType_Long || kind == CXType_LongLong;
}

static bool is_unsigned(enum CXTypeKind kind)
{
	return kind == CXType_Bool || kind == CXType_Char_U || kind == CXType_UChar || kind == CXType_UShort ||
	       kind == CXType_UInt || kind == CXType_ULong || kind == CXType_ULongLong;
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
	struct type *target = unit_allocate(l->unit, sizeof *target);

	to->target_bytes = size_of(type);
	to->target = target;
	if (target)
		*target = lower_type(l, type);
	else
		l->status = GPUCRYPT_OTHER;
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

struct cursors lower_fields(CXType type)
{
	struct cursors fields = { 0 };

	libclang.Type_visitFields(libclang.getCanonicalType(type), append_field, &fields);
	return fields;
}

static void set_members(struct lowering *l, struct record *record, const struct cursors *fields)
{
	record->members = unit_allocate(l->unit, (fields->n + 1) * sizeof *record->members);
	if (!record->members || fields->failed) {
		l->status = GPUCRYPT_OTHER;
		return;
	}
	for (unsigned i = 0; i < fields->n; i++) {
		CXCursor field = fields->cursor[i];
		struct member *member = &record->members[record->n_members++];

		member->name = lower_text(l, libclang.getCursorSpelling(field));
		if (strchr(member->name, '(')) /* later versions of libclang name what has no name by its place */
			member->name = "";
		member->at = libclang.Cursor_getOffsetOfField(field) / 8;
		if (!libclang.Cursor_isBitField(field))
			member->type = lower_type(l, libclang.getCursorType(field));
	}
}

/* Known before its members, which may point to it. */
static const struct record *lower_record(struct lowering *l, CXType canonical)
{
	CXCursor cursor = libclang.getTypeDeclaration(canonical);
	struct known_record *known = l->records;
	struct cursors fields;

	while (known && !libclang.equalCursors(known->cursor, cursor))
		known = known->next;
	if (known)
		return &known->record;
	known = unit_allocate(l->unit, sizeof *known);
	if (!known) {
		l->status = GPUCRYPT_OTHER;
		return NULL;
	}
	*known = (struct known_record){ .next = l->records, .cursor = cursor };
	known->record.number = l->unit->n_records++;
	known->record.is_union = libclang.getCursorKind(cursor) == CXCursor_UnionDecl;
	l->records = known;
	fields = lower_fields(canonical);
	set_members(l, &known->record, &fields);
	free(fields.cursor);
	return &known->record;
}

struct type lower_type(struct lowering *l, CXType type)
{
	CXType canonical = libclang.getCanonicalType(type);
	struct type to = { .kind = TYPE_OTHER, .bytes = size_of(canonical) };

	if (canonical.kind == CXType_Enum)
		canonical = libclang.getCanonicalType(
		        libclang.getEnumDeclIntegerType(libclang.getTypeDeclaration(canonical)));
	to.is_const = libclang.isConstQualifiedType(canonical) != 0;
	to.is_signed = is_signed(canonical.kind);
	to.is_bool = canonical.kind == CXType_Bool;
	if (to.is_signed || is_unsigned(canonical.kind)) {
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
	static struct symbol none;
	CXCursor definition = libclang.getCursorDefinition(declaration);
	CXCursor cursor = libclang.Cursor_isNull(definition) ? declaration : definition;
	struct known_symbol **bucket = &l->symbols[libclang.hashCursor(cursor) % SYMBOL_BUCKETS];
	struct known_symbol *known;
	CXCursor initial;

	for (known = *bucket; known; known = known->next)
		if (libclang.equalCursors(known->cursor, cursor))
			return &known->symbol;
	known = unit_allocate(l->unit, sizeof *known);
	if (!known) {
		l->status = GPUCRYPT_OTHER;
		return &none;
	}
	known->cursor = cursor;
	known->next = *bucket;
	*bucket = known;
	known->symbol.name = lower_text(l, libclang.getCursorSpelling(cursor));
	known->symbol.number = l->unit->n_symbols++;
	known->symbol.type = lower_type(l, libclang.getCursorType(cursor));
	known->symbol.storage = storage_of(cursor);
	if (libclang.getCursorKind(cursor) != CXCursor_VarDecl)
		return &known->symbol;
	initial = libclang.Cursor_getVarDeclInitializer(cursor);
	if (!libclang.Cursor_isNull(initial))
		known->symbol.initial = lower(l, initial);
	return &known->symbol;
}

/* Functions. */

static void set_parameters(struct lowering *l, struct function *function, CXCursor cursor)
{
	int n = libclang.Cursor_getNumArguments(cursor);

	if (n <= 0)
		return;
	function->parameters = unit_allocate(l->unit, (size_t)n * sizeof *function->parameters);
	if (!function->parameters) {
		l->status = GPUCRYPT_OTHER;
		return;
	}
	function->n_parameters = (unsigned)n;
	for (int i = 0; i < n; i++)
		function->parameters[i] = lower_symbol(l, libclang.Cursor_getArgument(cursor, (unsigned)i));
}

struct function *lower_function(struct lowering *l, CXCursor declaration)
{
	static struct function none;
	CXCursor definition = libclang.getCursorDefinition(declaration);
	CXCursor cursor = libclang.Cursor_isNull(definition) ? declaration : definition;
	struct known_function *known;

	for (known = l->functions; known; known = known->next)
		if (libclang.equalCursors(known->cursor, cursor))
			return &known->function;
	known = unit_allocate(l->unit, sizeof *known);
	if (!known) {
		l->status = GPUCRYPT_OTHER;
		return &none;
	}
	known->cursor = cursor;
	if (l->last)
		l->last->next = known;
	else
		l->functions = known;
	l->last = known;
	known->function.name = lower_text(l, libclang.getCursorSpelling(cursor));
	known->function.result = lower_type(l, libclang.getCursorResultType(cursor));
	set_parameters(l, &known->function, cursor);
	return &known->function;
}

static void lower_body(struct lowering *l, struct known_function *known)
{
	struct cursors children = lower_children(l, known->cursor);

	for (unsigned i = 0; i < children.n; i++)
		if (libclang.getCursorKind(children.cursor[i]) == CXCursor_CompoundStmt)
			known->function.body = lower(l, children.cursor[i]);
	free(children.cursor);
}

void lower_bodies(struct lowering *l)
{
	for (struct known_function *f = l->functions; f && l->status == GPUCRYPT_OK; f = f->next)
		lower_body(l, f);
}
