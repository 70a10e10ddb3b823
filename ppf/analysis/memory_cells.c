/* Memory: the values in variables, and the arrays outside the function. */
#include <stdio.h>
#include <string.h>

#include "ppf/analysis/count.h"

/* A long list of cells takes steps of its own, so that a loop without an end reaches the limit soon. */
#define VISITS_OF_STEP 256

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
		cell = tree_allocate(sizeof *cell);
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
	unsigned visits = 0;
	const struct cell *found = is_followed(at, bytes) ? at->root->cells : NULL;
	struct value value;

	for (; found && !overlaps(found, at, bytes); visits++)
		found = found->next;
	counter->steps += visits / VISITS_OF_STEP;
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
	unsigned visits = 0;

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
		visits++;
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
	counter->steps += visits / VISITS_OF_STEP;
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

/* Initial values. */

/* One initial value; without a node it is zero. */
static void fill_one(
        struct counter *counter, struct symbol *symbol, const struct node *value, int64_t at, const struct type *type)
{
	const struct place to = { .at = { .known = true, .bits = at, .role = ROLE_REGISTER, .root = symbol } };
	struct value stored = { .known = true };

	if (value && value->kind == NODE_LIST && type->kind != TYPE_INTEGER && type->kind != TYPE_POINTER) {
		cell_fill(counter, symbol, value, at);
		return;
	}
	if (value)
		stored = count_expression(counter, value);
	if (value && type->kind == TYPE_RECORD) {
		cell_paste(counter, value, &to, &stored);
		return;
	}
	if (value && type->kind == TYPE_INTEGER)
		stored = count_convert(counter, stored, &value->type, type);
	cell_store(counter, &to.at, type->bytes, &stored);
}

void cell_fill(struct counter *counter, struct symbol *symbol, const struct node *list, int64_t at)
{
	uint64_t bytes = list->type.target_bytes;

	if (!list->places)
		return;
	if (list->type.kind != TYPE_ARRAY)
		for (unsigned i = 0; i < list->n_children; i++)
			fill_one(counter, symbol, list->children[i], at + list->places[i].at, &list->places[i].type);
	else
		for (uint64_t i = 0; bytes > 0 && i < list->type.bytes / bytes; i++) {
			count_enter(counter, list);
			fill_one(counter, symbol, i < list->n_children ? list->children[i] : NULL,
			        at + (int64_t)(i * bytes), &list->places->type);
			count_leave(counter);
		}
}

static uint64_t bits_of_values(const struct node *node)
{
	uint64_t bits = 0;

	if (node->kind == NODE_CONSTANT)
		return (uint64_t)node->bits;
	if (node->kind != NODE_LIST && node->kind != NODE_CAST)
		return UINT64_MAX;
	for (unsigned i = 0; i < node->n_children; i++)
		bits |= bits_of_values(node->children[i]);
	if (node->kind == NODE_CAST && node->type.is_signed && bits & ~(values_mask(node->type.bytes) >> 1))
		return UINT64_MAX; /* the sign may fill the upper bits */
	return bits;
}

/* Is this list of values one of entries of so many bytes? */
static bool has_entries(const struct node *list, uint64_t bytes)
{
	while (list->kind == NODE_LIST && list->places && list->places->type.kind == TYPE_ARRAY && list->n_children > 0)
		list = list->children[0];
	return list->kind == NODE_LIST && list->places && list->places->type.kind == TYPE_INTEGER &&
	       list->places->type.bytes == bytes;
}

uint64_t cell_entry_bits(struct counter *counter, const struct symbol *table, uint64_t bytes)
{
	struct symbol *symbol = (struct symbol *)table;
	bool is_constant = counter->analysis->by_value && symbol && symbol->type.is_const && symbol->initial;

	if (!is_constant || symbol->type.kind != TYPE_ARRAY || !has_entries(symbol->initial, bytes))
		return UINT64_MAX;
	if (symbol->entry_bits == 0)
		symbol->entry_bits = bits_of_values(symbol->initial);
	return symbol->entry_bits;
}

/* Structures. */

const struct node *cell_member(const struct node *list, int64_t at)
{
	if (!list || list->kind != NODE_LIST || !list->places || list->type.kind != TYPE_RECORD)
		return NULL;
	for (unsigned i = 0; i < list->n_children; i++)
		if (list->places[i].at == at)
			return list->children[i];
	return NULL;
}

/* A word of a structure outside the function. */
static struct node word_node(const struct node *node, uint64_t bytes)
{
	struct node word = *node;

	word.kind = NODE_DECLARE; /* none of those that have a name */
	word.n_children = 0;
	word.type = (struct type){ .kind = TYPE_INTEGER, .bytes = bytes };
	return word;
}

static bool is_register(const struct place *place)
{
	return place->at.root && place->at.known && place->at.role == ROLE_REGISTER;
}

void cell_move(struct counter *counter, const struct node *to, struct value target, const struct node *from,
        struct value source, uint64_t n_bytes)
{
	for (uint64_t i = 0; i < n_bytes; i += to->type.bytes) {
		struct place at = { .at = target }, from_at = { .at = source };

		count_enter(counter, to);
		at.at.list = from_at.at.list = NULL;
		at.at.bits = (int64_t)((uint64_t)target.bits + i);
		from_at.at.bits = (int64_t)((uint64_t)source.bits + i);
		place_store(counter, to, &at, place_load(counter, from, &from_at));
		count_leave(counter);
	}
}

/* Each word from one place to the other. */
static void move_words(
        struct counter *counter, const struct node *node, const struct place *to, const struct place *from)
{
	const struct node word = word_node(node, node->type.bytes % 4 == 0 ? 4 : 1);

	cell_move(counter, &word, to->at, &word, from->at, node->type.bytes);
}

/* The cells of a structure, which keep their sizes. */
static void move_cells(struct counter *counter, const struct value *to, const struct value *from, uint64_t bytes)
{
	const struct value unknown = { 0 };

	cell_store(counter, to, bytes, &unknown);
	for (const struct cell *cell = from->root->cells, *next; cell; cell = next) {
		struct value at = *to;

		next = cell->next;
		at.bits += cell->at - from->bits;
		if (cell->at >= from->bits && cell->at + (int64_t)cell->bytes <= from->bits + (int64_t)bytes)
			cell_store(counter, &at, cell->bytes, &cell->value);
	}
}

static void move_record(
        struct counter *counter, const struct node *node, const struct place *to, const struct place *from)
{
	if (is_register(to) && is_register(from) && to->at.root != from->at.root)
		move_cells(counter, &to->at, &from->at, node->type.bytes);
	else
		move_words(counter, node, to, from);
}

struct value cell_copy(struct counter *counter, const struct node *node, const struct place *place)
{
	struct symbol *symbol = tree_allocate(sizeof *symbol);
	struct place copy = { .at = { .known = true, .role = ROLE_REGISTER, .root = symbol } };

	*symbol = (struct symbol){ .name = "", .type = node->type, .storage = STORAGE_AUTOMATIC };
	move_record(counter, node, &copy, place);
	return copy.at;
}

void cell_paste(struct counter *counter, const struct node *node, const struct place *place, const struct value *copy)
{
	const struct place from = { .at = *copy };

	if (!copy->root)
		fail_at(node, "a structure that data selects: select its members by ?:");
	move_record(counter, node, place, &from);
}

void cell_bind(struct counter *counter, struct symbol *symbol, const struct value *copy)
{
	const struct node node = { .text = "", .type = symbol->type, .file = "" };
	const struct place place = { .at = { .known = true, .role = ROLE_REGISTER, .root = symbol } };

	cell_paste(counter, &node, &place, copy);
}

void cell_fill_object(struct counter *counter, struct symbol *symbol)
{
	cell_forget(counter, symbol);
	if (symbol->initial->kind == NODE_LIST)
		cell_fill(counter, symbol, symbol->initial, 0);
}

struct memory *memory_of_symbol(struct counter *counter, struct symbol *symbol)
{
	struct memory *memory = symbol->memory;

	if (memory)
		return memory;
	memory = tree_allocate(sizeof *memory);
	memory->symbol = symbol;
	memory->role = ROLE_FOREIGN;
	memory->bytes = symbol->type.kind == TYPE_ARRAY ? symbol->type.bytes : 0;
	memory->next = counter->memories;
	symbol->memory = counter->memories = memory;
	return memory;
}

struct symbol *member_symbol(struct symbol *of, const char *name, int64_t at, const struct type *type)
{
	bool pointee = at >= 0;
	struct symbol *symbol = of->members;
	size_t n_bytes = strlen(of->name) + strlen(name) + 24;
	char *path;

	for (; symbol; symbol = symbol->next)
		if (symbol->at == at && (pointee || !strcmp(symbol->name + strlen(symbol->name) - strlen(name), name)))
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
