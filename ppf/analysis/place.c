/* Memory: where expressions lie, what loads and stores count. */
#include <stdio.h>
#include <string.h>

#include "ppf/analysis/count.h"
#include "ppf/analysis/roles.h"

bool place_is_address(const struct type *type)
{
	return type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY;
}

struct value place_shift(struct value pointer, const struct value *index, int sign, uint64_t bytes)
{
	if (index->known && index->bits == 0)
		return pointer;
	pointer.list = NULL;
	pointer.known = pointer.known && index->known;
	pointer.bits = (int64_t)((uint64_t)pointer.bits + (uint64_t)sign * (uint64_t)index->bits * bytes);
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

/* Access. */

/* Is this byte accessed for the first time?  A byte that was stored is in a register, and is not loaded again. */
static bool touch_byte(struct counter *counter, const struct symbol *root, int64_t at, bool store)
{
	for (unsigned i = 0; i < counter->n_touched; i++) {
		struct touched *touched = &counter->touched[i];

		if (touched->root != root || touched->at != at)
			continue;
		if (!store || touched->stored)
			return false;
		touched->stored = true;
		return true;
	}
	if (counter->n_touched < MAX_TOUCHED)
		counter->touched[counter->n_touched++] = (struct touched){ root, at, store };
	return true;
}

/* A block is loaded once and stored once, however often the source reads its bytes. */
static void count_text(struct counter *counter, const struct value *at, uint64_t bytes, bool store)
{
	uint64_t *sum = store ? &counter->counts.cipher_bytes : &counter->counts.plain_bytes;

	if (!counter->by_value || !at->known || at->root == NULL) {
		*sum += bytes;
		return;
	}
	for (uint64_t i = 0; i < bytes; i++)
		*sum += touch_byte(counter, at->root, at->bits + (int64_t)i, store);
}

/* Record the use of a parameter.  Returns true if its role is not known yet. */
static bool record_use(const struct counter *counter, const struct value *at, bool store)
{
	if (at->root == NULL)
		return false;
	at->root->is_read |= !store;
	at->root->is_written |= store;
	return counter->finds_roles && at->role == ROLE_FOREIGN && at->root->storage == STORAGE_PARAMETER;
}

static const char *why_role(const struct place *place)
{
	const struct symbol *root = place->at.root;

	if (place->by_data)
		return "indexed by data";
	if (root != NULL && root->storage == STORAGE_PARAMETER && root->by_use == place->at.role)
		return "by its uses";
	return "by name or type";
}

/* Record an access for the list of memory.  The name is the parameter's or array's that was passed, if that is known.
 */
static void list_use(struct counter *counter, const struct node *node, const struct place *place, bool store)
{
	static const char *const roles[] = {
		[ROLE_TABLE] = "table", [ROLE_KEY] = "key", [ROLE_PLAIN] = "plaintext", [ROLE_CIPHER] = "ciphertext"
	};
	const struct symbol *root = place->at.root;
	const char *name = root != NULL ? root->name : name_of(node), *role = roles[place->at.role];
	struct memory_use *use = counter->memory.of;
	uint64_t end = place->at.known && place->at.bits >= 0 ? (uint64_t)place->at.bits + node->type.bytes : 0;

	while (use < counter->memory.of + counter->memory.n && (strcmp(use->name, name) != 0 || use->role != role))
		use++;
	if (use == counter->memory.of + MAX_MEMORY_USES)
		return;
	if (use == counter->memory.of + counter->memory.n) {
		counter->memory.n++;
		snprintf(use->name, sizeof use->name, "%s", name);
		use->role = role;
		use->why = why_role(place);
		use->bytes = root != NULL && root->type.kind == TYPE_ARRAY ? (unsigned)root->type.bytes : 0;
	}
	if (end > use->bytes)
		use->bytes = (unsigned)end;
	*(store ? &use->stores : &use->loads) += 1;
}

static void count_access(struct counter *counter, const struct node *node, const struct place *place, bool store)
{
	const struct value *at = &place->at;
	struct counts *counts = &counter->counts;
	uint64_t bytes = node->type.bytes;
	unsigned words = (unsigned)((bytes + 3) / 4);

	if (record_use(counter, at, store))
		return;
	if (at->role > ROLE_REGISTER && at->role < ROLE_FOREIGN && at->role != ROLE_CONSTANT)
		list_use(counter, node, place, store);
	if (store && (at->role == ROLE_TABLE || at->role == ROLE_KEY || at->role == ROLE_CONSTANT))
		count_fail(counter, node, "writes to '%s', which is a %s", name_of(node),
		        at->role == ROLE_KEY     ? "round key"
		        : at->role == ROLE_TABLE ? "table"
		                                 : "constant");
	else if (at->role == ROLE_TABLE)
		counts->n_tbl += words, counts->fields[place->field] += words,
		        counts->high_fields += place->high ? words : 0;
	else if (at->role == ROLE_KEY)
		counts->n_key += words;
	else if (at->role == ROLE_PLAIN || at->role == ROLE_CIPHER)
		count_text(counter, at, bytes, store);
	else if (at->role != ROLE_REGISTER && at->role != ROLE_CONSTANT)
		count_fail(counter, node,
		        "'%s' is neither table, key, plaintext, ciphertext nor state: name its role by --table, --key, "
		        "--plain or --cipher",
		        name_of(node));
	else if (!at->known)
		count_fail(counter, node,
		        "a subscript of '%s' depends on data, and its memory is changed, so it is no table",
		        name_of(node));
}

/* Variables. */

static bool is_literal(const struct node *node)
{
	if (node->kind == NODE_CONSTANT)
		return true;
	if (node->kind != NODE_LIST && node->kind != NODE_CAST && node->kind != NODE_UNARY && node->kind != NODE_BINARY)
		return false;
	for (unsigned i = 0; i < node->n_children; i++)
		if (!is_literal(node->children[i]))
			return false;
	return true;
}

/* Is its value kept in the symbol? */
static bool is_scalar(const struct symbol *symbol)
{
	return symbol->type.kind == TYPE_INTEGER || symbol->type.kind == TYPE_POINTER ||
	       (symbol->type.kind == TYPE_ARRAY && symbol->storage == STORAGE_PARAMETER);
}

static struct place place_of_symbol(struct counter *counter, struct symbol *symbol)
{
	struct place place = { .symbol = symbol };

	place.at = (struct value){ .known = true, .root = symbol };
	place.at.role = role_of_variable(counter->patterns, symbol);
	if (place.at.role == ROLE_CONSTANT && symbol->initial && is_literal(symbol->initial))
		place.at.list = symbol->initial;
	return place;
}

static struct value load_static(struct counter *counter, const struct node *node, const struct place *place)
{
	struct symbol *symbol = place->symbol;
	struct value value = { 0 };

	if (place->at.role == ROLE_CONSTANT)
		value = count_silently(counter, symbol->initial);
	if (place_is_address(&symbol->type))
		value.role = role_of_pointer(counter->patterns, symbol, value.role);
	else if (place->at.role == ROLE_FOREIGN)
		count_fail(counter, node, "global variable '%s' is not constant", symbol->name);
	return value;
}

static struct value load_symbol(struct counter *counter, const struct node *node, const struct place *place)
{
	const struct symbol *symbol = place->symbol;
	struct value value = symbol->value;

	if (!is_scalar(symbol)) {
		if (place->at.role == ROLE_FOREIGN)
			count_access(counter, node, place, false);
		return (struct value){ 0 };
	}
	if (symbol->storage == STORAGE_STATIC)
		return load_static(counter, node, place);
	if (symbol->escaped) {
		value.known = false;
		value.list = NULL;
	}
	return symbol->escaped && !place_is_address(&symbol->type) ? cell_load(counter, &place->at) : value;
}

void place_bind(struct counter *counter, struct symbol *symbol, struct value value)
{
	bool is_null = value.known && value.role == ROLE_NONE && value.bits == 0;

	if (place_is_address(&symbol->type) && !is_null)
		value.role = role_of_pointer(counter->patterns, symbol, value.role);
	symbol->value = value;
	cell_forget(counter, symbol);
	symbol->escaped = false;
	symbol->level = counter->uncertain;
}

/* Data that may or may not come this way leaves the variable unknown. */
static void store_symbol(
        struct counter *counter, const struct node *node, const struct place *place, struct value value)
{
	struct symbol *symbol = place->symbol;
	bool escaped = symbol->escaped;
	unsigned level = symbol->level;

	if (symbol->storage == STORAGE_STATIC) {
		count_fail(counter, node, "assigns to global variable '%s'", symbol->name);
		return;
	}
	if (!is_scalar(symbol))
		return;
	if (counter->uncertain > level) {
		value.known = false;
		value.list = NULL;
	}
	place_bind(counter, symbol, value);
	if (escaped)
		cell_store(counter, &place->at, &value);
	symbol->escaped = escaped;
	symbol->level = level;
}

/* Places. */

static struct place find_element(struct value pointer, struct value index, uint64_t bytes)
{
	struct place place = { .at = place_shift(pointer, &index, 1, bytes) };
	const struct node *list = pointer.list;

	place.at.list = NULL;
	if (list && list->kind == NODE_LIST && index.known && index.bits >= 0 &&
	        (uint64_t)index.bits < list->n_children)
		place.at.list = list->children[index.bits];
	return place;
}

/* The bits of a word from which the subscript of a table was made. */
static void find_field(struct place *place, const struct selection *selection, const struct value *index)
{
	uint64_t part = ~index->zeros & UINT32_MAX,
	         bits = selection->shift < 32 ? part << selection->shift & UINT32_MAX : 0;
	unsigned byte = 0;

	while (byte < 24 && (bits >> byte & 0xff) == 0)
		byte += 8;
	place->field = FIELD_PART;
	if ((bits & ~(UINT64_C(0xff) << byte)) != 0)
		place->field = FIELD_ACROSS;
	else if (((~selection->word_zeros ^ bits) >> byte & 0xff) == 0)
		place->field = FIELD_BYTE;
	place->high = place->field == FIELD_BYTE && (bits >> byte & 7) == 0;
}

/* Memory that becomes a table when its subscript depends on data.  What --key names stays a key. */
static bool may_be_table(const struct counter *counter, const struct value *pointer)
{
	return pointer->role == ROLE_CONSTANT || (pointer->role == ROLE_KEY && counter->patterns->key == NULL) ||
	       (pointer->role == ROLE_FOREIGN && pointer->root != NULL);
}

/* An array's element; its subscript is looked at more closely if the array is a table. */
static struct place find_subscript(struct counter *counter, const struct node *node)
{
	struct value pointer = count_expression(counter, node->children[0]), index;
	struct selection outer = counter->selection;
	struct place place;

	counter->selection =
	        (struct selection){ .active = pointer.role == ROLE_TABLE || may_be_table(counter, &pointer) };
	index = count_expression(counter, node->children[1]);
	place = find_element(pointer, index, node->type.bytes);
	if (may_be_table(counter, &pointer) && !index.known) {
		place.at.role = ROLE_TABLE;
		place.by_data = true;
	}
	if (place.at.role == ROLE_TABLE) {
		place.index = index;
		find_field(&place, &counter->selection, &index);
	}
	counter->selection = outer;
	return place;
}

static struct place find_member(struct counter *counter, const struct node *node)
{
	const struct node *base = node->children[0];
	struct place place = { 0 };

	if (place_is_address(&base->type))
		place.at = count_expression(counter, base);
	else
		place.at = place_find(counter, base).at;
	if (place.at.role != ROLE_FOREIGN) /* of a structure without a role the uses are recorded */
		place.at.root = NULL;
	place.at.list = NULL;
	if (place_is_address(&node->type))
		place.at.role = role_of_member(counter->patterns, node->text, &node->type, place.at.role);
	return place;
}

struct place place_find(struct counter *counter, const struct node *node)
{
	const struct value first = { .known = true };
	struct place place = { .at = { .known = true, .role = ROLE_REGISTER } };

	switch (node->kind) {
	case NODE_NAME:
		return place_of_symbol(counter, node->symbol);
	case NODE_MEMBER:
		return find_member(counter, node);
	case NODE_SUBSCRIPT:
		return find_subscript(counter, node);
	case NODE_TEXT:
		place.at.role = ROLE_CONSTANT;
		return place;
	default:
		if (node->kind == NODE_UNARY && node->operation == OP_DEREFERENCE)
			return find_element(count_expression(counter, node->children[0]), first, node->type.bytes);
		count_expression(counter, node);
		return place;
	}
}

struct value place_load(struct counter *counter, const struct node *node, const struct place *place)
{
	const struct node *list = place->at.list;
	struct value value = { 0 };

	if (node->type.kind == TYPE_ARRAY && (!place->symbol || !is_scalar(place->symbol)))
		return place->at;
	if (place->symbol)
		return load_symbol(counter, node, place);
	if (node->kind == NODE_MEMBER && count_set_value(counter, node->text, &node->type, &value))
		return value;
	if (node->type.kind != TYPE_POINTER)
		count_access(counter, node, place, false);
	if (list && list->kind != NODE_LIST)
		return count_silently(counter, list);
	if (node->type.kind == TYPE_POINTER) {
		value.known = place->at.known;
		value.role = node->kind == NODE_MEMBER || place->at.role == ROLE_TABLE || place->at.role == ROLE_KEY
		                     ? place->at.role
		                     : ROLE_FOREIGN;
		return value;
	}
	if (place->at.role == ROLE_TABLE)
		return count_result(counter, GRAPH_LOOKUP, &place->index, NULL);
	return place->at.role == ROLE_REGISTER ? cell_load(counter, &place->at)
	                                       : count_result(counter, GRAPH_SOURCE, NULL, NULL);
}

void place_store(struct counter *counter, const struct node *node, const struct place *place, struct value value)
{
	if (place->symbol) {
		store_symbol(counter, node, place, value);
		return;
	}
	count_access(counter, node, place, true);
	cell_store(counter, &place->at, &value);
}
