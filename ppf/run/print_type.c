/* Types.  Integers are u8 to u64 and i8 to i64, a structure is rN with members mN. */
#include <string.h>

#include "ppf/run/internal.h"

static const struct type void_type = { .kind = TYPE_VOID };

static const char *integer_name(const struct type *type)
{
	static const char *const names[2][9] = { { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
		{ [1] = "i8", [2] = "i16", [4] = "i32", [8] = "i64" } };

	return type->is_bool ? "bool" : names[type->is_signed][type->bytes];
}

bool type_equals(const struct type *a, const struct type *b)
{
	if (a->kind != b->kind || a->bytes != b->bytes)
		return false;
	if (a->kind == TYPE_INTEGER)
		return a->is_signed == b->is_signed && a->is_bool == b->is_bool;
	return a->target ? type_equals(a->target, b->target) : a->record == b->record;
}

/* Structures. */

static const struct type *element_of(const struct type *type)
{
	while (type->kind == TYPE_ARRAY)
		type = type->target;
	return type;
}

static uint64_t alignment_of(const struct type *type)
{
	const struct type *element = element_of(type);
	uint64_t most = 1;

	if (element->kind == TYPE_INTEGER || element->kind == TYPE_POINTER)
		return element->bytes;
	for (unsigned i = 0; element->kind == TYPE_RECORD && i < element->record->n_members; i++) {
		uint64_t alignment = alignment_of(&element->record->members[i].type);

		most = alignment > most ? alignment : most;
	}
	return most;
}

static uint64_t round_up(uint64_t bytes, uint64_t alignment)
{
	return (bytes + alignment - 1) / alignment * alignment;
}

static void gap_print(FILE *out, unsigned number, uint64_t n_bytes)
{
	fprintf(out, "\tu8 gap%u[%llu];\n", number, (unsigned long long)n_bytes);
}

/* Each member has its place: bytes stand for what is no member here, and for alignment by attributes. */
static void members_print(struct translator *t, FILE *out, const struct type *type)
{
	const struct record *record = type->record;
	uint64_t end = 0, alignment = alignment_of(type);
	bool fits = type->bytes % alignment == 0;

	for (unsigned i = 0; i < record->n_members; i++) {
		const struct member *member = &record->members[i];
		uint64_t at = (uint64_t)member->at, own = alignment_of(&member->type);
		char name[16];

		if (member->type.kind == TYPE_OTHER || member->type.bytes == 0)
			continue;
		fits &= record->is_union || (at >= end && at % own == 0);
		if (!record->is_union && at > round_up(end, own))
			gap_print(out, i, at - end);
		snprintf(name, sizeof name, "m%u", i);
		fputc('\t', out);
		type_print(t, out, &member->type, SPACE_PRIVATE, name);
		fputs(";\n", out);
		end = at + member->type.bytes > end ? at + member->type.bytes : end;
	}
	if (round_up(end, alignment) < type->bytes)
		gap_print(out, record->n_members, record->is_union ? type->bytes : type->bytes - end);
	if (!fits || end > type->bytes)
		fail_at(t->unit.at_entry, "a packed structure is not translated to OpenCL C");
}

/* Behind the structures in it, and before those that it points to. */
static void record_need(struct translator *t, const struct type *type)
{
	const struct record *record = type->record;
	FILE *out = t->declarations.file;

	if (type->kind != TYPE_RECORD || t->in_record || t->records[record->number] || type->bytes == 0)
		return;
	t->records[record->number] = true;
	for (unsigned i = 0; i < record->n_members; i++)
		record_need(t, element_of(&record->members[i].type));
	fprintf(out, "%s r%u {\n", record->is_union ? "union" : "struct", record->number);
	t->in_record = true;
	members_print(t, out, type);
	t->in_record = false;
	fputs("};\n", out);
	for (unsigned i = 0; i < record->n_members; i++) {
		const struct type *target = &record->members[i].type;

		while (target->target)
			target = target->target;
		record_need(t, target);
	}
}

bool member_path(char *path, size_t n, const struct record *record, const char *name)
{
	for (unsigned i = 0; i < record->n_members; i++) {
		const struct member *member = &record->members[i];
		int length = snprintf(path, n, ".m%u", i);

		if (length < 0 || (size_t)length >= n)
			return false;
		if (*member->name ? !strcmp(member->name, name)
		                  : member->type.kind == TYPE_RECORD &&
		                            member_path(path + length, n - (size_t)length, member->type.record, name))
			return true;
	}
	return false;
}

/* Declarations. */

static void base_print(struct translator *t, FILE *out, const struct type *type, enum space space)
{
	static const char *const spaces[] = { "", "", "TABLE_SPACE ", "KEY_SPACE " };

	fputs(spaces[space], out);
	record_need(t, type);
	if (type->kind == TYPE_VOID)
		fputs("void", out);
	else if (type->kind == TYPE_INTEGER)
		fputs(integer_name(type), out);
	else if (type->kind == TYPE_RECORD)
		fprintf(out, "%s r%u", type->record->is_union ? "union" : "struct", type->record->number);
	else
		fail_at(t->unit.at_entry,
		        "a floating-point number, a vector, or another type that is not translated to OpenCL C");
}

void type_print(struct translator *t, FILE *out, const struct type *type, enum space space, const char *declarator)
{
	const struct type *target = type->target;
	bool is_array = type->kind == TYPE_ARRAY && type->bytes > 0 && type->target_bytes > 0;
	char inner[512];
	int length;

	if (!target) {
		base_print(t, out, type, space);
		fprintf(out, " %s", declarator);
		return;
	}
	if (is_array)
		length = snprintf(inner, sizeof inner, "%s[%llu]", declarator,
		        (unsigned long long)(type->bytes / type->target_bytes));
	else
		length = snprintf(inner, sizeof inner, target->kind == TYPE_ARRAY ? "(*%s)" : "*%s", declarator);
	if (length < 0 || (size_t)length >= sizeof inner)
		fail_at(t->unit.at_entry, "a type with too many dimensions");
	else
		type_print(t, out, !is_array && target->kind == TYPE_OTHER ? &void_type : target, space, inner);
}

void parameter_print(struct translator *t, FILE *out, const struct type *type, enum space space, const char *declarator)
{
	struct type pointer = *type;

	if (type->kind == TYPE_ARRAY)
		pointer.kind = TYPE_POINTER;
	type_print(t, out, &pointer, space, declarator);
}
