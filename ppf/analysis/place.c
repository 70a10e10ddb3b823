/* Memory: where expressions lie, what loads and stores count. */
#include <stdio.h>
#include <string.h>

#include "ppf/analysis/count.h"

/* What selects the place: the data of the pointer and of the index. */
static unsigned join_index(struct counter *counter, const struct value *pointer, const struct value *index)
{
	struct value_node node = { .kind = VALUE_JOIN, .inputs = { pointer->flow, count_input(counter, index) } };

	if (pointer->flow == 0 || node.inputs[1] == 0)
		return pointer->flow + node.inputs[1];
	return values_add(&counter->values, &node);
}

/* Remove constants that are added to an index or multiply it, because address arithmetic includes them at no cost, and
 * change the size of the elements instead.  Returns the sum of the added constants, in bytes. */
static uint64_t take_constants(struct counter *counter, struct value *index, uint64_t *bytes)
{
	uint64_t sum = 0;

	while (index->flow != 0) { /* 0: nothing is known of the index, and it may have no value yet */
		const struct value_node *node = &counter->values.nodes[index->flow],
		                        *rest = &counter->values.nodes[node->inputs[0]];
		int64_t constant = node->bytes == 4 ? (int32_t)node->constant : node->constant;
		bool added = node->operation == OP_ADD || node->operation == OP_SUB ||
		             ((node->operation == OP_OR || node->operation == OP_XOR) &&
		                     ((uint64_t)node->constant & ~rest->zeros) == 0),
		     scaled = node->operation == OP_SHL && constant >= 0 && constant < 16;

		if (node->kind != VALUE_OPERATOR || node->inputs[0] == 0 || node->inputs[1] != 0 || (!added && !scaled))
			break;
		if (added)
			sum += (uint64_t)constant * *bytes * (node->operation == OP_SUB ? UINT64_MAX : 1);
		else
			*bytes <<= constant;
		index->flow = node->inputs[0];
		index->zeros = rest->zeros;
	}
	return sum;
}

struct value place_shift(
        struct counter *counter, struct value pointer, const struct value *by, int sign, uint64_t bytes)
{
	struct value index = *by;
	uint64_t sum = 0;

	if (index.known && index.bits == 0)
		return pointer;
	if (index.known)
		sum = (uint64_t)index.bits * bytes;
	else if (counter->analysis->by_value)
		sum = take_constants(counter, &index, &bytes);
	pointer.flow = join_index(counter, &pointer, &index);
	pointer.known = pointer.known && index.known;
	pointer.bits = (int64_t)((uint64_t)pointer.bits + (uint64_t)sign * sum);
	if (!index.known)
		pointer.span += (~index.zeros & UINT32_MAX) * bytes;
	return pointer;
}

/* The name of the array or pointer, for messages. */
static const char *name_of(const struct node *node)
{
	while (node->kind != NODE_NAME && node->kind != NODE_MEMBER && node->n_children > 0)
		node = node->children[0];
	if (node->kind == NODE_NAME)
		return node->symbol->name;
	return node->kind == NODE_MEMBER ? node->text : "memory";
}

static bool is_outside(const struct value *at)
{
	return at->root && at->role != ROLE_REGISTER && at->role != ROLE_CONSTANT;
}

/* Access. */

/* Note an access to memory that lies outside the function, or to a table or keys by type. */
static void note_access(struct counter *counter, const struct node *node, const struct value *at, bool store)
{
	bool typed = at->role == ROLE_TABLE || at->role == ROLE_KEY;
	struct memory *memory;
	char what[128];

	if (at->root ? !at->known && at->role == ROLE_REGISTER
	             : at->role != ROLE_CONSTANT && at->role != ROLE_REGISTER) {
		snprintf(what, sizeof what,
		        at->root ? "a subscript of the local variable '%s'" : "the memory that '%s' points to",
		        name_of(node));
		fail_on_data(counter, node, at, what);
	}
	if (!at->root || at->role == ROLE_REGISTER || (at->role == ROLE_CONSTANT && at->known))
		return;
	memory = memory_of_symbol(counter, (struct symbol *)at->root);
	if (typed && !memory->typed) {
		memory->typed = true;
		memory->role = at->role;
	}
	memory_note(memory, node, at, store, !counter->analysis->by_value);
}

/* Variables. */

static bool is_literal(const struct node *node)
{
	if (node->kind == NODE_CONSTANT || node->kind == NODE_TEXT)
		return true;
	if (node->kind != NODE_LIST && node->kind != NODE_CAST && node->kind != NODE_UNARY && node->kind != NODE_BINARY)
		return false;
	for (unsigned i = 0; i < node->n_children; i++)
		if (node->children[i] && !is_literal(node->children[i]))
			return false;
	return true;
}

uint64_t place_scalar_bytes(const struct symbol *symbol)
{
	if (symbol->type.kind == TYPE_ARRAY && symbol->storage == STORAGE_PARAMETER)
		return sizeof(void *);
	return symbol->type.kind == TYPE_INTEGER || symbol->type.kind == TYPE_POINTER ? symbol->type.bytes : 0;
}

/* The role of a variable's own memory. */
static enum role role_of_variable(const struct symbol *symbol)
{
	bool is_local =
	        symbol->storage == STORAGE_AUTOMATIC || (symbol->storage == STORAGE_PARAMETER && !symbol->is_entry);
	bool is_constant = symbol->type.is_const && symbol->initial;

	if (is_local)
		return is_constant && is_literal(symbol->initial) ? ROLE_CONSTANT : ROLE_REGISTER;
	return is_constant ? ROLE_CONSTANT : ROLE_FOREIGN;
}

/* The role that a pointer gets from its type, or else from what it was made of. */
static enum role role_of_pointer(const struct symbol *symbol, enum role given)
{
	if (symbol->type.role != ROLE_NONE)
		return symbol->type.role;
	return given != ROLE_NONE ? given : ROLE_FOREIGN;
}

static struct value place_of_symbol(struct symbol *symbol)
{
	return (struct value){ .known = true, .root = symbol, .role = role_of_variable(symbol) };
}

/* Round keys and tables may lie in global variables, scalars may not: they have no role. */
static struct value load_static(struct counter *counter, const struct node *node, const struct value *at)
{
	struct symbol *symbol = node->symbol;
	struct value value = { 0 };

	if (setting_use(counter, symbol->name, &value.bits))
		return count_known(value.bits, &symbol->type);
	if (at->role == ROLE_CONSTANT)
		return count_convert(
		        counter, count_expression(counter, symbol->initial), &symbol->initial->type, &symbol->type);
	if (type_is_address(&symbol->type))
		return (struct value){ .known = true, .root = symbol, .role = role_of_pointer(symbol, ROLE_NONE) };
	fail_at(node, "global variable '%s' is not constant: give its value by --set '%s=VALUE'", symbol->name,
	        symbol->name);
}

static void store_symbol(struct counter *counter, struct symbol *symbol, struct value value)
{
	const struct value at = place_of_symbol(symbol);
	bool is_null = value.known && value.role == ROLE_NONE && value.bits == 0;

	if (type_is_address(&symbol->type) && !is_null)
		value.role = role_of_pointer(symbol, value.role);
	if (place_scalar_bytes(symbol) > 0)
		cell_store(counter, &at, place_scalar_bytes(symbol), &value);
}

void place_bind(struct counter *counter, struct symbol *symbol, struct value value)
{
	cell_forget(counter, symbol);
	symbol->level = counter->uncertain;
	if (symbol->type.kind == TYPE_RECORD && value.root)
		cell_bind(counter, symbol, &value);
	else
		store_symbol(counter, symbol, value);
}

/* Find the place of an expression. */

static struct value find_subscript(struct counter *counter, const struct node *node)
{
	struct value pointer = count_expression(counter, node->children[0]),
	             index = count_expression(counter, node->children[1]);

	return place_shift(counter, pointer, &index, 1, node->type.bytes);
}

static struct value find_member(struct counter *counter, const struct node *node)
{
	const struct node *base = node->children[0];
	struct value at = type_is_address(&base->type) ? count_expression(counter, base) : place_find(counter, base);

	at.bits += node->bits;
	if (at.root && !type_layout(&at.root->type) && !at.root->layout && at.bits == node->bits)
		((struct symbol *)at.root)->layout = type_layout(&base->type);
	if (is_outside(&at) && (node->type.kind == TYPE_POINTER || !type_layout(&node->type)))
		memory_find(&at); /* of this member, also where a subscript leaves it */
	return at;
}

struct value place_find(struct counter *counter, const struct node *node)
{
	struct value at = { .known = true, .role = ROLE_REGISTER };

	switch (node->kind) {
	case NODE_NAME:
		return place_of_symbol(node->symbol);
	case NODE_MEMBER:
		return find_member(counter, node);
	case NODE_SUBSCRIPT:
		return find_subscript(counter, node);
	case NODE_OBJECT:
		at = place_of_symbol(node->symbol);
		if (at.role == ROLE_REGISTER)
			run_declare(counter, node->symbol);
		return at;
	case NODE_TEXT:
		at.role = ROLE_CONSTANT;
		return at;
	default:
		if (node->kind == NODE_UNARY && node->operation == OP_DEREFERENCE)
			return count_expression(counter, node->children[0]);
		count_expression(counter, node);
		return at;
	}
}

/* Does the name of a pointer, which is a member of a local structure, give the pointer a role?  Never if accesses are
 * counted by value (by_value). */
static bool named_member(const struct counter *counter, const struct node *node)
{
	return !counter->analysis->by_value && node->kind == NODE_MEMBER &&
	       role_is_named(&counter->analysis->patterns, node->text);
}

/* A pointer that was stored, or that points to memory of its own. */
static struct value load_pointer(struct counter *counter, const struct node *node, const struct value *at)
{
	struct value value = { .known = true };

	if (at->role == ROLE_REGISTER && !named_member(counter, node))
		return cell_load(counter, at, node->type.bytes);
	if (!at->known || !at->root)
		return (struct value){ .role = ROLE_FOREIGN };
	value.role = node->type.role != ROLE_NONE ? node->type.role : ROLE_FOREIGN;
	value.root = symbol_within(
	        (struct symbol *)at->root, named_member(counter, node) ? node->text : "", at->bits, &node->type);
	return value;
}

/* A load at a place that is known, or an entry of a table.  Each load of a round key counts; the values are the same.
 */
static struct value load_data(struct counter *counter, const struct node *node, const struct value *at)
{
	const uint64_t bytes = node->type.bytes;
	struct value value = at->known ? cell_load(counter, at, bytes) : *at;
	const struct value_node load = { .kind = at->known ? VALUE_LOAD : VALUE_LOOKUP,
		.inputs = { value.flow },
		.constant = at->bits,
		.root = at->root,
		.bytes = (unsigned)bytes,
		.zeros = at->known ? value.zeros : ~(values_mask(bytes) & cell_entry_bits(counter, at->root, bytes)) };

	if (value.known)
		return count_known(value.bits, &node->type);
	return at->known && at->role == ROLE_REGISTER ? value : count_value(counter, &load);
}

/* The variable that the node is; NULL: none. */
static struct symbol *symbol_of(const struct node *node)
{
	return node->kind == NODE_NAME || node->kind == NODE_OBJECT ? node->symbol : NULL;
}

struct value place_load(struct counter *counter, const struct node *node, struct value at)
{
	const struct symbol *symbol = symbol_of(node);
	uint64_t scalar_bytes = symbol ? place_scalar_bytes(symbol) : 0;
	struct value value = { 0 };

	if (node->type.kind == TYPE_ARRAY && scalar_bytes == 0)
		return at;
	if (node->type.kind == TYPE_RECORD)
		return cell_copy(counter, node, &at);
	if (scalar_bytes > 0 && symbol->storage == STORAGE_STATIC)
		return load_static(counter, node, &at);
	if (symbol)
		return scalar_bytes > 0 && symbol->cells ? cell_load(counter, &at, scalar_bytes) : value;
	if (at.root && role_of_variable(at.root) == ROLE_CONSTANT &&
	        cell_load_constant(counter, &at, &node->type, &value))
		return value;
	if (is_outside(&at))
		memory_find(&at);
	if (node->type.kind == TYPE_POINTER)
		return load_pointer(counter, node, &at);
	if (at.root && node->type.kind == TYPE_INTEGER && setting_of_place(counter, node, &at, &value.bits))
		return count_known(value.bits, &node->type);
	note_access(counter, node, &at, false);
	value = load_data(counter, node, &at);
	access_check(counter, node, &at, value.flow);
	return value;
}

void place_store(struct counter *counter, const struct node *node, struct value at, struct value value)
{
	struct symbol *symbol = symbol_of(node);

	if (symbol && place_scalar_bytes(symbol) > 0) {
		if (symbol->storage == STORAGE_STATIC)
			fail_at(node, "assigns to global variable '%s'", symbol->name);
		store_symbol(counter, symbol, value);
		return;
	}
	if (node->type.kind == TYPE_RECORD) {
		cell_paste(counter, node, &at, &value);
		return;
	}
	if (node->type.kind == TYPE_INTEGER && !value.known)
		value.zeros |= ~values_mask(node->type.bytes);
	if (is_outside(&at))
		memory_find(&at);
	note_access(counter, node, &at, true);
	access_check(counter, node, &at, 0);
	cell_store(counter, &at, node->type.bytes, &value);
}
