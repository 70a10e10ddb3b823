/* Arrays and structures outside the function: each member of a structure is a memory of its own. */
#include <stdio.h>
#include <string.h>

#include "ppf/analysis/count.h"

struct memory *memory_of_symbol(struct counter *counter, struct symbol *symbol)
{
	struct memory *memory = symbol->memory;

	if (memory)
		return memory;
	memory = tree_allocate(sizeof *memory);
	memory->symbol = symbol;
	memory->role = ROLE_FOREIGN;
	memory->bytes = symbol->type.kind == TYPE_ARRAY ? symbol->type.bytes : 0;
	*(counter->last ? &counter->last->next : &counter->memories) = memory;
	symbol->memory = counter->last = memory;
	return memory;
}

struct symbol *symbol_within(struct symbol *of, const char *name, int64_t at, const struct type *type)
{
	bool pointee = at >= 0;
	struct symbol *symbol = of->members;
	size_t n_bytes = strlen(of->name) + strlen(name) + 24;
	char *path;

	for (; symbol; symbol = symbol->next)
		if (symbol->at == at)
			return symbol;
	symbol = tree_allocate(sizeof *symbol);
	path = tree_allocate(n_bytes);
	if (pointee && of->type.kind == TYPE_ARRAY)
		snprintf(path, n_bytes, "%s[%lld]", of->name, (long long)at / 8);
	else
		snprintf(path, n_bytes, "%s%s%s", of->name,
		        pointee && *name == '\0'        ? ""
		        : of->type.kind == TYPE_POINTER ? "->"
		                                        : ".",
		        name);
	*symbol = (struct symbol){ .name = path, .type = *type, .storage = of->storage, .next = of->members, .at = at };
	of->members = symbol;
	return symbol;
}

/* Find the member that contains a place, also in unnamed inner structures; *start: the member's place. */
static const struct member *member_at(const struct record *record, int64_t at, int64_t *start)
{
	const struct member *found = NULL;

	for (unsigned i = 0; i < record->n_members; i++)
		if (record->members[i].at <= at && !type_is_bit_field(&record->members[i].type))
			found = &record->members[i];
	if (!found)
		return NULL;
	*start += found->at;
	return *found->name == '\0' && found->type.kind == TYPE_RECORD && !found->type.record->is_union
	               ? member_at(found->type.record, at - found->at, start)
	               : found;
}

/* Find the member that contains a place outside the function, by any chain of pointers.  The members of a union are one
 * memory, named like the union or, if that has no name, like its first member; unless the source names only one of
 * them, which is a structure. */
void memory_find(struct value *at)
{
	struct symbol *symbol = (struct symbol *)at->root;
	const struct type *type = symbol->layout ? symbol->layout : type_layout(&symbol->type);

	while (type && (!type->record->is_union || type->record->alternative) && type->bytes > 0 && at->bits >= 0) {
		int64_t start = at->bits / (int64_t)type->bytes * (int64_t)type->bytes, before = start;
		const struct member *member = type->record->alternative
		                                      ?: member_at(type->record, at->bits - start, &start),
		                    *named = member;

		if (!member)
			return;
		while (*named->name == '\0' && named->type.kind == TYPE_RECORD && named->type.record->n_members > 0)
			named = named->type.record->members;
		symbol = symbol_within(symbol, named->name, before - start - 1, &member->type);
		symbol->stride = type->bytes;
		at->root = symbol;
		at->bits += before - start;
		type = member->type.kind == TYPE_POINTER ? NULL : type_layout(&member->type);
	}
}
