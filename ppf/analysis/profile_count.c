/* From the values and the memory of a function to its profile. */
#include "ppf/analysis/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned words(uint64_t bytes)
{
	return (unsigned)((bytes + 3) / 4);
}

static enum role role_of(const struct value_node *node)
{
	const struct memory *memory = node->root ? node->root->memory : NULL;

	return memory ? memory->role : ROLE_REGISTER;
}

/* Values. */

/* The words of the table that the bits of the index can reach, as log2, rounded up. */
static unsigned table_size(const struct values *values, const struct value_node *node)
{
	uint64_t index = ~values->nodes[node->inputs[0]].zeros, n_bytes = UINT64_MAX;
	unsigned log2 = 0;

	if (node->root && node->root->memory)
		n_bytes = node->root->memory->bytes;
	if (node->inputs[0] && index < UINT32_MAX && (index + 1) * node->bytes < n_bytes)
		n_bytes = (index + 1) * node->bytes;
	while (log2 + 1 < N_TABLE_SIZES && (uint64_t)4 << log2 < n_bytes)
		log2++;
	return log2;
}

static void count_lookup(
        struct profile *profile, const struct values *values, const struct value_node *node, unsigned cost)
{
	bool high;

	profile->lookups[table_size(values, node)] += cost;
	profile->n_tbl += cost;
	profile->fields[values_field(values, node->inputs[0], &high)] += cost;
	profile->high_fields += high ? cost : 0;
}

/* loaded: the values that earlier loads have in registers, by number. */
static void count_load(struct profile *profile, const struct values *values, const struct value_node *node,
        unsigned cost, bool *loaded)
{
	enum role role = role_of(node);

	if (role == ROLE_KEY && !loaded[node->inputs[0]])
		profile->keys_once += cost;
	loaded[node->inputs[0]] |= role == ROLE_KEY && cost > 0;
	if (cost > 0 && node->root && node->root->memory)
		node->root->memory->accesses += cost;
	if (role == ROLE_TABLE)
		count_lookup(profile, values, node, cost);
	else if (role == ROLE_KEY)
		profile->n_key += cost;
}

static void count_node(struct profile *profile, const struct values *values, const struct value_node *node,
        unsigned cost, bool *loaded)
{
	bool left = node->kind == VALUE_OPERATOR && node->operation == OP_SHL && node->inputs[1] == 0;

	profile->left_shifts += left && cost == 1 ? 1 : 0;
	if (node->kind == VALUE_LOAD || node->kind == VALUE_LOOKUP)
		count_load(profile, values, node, cost, loaded);
	else if (node->class != CLASS_CAST && (node->kind == VALUE_OPERATOR || node->kind == VALUE_PICK))
		profile->operators[node->class] += cost;
	profile->casts += node->is_cast ? cost : 0;
	if (node->kind == VALUE_OPERATOR && node->class < N_OPERATORS && cost > 1)
		profile->halves[node->class] += cost - 1;
	if (node->kind == VALUE_PICK && node->class != CLASS_CAST)
		profile->field_operators[node->class] += cost;
}

/* The graph of the operators that count. */

static enum graph_kind graph_kind_of(const struct value_node *node)
{
	bool condition = node->operation == OP_LOGICAL_AND || node->operation == OP_LOGICAL_OR;

	return node->class == OPERATOR_LOGIC && !condition ? GRAPH_LOGIC : GRAPH_OTHER;
}

static unsigned add_words(struct graph *graph, enum graph_kind kind, unsigned a, unsigned b, unsigned n_words)
{
	unsigned node = graph_add(graph, kind, a, b);

	if (node != 0)
		graph->nodes[node].words = n_words;
	return node;
}

/* The node of the graph for a value: that of its input where the value costs nothing of its own. */
static unsigned make_node(struct graph *graph, const struct values *values, const struct value_node *node,
        const unsigned *made, unsigned cost)
{
	unsigned a = made[node->inputs[0]], b = made[node->inputs[1]];
	bool choice = node->class == OPERATOR_COMPARE && node->operation == OP_NONE;

	switch (node->kind) {
	case VALUE_SOURCE:
		return node->root && node->root->type.kind != TYPE_INTEGER ? graph_add(graph, GRAPH_SOURCE, 0, 0) : 0;
	case VALUE_LOAD:
		return role_of(node) == ROLE_STATE || a == 0 ? a : graph_add(graph, GRAPH_SOURCE, 0, 0);
	case VALUE_LOOKUP:
		return graph_add(graph, role_of(node) == ROLE_TABLE ? GRAPH_LOOKUP : GRAPH_SOURCE,
		        role_of(node) == ROLE_TABLE ? a : 0, 0);
	case VALUE_OPERATOR:
		if (choice && values->as_written)
			return 0;
		if (cost == 0 || node->operation == OP_COMPLEMENT)
			return a ? a : b;
		return add_words(graph, graph_kind_of(node), a, b, cost);
	default:
		return a && b && a != b ? graph_add(graph, GRAPH_JOIN, a, b) : a ? a : b;
	}
}

static void summarize(struct profile *profile, const struct values *values, const unsigned *costs)
{
	unsigned *made = tree_array(values->n + 1, sizeof *made);
	struct graph graph = { 0 };
	struct graph_summary summary;

	for (unsigned i = 1; i <= values->n; i++)
		if (values->nodes[i].demanded != 0)
			made[i] = make_node(&graph, values, &values->nodes[i], made, costs[i]);
	summary = graph_summarize(&graph);
	graph_free(&graph);
	free(made);
	profile->logic_functions = summary.functions;
	memcpy(profile->moves, summary.moves, sizeof profile->moves);
	profile->lookups_deep = summary.lookups_deep;
	profile->operators_deep = summary.operators_deep;
}

static void count_values(struct profile *profile, struct values *values)
{
	unsigned *costs = tree_array(values->n + 1, sizeof *costs);
	bool *loaded = tree_array(values->n + 1, sizeof *loaded);

	values_settle(values);
	for (unsigned i = 1; i <= values->n; i++) {
		costs[i] = values_cost(values, &values->nodes[i]);
		count_node(profile, values, &values->nodes[i], costs[i], loaded);
	}
	summarize(profile, values, costs);
	free(costs);
	free(loaded);
}

/* Memory. */

static uint64_t bytes_moved(const struct memory *memory, unsigned used)
{
	return memory->whole && (used > 0 || memory->role == ROLE_STATE) ? memory->symbol->type.bytes : used;
}

static void count_memory(struct profile *profile, struct memory *memory)
{
	bool is_text = memory->role == ROLE_STATE || memory->role == ROLE_PLAIN || memory->role == ROLE_CIPHER;
	uint64_t in = is_text ? bytes_moved(memory, memory->n_in) : 0,
	         out = is_text ? bytes_moved(memory, memory->n_out) : 0;

	if (in + out > 0 && memory->bytes > MAX_TRACKED_BYTES)
		fail_at(memory->first, "'%s': a block of more than %d bytes", memory->symbol->name, MAX_TRACKED_BYTES);
	profile->n_pt += words(in);
	profile->n_ct += words(out);
	if (in + out > 0)
		memory->accesses = words(in) + words(out);
	profile->block_bytes += (unsigned)out;
	profile->table_bytes += memory->role == ROLE_TABLE ? memory->bytes : 0;
}

/* Accesses outside arrays. */

/* Of the steps from a value to what it is made of. */
#define MAX_STEPS 8

/* Is the value made of that source?  true: also if that is not known after so many steps. */
static bool depends_on(const struct values *values, unsigned value, unsigned source, unsigned steps)
{
	const struct value_node *node = &values->nodes[value];

	return value != 0 &&
	       (value == source || steps == MAX_STEPS || depends_on(values, node->inputs[0], source, steps + 1) ||
	               depends_on(values, node->inputs[1], source, steps + 1));
}

/* The plaintext that lets these bits of the value be any number; 0: none does.  Round keys may be limited by the key
 * schedule, and entries by their table. */
static unsigned find_free(const struct values *values, unsigned value, uint64_t bits, unsigned steps)
{
	const struct value_node *node = &values->nodes[value];
	unsigned a = node->inputs[0], b = node->inputs[1], n = (unsigned)node->constant, source;
	bool is_shift = (node->operation == OP_SHL || node->operation == OP_SHR) && b == 0 && n < 64;

	if (value == 0 || steps == MAX_STEPS || (bits & node->zeros) != 0 || node->kind == VALUE_LOOKUP)
		return 0;
	if (node->kind == VALUE_SOURCE)
		return role_of(node) == ROLE_PLAIN || role_of(node) == ROLE_STATE ? value : 0;
	if (node->kind == VALUE_JOIN)
		return find_free(values, a, ~values->nodes[a].zeros, steps + 1) != 0
		               ? find_free(values, b, ~values->nodes[b].zeros, steps + 1)
		               : 0;
	if (is_shift)
		bits = node->operation == OP_SHL ? bits >> n : bits << n >> n == bits ? bits << n : UINT64_MAX;
	else if (node->kind == VALUE_OPERATOR && node->operation != OP_XOR &&
	         (b != 0 || (node->operation != OP_AND && node->operation != OP_OR)) &&
	         ((node->operation != OP_ADD && node->operation != OP_SUB) || (bits & (bits + 1)) != 0))
		return 0;
	source = find_free(values, a, bits, steps + 1);
	if (source != 0 && !depends_on(values, b, source, 0))
		return source;
	source = find_free(values, b, bits, steps + 1);
	return source != 0 && !depends_on(values, a, source, 0) ? source : 0;
}

static _Noreturn void access_fail(const struct node *node, const struct value *at)
{
	const struct type *element = &at->root->type;
	int64_t place = at->bits < 0 ? at->bits : at->bits + (int64_t)at->span;

	while (element->kind == TYPE_ARRAY)
		element = element->target;
	fail_at(node, "index %lld is outside '%s', which has %llu elements: correct the subscript or the array's size",
	        (long long)(place / (int64_t)element->bytes), at->root->name,
	        (unsigned long long)(at->root->type.bytes / element->bytes));
}

void access_check(struct counter *counter, const struct node *node, const struct value *at, unsigned loaded)
{
	const struct type *array = at->root ? &at->root->type : &node->type;
	int64_t start = at->root && at->root->stride > 0 ? at->bits % (int64_t)at->root->stride : at->bits,
	        end = start + (int64_t)(at->span + node->type.bytes);
	struct access *access;

	if (array->kind != TYPE_ARRAY || array->bytes == 0 || (start >= 0 && end <= (int64_t)array->bytes))
		return;
	if (at->known && loaded == 0)
		access_fail(node, at);
	access = tree_allocate(sizeof *access);
	*access = (struct access){ node, *at, loaded, counter->outside };
	counter->outside = access;
}

static void check_accesses(const struct counter *counter)
{
	const struct value_node *nodes = counter->values.nodes;
	const struct access *first = NULL;

	for (const struct access *access = counter->outside; access; access = access->next) { /* the last one first */
		unsigned by = access->at.flow;

		if (access->at.known ? nodes[access->loaded].demanded != 0
		                     : find_free(&counter->values, by, ~nodes[by].zeros, 0) != 0)
			first = access;
	}
	if (first)
		access_fail(first->node, &first->at);
}

/* Counters. */

bool counter_note(struct counter *counter, const struct place *place, unsigned value)
{
	const struct symbol *root = place->at.root;
	const struct value_node *node = &counter->values.nodes[value];
	bool is_counter;

	if (!root || !root->memory || root->type.kind != TYPE_INTEGER || !counter->analysis->by_value)
		return false;
	while (node->inputs[0] != 0 && node->inputs[1] == 0 && !node->root)
		node = &counter->values.nodes[node->inputs[0]];
	is_counter = node->root == root || (node->root && node->root->memory && node->root->memory->counted);
	root->memory->counted = is_counter && counter->uncertain == 0 ? value : 0;
	return root->memory->counted != 0;
}

/* Find the memory whose first value an output needs. */
static void find_reached(const struct values *values)
{
	bool *reached = tree_array(values->n + 1, sizeof *reached);

	for (unsigned i = values->n; i > 0; i--) {
		const struct value_node *node = &values->nodes[i];

		if (!reached[i] && node->demanded == 0)
			continue;
		reached[node->inputs[0]] = reached[node->inputs[1]] = true;
		if (node->root && node->root->memory)
			node->root->memory->reached = true;
	}
	free(reached);
}

/* A counter is no part of the block if there is a block beside it, and no output needs the counter. */
static void decide_counters(struct memory *memories, struct values *values)
{
	bool has_block = false;

	for (struct memory *m = memories; m; m = m->next)
		has_block |= !m->counted && (m->role == ROLE_CIPHER || m->role == ROLE_STATE);
	find_reached(values);
	for (struct memory *m = memories; m; m = m->next) {
		bool is_block = m->role == ROLE_STATE || m->role == ROLE_CIPHER;

		if (is_block && m->counted && !m->given && has_block && !m->reached) {
			m->role = ROLE_REGISTER;
			m->why = "counted, and no output needs it";
		} else {
			values_use(values, m->counted, UINT64_MAX);
		}
	}
}

static void list_memory(struct memory_list *list, const struct memory *memory)
{
	struct memory_use *use = &list->of[list->n];

	if (list->n++ == MAX_MEMORY_USES)
		fail_at(memory->first, "more than %d arrays and members are accessed", MAX_MEMORY_USES);
	if ((size_t)snprintf(use->name, sizeof use->name, "%s", memory->symbol->name) >= sizeof use->name)
		fail_at(memory->first, "'%s' is too long a path", memory->symbol->name);
	use->role = role_names[memory->role];
	use->why = memory->why;
	use->bytes = (unsigned)memory->bytes;
	use->before = (unsigned)-memory->start;
	use->loads = memory->loads;
	use->stores = memory->stores;
	use->accesses = memory->accesses;
}

void profile_count(struct profile *profile, struct memory_list *list, struct counter *counter)
{
	struct memory *first = NULL, *next;

	for (struct memory *m = counter->memories; m; m = next) { /* in order of their first use */
		const struct type *type = &m->symbol->type;

		next = m->next;
		m->next = first;
		first = m;
		if (type->kind == TYPE_ARRAY && type->bytes > 0 && m->bytes > type->bytes && m->symbol->stride == 0)
			m->bytes = type->bytes; /* what no output needs may lie behind it */
	}
	counter->memories = first;
	roles_decide(first, counter);
	decide_counters(first, &counter->values);
	count_values(profile, &counter->values);
	check_accesses(counter);
	for (struct memory *m = first; m; m = m->next) {
		count_memory(profile, m);
		list_memory(list, m);
	}
}
