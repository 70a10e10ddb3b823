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

/* Is it a whole variable that is an integer or pointer? */
static bool is_whole_scalar(const struct value *at, uint64_t bytes)
{
	return at->known && (at->role == ROLE_REGISTER || at->role == ROLE_CONSTANT) && at->bits == 0 &&
	       bytes == place_scalar_bytes(at->root);
}

static void add_cell(struct counter *counter, struct cell **before, struct cell cell)
{
	struct cell *added = counter->unused;

	if (added)
		counter->unused = added->next;
	else
		added = tree_allocate(sizeof *added);
	*added = cell;
	added->next = *before;
	*before = added;
}

/* The bits of a loaded value that this cell contains. */
static uint64_t bits_of_cell(const struct cell *cell, const struct value *at, uint64_t bytes)
{
	uint64_t bits = 0;

	for (uint64_t i = 0; i < bytes && i < 8; i++)
		if (cell->at <= at->bits + (int64_t)i && at->bits + (int64_t)i < cell->at + (int64_t)cell->bytes)
			bits |= UINT64_C(0xff) << 8 * i;
	return bits;
}

/* More bits of a value that lies in several cells of up to so many bytes; shift: to the left.  What is written counts
 * no such operators. */
static struct value add_part(
        struct counter *counter, struct value whole, struct value part, int64_t shift, uint64_t bits, uint64_t bytes)
{
	const struct node node = { .type = { .kind = TYPE_INTEGER, .bytes = bytes > 4 ? 8 : 4 }, .file = "" };
	const struct value amount = { .known = true, .bits = 8 * (shift < 0 ? -shift : shift) },
	                   mask = { .known = true, .bits = (int64_t)bits };
	const struct value_node join = { .kind = VALUE_JOIN, .inputs = { whole.flow, part.flow } };

	if (!counter->analysis->by_value)
		return count_value(counter, &join);
	if (part.known && shift <= -8) /* the part is from the zeros that fill a whole variable */
		return whole;
	part = operator_apply(counter, &node, shift < 0 ? OP_SHR : OP_SHL, part, amount, &node.type);
	part = operator_apply(counter, &node, OP_AND, part, mask, &node.type);
	return operator_apply(counter, &node, OP_OR, whole, part, &node.type);
}

/* A value of which cells have parts, the last one that was stored first; the rest is in memory. */
static struct value load_parts(struct counter *counter, const struct value *at, uint64_t bytes)
{
	struct value whole = { .known = true }, rest;
	uint64_t left = values_mask(bytes), in_memory;

	in_memory = left;
	for (const struct cell *cell = at->root->cells; cell && left != 0; cell = cell->next) {
		uint64_t bits = bits_of_cell(cell, at, bytes) & left;
		bool is_data = cell->value.known ? !cell->value.root : cell->value.flow != 0;

		left &= ~bits;
		if (bits == 0 || cell->loaded || !is_data)
			continue;
		in_memory &= ~bits;
		whole = add_part(counter, whole, cell->value, cell->at - at->bits, bits,
		        cell->bytes > bytes ? cell->bytes : bytes);
	}
	if (in_memory == 0)
		return whole;
	rest = count_source(counter, at->root, bytes);
	rest.zeros |= ~in_memory;
	if (in_memory == values_mask(bytes))
		add_cell(counter, &((struct symbol *)at->root)->cells,
		        (struct cell){ NULL, at->bits, bytes, rest, true });
	return in_memory == values_mask(bytes) ? rest : add_part(counter, whole, rest, 0, in_memory, bytes);
}

struct value cell_load(struct counter *counter, const struct value *at, uint64_t bytes)
{
	unsigned visits = 0;
	const struct cell *found = is_followed(at, bytes) ? at->root->cells : NULL;

	for (; found && !overlaps(found, at, bytes); visits++)
		found = found->next;
	counter->steps += visits / VISITS_OF_STEP;
	if (found && found->at == at->bits && found->bytes == bytes)
		return found->value;
	return is_followed(at, bytes) ? load_parts(counter, at, bytes) : count_source(counter, at->root, bytes);
}

void cell_store(struct counter *counter, const struct value *at, uint64_t bytes, const struct value *value)
{
	struct symbol *root = (struct symbol *)at->root;
	struct value unknown = { 0 };
	bool is_scalar = root && is_whole_scalar(at, bytes);
	unsigned visits = 0;

	if (!root)
		return;
	/* The dissertation's rules follow integers in scalar variables only. */
	if (!counter->analysis->by_value && value->known && value->role == ROLE_NONE && !is_scalar)
		value = &unknown;
	if (!is_followed(at, bytes) || counter->uncertain > (is_scalar ? root->level : 0)) {
		for (const struct cell *cell = root->cells; cell; cell = cell->next)
			count_use(counter, &cell->value, UINT64_MAX);
		count_use(counter, value, UINT64_MAX);
		cell_forget(counter, root);
		if (!is_scalar) /* it may be any of them, or none */
			return;
		unknown = *value;
		unknown.known = false;
		unknown.flow = 0;
		value = &unknown;
	}
	for (struct cell **link = &root->cells, *cell = *link; cell; cell = *link) {
		visits++;
		if (!covers(cell, at, bytes)) {
			link = &cell->next;
			continue;
		}
		*link = cell->next;
		cell->next = counter->unused;
		counter->unused = cell;
	}
	counter->steps += visits / VISITS_OF_STEP;
	add_cell(counter, &root->cells, (struct cell){ NULL, at->bits, bytes, *value, false });
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

/* Has the member of this number a value, and the byte at this place? */
static bool has_byte(const struct node *list, int64_t number, int64_t at)
{
	int64_t start = place_of_part(&list->type, number);

	return list->children[number] && at >= start && at < start + (int64_t)type_of_part(&list->type, number)->bytes;
}

/* Find the initial value that has the byte at this place, its type, and the place in it; NULL: none is known. */
static const struct node *find_initial(const struct symbol *symbol, int64_t *at, struct type *type)
{
	static const struct node zero = { .kind = NODE_CONSTANT };
	const struct node *node = symbol->initial;

	*type = symbol->type;
	while (node->kind == NODE_LIST) {
		const struct type *around = &node->type;
		int64_t i = 0;

		if (*at < 0 || *at >= (int64_t)around->bytes)
			return NULL;
		if (!around->record)
			i = *at / (int64_t)around->target_bytes;
		while (around->record && i < node->n_children && !has_byte(node, i, *at))
			i++;
		if (around->record && i == node->n_children)
			return NULL;
		*type = *type_of_part(around, i);
		*at -= place_of_part(around, i);
		node = i < node->n_children ? node->children[i] : &zero;
	}
	return node->kind == NODE_UNSUPPORTED ? NULL : node;
}

/* Load a value of this type from byte `at` of an initial value on; from a string without escapes, only this byte. */
static struct value load_initial(struct counter *counter, const struct node *node, const struct type *type, int64_t at)
{
	struct value value;

	if (node->kind == NODE_TEXT && type->kind == TYPE_ARRAY)
		return (struct value){ .known = *node->text == '"' && !strchr(node->text, '\\'),
			.bits = at < (int64_t)strlen(node->text) - 2 ? node->text[at + 1] : 0 };
	value = count_expression(counter, node);
	if (type_is_address(&node->type))
		return value;
	value = count_convert(counter, value, &node->type, type);
	value.bits >>= 8 * at % 64;
	return value;
}

/* An array or structure; members and elements without a value are zero. */
static void fill_list(struct counter *counter, struct symbol *symbol, const struct node *list, int64_t at)
{
	for (unsigned i = 0; i < list->n_children; i++) {
		count_enter(counter, list);
		if (list->children[i])
			cell_fill(counter, symbol, list->children[i], at + place_of_part(&list->type, i),
			        type_of_part(&list->type, i));
		count_leave(counter);
	}
}

void cell_fill(
        struct counter *counter, struct symbol *symbol, const struct node *initial, int64_t at, const struct type *type)
{
	bool is_aggregate = type->kind == TYPE_ARRAY || type->kind == TYPE_RECORD,
	     is_list = is_aggregate && (initial->kind == NODE_LIST || initial->kind == NODE_CONSTANT),
	     is_text = type->kind == TYPE_ARRAY && initial->kind == NODE_TEXT;
	struct value to = { .known = true, .bits = at, .role = ROLE_REGISTER, .root = symbol };
	struct value stored = { .known = true };

	if (!is_list && !is_text)
		stored = count_expression(counter, initial);
	if (type->kind == TYPE_INTEGER)
		stored = count_convert(counter, stored, &initial->type, type);
	if (type->kind == TYPE_RECORD && !is_list)
		cell_paste(counter, initial, &to, &stored);
	else
		cell_store(counter, &to, type->bytes, &stored);
	if (initial->kind == NODE_LIST)
		fill_list(counter, symbol, initial, at);
	for (int64_t i = 0; is_text && i < (int64_t)type->bytes; i++) {
		to.bits = at + i;
		stored = load_initial(counter, initial, type, i);
		cell_store(counter, &to, 1, &stored);
	}
}

bool cell_load_constant(struct counter *counter, const struct value *at, const struct type *type, struct value *loaded)
{
	uint64_t bits = 0;

	if (!at->known || type->bytes > sizeof bits)
		return false;
	for (uint64_t i = 0; i < type->bytes; i++) {
		int64_t from = at->bits + (int64_t)i;
		struct type whole;
		const struct node *node = find_initial(at->root, &from, &whole);

		if (!node)
			return false;
		*loaded = load_initial(counter, node, &whole, from);
		if (from == 0 && whole.bytes == type->bytes && whole.kind == type->kind)
			return true;
		if (!loaded->known || loaded->root)
			return false;
		bits |= ((uint64_t)loaded->bits & 0xff) << 8 * i;
	}
	*loaded = count_known((int64_t)bits, type);
	return true;
}

uint64_t cell_entry_bits(struct counter *counter, const struct symbol *table, uint64_t bytes)
{
	struct symbol *symbol = (struct symbol *)table;
	const struct type *entry = symbol ? &symbol->type : NULL;
	struct value at = { .known = true, .root = table }, value;

	while (entry && entry->kind == TYPE_ARRAY)
		entry = entry->target;
	if (!counter->analysis->by_value || !entry || entry == &symbol->type || entry->kind != TYPE_INTEGER ||
	        entry->bytes != bytes || !symbol->type.is_const || !symbol->initial)
		return UINT64_MAX;
	if (symbol->entry_bits == 0)
		for (; at.bits < (int64_t)symbol->type.bytes; at.bits += (int64_t)bytes)
			symbol->entry_bits |= cell_load_constant(counter, &at, entry, &value) && value.known
			                              ? (uint64_t)value.bits
			                              : UINT64_MAX;
	return symbol->entry_bits;
}

static bool is_register(const struct value *at)
{
	return at->root && at->known && at->role == ROLE_REGISTER;
}

void cell_move(struct counter *counter, const struct node *to, struct value target, const struct node *from,
        struct value source, uint64_t n_bytes)
{
	for (uint64_t i = 0; i < n_bytes; i += to->type.bytes) {
		count_enter(counter, to);
		place_store(counter, to, target, place_load(counter, from, source));
		count_leave(counter);
		target.bits = (int64_t)((uint64_t)target.bits + to->type.bytes);
		source.bits = (int64_t)((uint64_t)source.bits + to->type.bytes);
	}
}

/* Each word from one place to the other. */
static void move_words(
        struct counter *counter, const struct node *node, const struct value *to, const struct value *from)
{
	const uint64_t bytes = node->type.bytes % 4 == 0 ? 4 : 1;
	const struct node word = { .kind = NODE_DECLARE, /* not a kind of node that has a name */
		.type = { .kind = TYPE_INTEGER, .bytes = bytes },
		.file = node->file,
		.line = node->line };

	cell_move(counter, &word, *to, &word, *from, node->type.bytes);
}

/* The cells of a structure, which keep their sizes. */
static void move_cells(struct counter *counter, const struct value *to, const struct value *from, uint64_t bytes)
{
	const struct value unknown = { 0 };

	struct cell **before = &((struct symbol *)to->root)->cells;

	cell_store(counter, to, bytes, &unknown);
	for (const struct cell *cell = from->root->cells; cell; cell = cell->next) {
		struct cell copy = *cell;

		copy.at += to->bits - from->bits;
		if (!covers(cell, from, bytes))
			continue;
		add_cell(counter, before, copy);
		before = &(*before)->next;
	}
}

static void move_record(
        struct counter *counter, const struct node *node, const struct value *to, const struct value *from)
{
	if (is_register(to) && is_register(from) && to->root != from->root)
		move_cells(counter, to, from, node->type.bytes);
	else
		move_words(counter, node, to, from);
}

struct value cell_copy(struct counter *counter, const struct node *node, const struct value *at)
{
	struct symbol *symbol = tree_allocate(sizeof *symbol);
	const struct value copy = { .known = true, .role = ROLE_REGISTER, .root = symbol };

	*symbol = (struct symbol){ .name = "", .type = node->type, .storage = STORAGE_AUTOMATIC };
	move_record(counter, node, &copy, at);
	return copy;
}

void cell_paste(struct counter *counter, const struct node *node, const struct value *at, const struct value *copy)
{
	if (!copy->root)
		fail_at(node, "a structure that data selects: select its members by ?:");
	move_record(counter, node, at, copy);
}

void cell_bind(struct counter *counter, struct symbol *symbol, const struct value *copy)
{
	const struct node node = { .text = "", .type = symbol->type, .file = "" };
	const struct value at = { .known = true, .role = ROLE_REGISTER, .root = symbol };

	cell_paste(counter, &node, &at, copy);
}
