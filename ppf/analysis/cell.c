/* Memory: the values in variables, and the arrays outside the function. */
#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/count.h"

static bool overlaps(const struct cell *cell, const struct value *at, uint64_t bytes)
{
	return cell->at < at->bits + (int64_t)bytes && at->bits < cell->at + (int64_t)cell->bytes;
}

static bool covers(const struct cell *cell, const struct value *at, uint64_t bytes)
{
	return at->bits <= cell->at && cell->at + (int64_t)cell->bytes <= at->bits + (int64_t)bytes;
}

static bool is_followed(const struct value *at, uint64_t bytes)
{
	return at->known && at->root && bytes > 0;
}

static void add_cell(struct counter *counter, const struct value *at, uint64_t bytes, const struct value *value)
{
	struct symbol *root = (struct symbol *)at->root;
	struct cell *cell = counter->unused;

	if (cell)
		counter->unused = cell->next;
	else
		cell = unit_allocate(counter->unit, sizeof *cell);
	if (!cell) {
		counter->status = GPUCRYPT_OTHER;
		return;
	}
	*cell = (struct cell){ root->cells, at->bits, bytes, *value };
	root->cells = cell;
}

/* A value that was stored in parts, or of which a part is loaded. */
static struct value join_parts(struct counter *counter, const struct value *at, uint64_t bytes)
{
	struct value value = count_source(counter, at->root, bytes);
	uint64_t zeros = value.zeros;

	for (const struct cell *cell = at->root->cells; cell; cell = cell->next) {
		struct value_node node = {
			.kind = VALUE_JOIN, .inputs = { value.flow, cell->value.flow }, .zeros = zeros
		};

		if (overlaps(cell, at, bytes) && cell->value.flow)
			value = count_value(counter, &node);
	}
	return value;
}

struct value cell_load(struct counter *counter, const struct value *at, uint64_t bytes)
{
	const struct cell *found = is_followed(at, bytes) ? at->root->cells : NULL;
	struct value value;

	while (found && !overlaps(found, at, bytes))
		found = found->next;
	if (found && found->at == at->bits && found->bytes == bytes)
		return found->value;
	value = found ? join_parts(counter, at, bytes) : count_source(counter, at->root, bytes);
	if (!found && is_followed(at, bytes))
		add_cell(counter, at, bytes, &value);
	return value;
}

void cell_store(struct counter *counter, const struct value *at, uint64_t bytes, const struct value *value)
{
	const struct value unknown = { 0 };
	struct symbol *root = (struct symbol *)at->root;

	if (!root)
		return;
	/* The dissertation's rules follow integers in scalar variables only. */
	if (!counter->analysis->by_value && value->known && value->role == ROLE_NONE)
		value = &unknown;
	if (!is_followed(at, bytes) || counter->uncertain > 0) { /* it may be any of them, or none */
		for (const struct cell *cell = root->cells; cell; cell = cell->next)
			count_use(counter, &cell->value, UINT64_MAX);
		count_use(counter, value, UINT64_MAX);
		cell_forget(counter, root);
		return;
	}
	for (struct cell **link = &root->cells, *cell = *link; cell; cell = *link) {
		if (!overlaps(cell, at, bytes)) {
			link = &cell->next;
			continue;
		}
		if (!covers(cell, at, bytes))
			count_use(counter, &cell->value, UINT64_MAX);
		*link = cell->next;
		cell->next = counter->unused;
		counter->unused = cell;
	}
	add_cell(counter, at, bytes, value);
}

void cell_forget(struct counter *counter, const struct symbol *symbol)
{
	struct symbol *root = (struct symbol *)symbol;

	while (root->cells) {
		struct cell *cell = root->cells;

		root->cells = cell->next;
		cell->next = counter->unused;
		counter->unused = cell;
	}
}

struct memory *memory_of_symbol(struct counter *counter, struct symbol *symbol)
{
	struct memory *memory = symbol->memory;

	if (memory)
		return memory;
	memory = unit_allocate(counter->unit, sizeof *memory);
	if (!memory) {
		counter->status = GPUCRYPT_OTHER;
		return NULL;
	}
	memory->symbol = symbol;
	memory->role = ROLE_FOREIGN;
	memory->bytes = symbol->type.kind == TYPE_ARRAY ? symbol->type.bytes : 0;
	memory->next = counter->memories;
	symbol->memory = counter->memories = memory;
	return memory;
}

struct symbol *member_symbol(
        struct counter *counter, struct symbol *of, const char *name, int64_t at, const struct type *type)
{
	bool pointee = at >= 0;
	struct symbol *symbol = of->members;
	size_t n_bytes = strlen(of->name) + strlen(name) + 24;
	char *path;

	for (; symbol; symbol = symbol->next)
		if (symbol->at == at && (pointee || !strcmp(symbol->name + strlen(symbol->name) - strlen(name), name)))
			return symbol;
	symbol = unit_allocate(counter->unit, sizeof *symbol);
	path = unit_allocate(counter->unit, n_bytes);
	if (!symbol || !path) {
		counter->status = GPUCRYPT_OTHER;
		return NULL;
	}
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
