/* From the values and the memory of a function to its profile. */
#include "ppf/analysis/count.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned words(uint64_t bytes)
{
	return (unsigned)((bytes + 3) / 4);
}

enum role value_role(const struct value_node *node)
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
	enum role role = value_role(node);

	if (role == ROLE_KEY && node->kind == VALUE_LOAD && values->nodes[node->inputs[0]].root != node->root)
		return; /* a key that the function has changed is in a register */
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

bool value_is_turn(const struct value_node *node)
{
	return node->kind == VALUE_OPERATOR && node->class == OPERATOR_ROTATE && node->inputs[1] != 0;
}

static void count_node(struct profile *profile, const struct values *values, const struct value_node *node,
        unsigned cost, bool *loaded)
{
	bool left = node->kind == VALUE_OPERATOR && node->operation == OP_SHL && node->inputs[1] == 0;

	profile->left_shifts += left && cost == 1 ? 1 : 0;
	if (value_is_turn(node))
		profile->turns[node->constant & BY_LONG ? TURN_LONG : TURN_WORD] += cost;
	if (node->kind == VALUE_LOAD || node->kind == VALUE_LOOKUP)
		count_load(profile, values, node, cost, loaded);
	else if (node->kind == VALUE_OPERATOR || node->kind == VALUE_PICK)
		profile->operators[node->class] += cost;
	profile->casts += node->is_cast ? cost : 0;
	if (node->kind == VALUE_OPERATOR && node->class < N_OPERATORS && cost > 1)
		profile->halves[node->class] += cost - 1;
	if (node->kind == VALUE_PICK)
		profile->field_operators[node->class] += cost;
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
	graph_summarize(profile, values, costs);
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

/* Note words of the block whose upper bits are always zero. */
static void note_words(struct profile *profile, const struct memory *memory)
{
	uint64_t bits = 0, bytes = 0;

	for (const struct cell *cell = memory->symbol->cells; cell; cell = cell->next) {
		bits |= cell->loaded ? 0 : cell->value.known ? (uint64_t)cell->value.bits : ~cell->value.zeros;
		bytes = cell->loaded || cell->bytes < bytes ? bytes : cell->bytes;
	}
	bits = values_up_to(bits & values_mask(bytes));
	if (bits != 0 && bits != values_mask(bytes))
		snprintf(profile->note, sizeof profile->note,
		        "words of '%s' have %d bits, of which the output uses %d: is the block of %u bytes smaller (--block)?",
		        memory->symbol->name, (int)(8 * bytes), __builtin_popcountll(bits), profile->block_bytes);
}

/* Note if the size of the block is doubtful. */
static void note_block(struct profile *profile, const struct memory *memories)
{
	unsigned bytes = profile->block_bytes;

	if (profile->n_pt != profile->n_ct && profile->n_pt > 0 && profile->n_ct > 0)
		snprintf(profile->note, sizeof profile->note,
		        "%u words of input, and %u of output: how many bytes has a block (--block)?", profile->n_pt,
		        profile->n_ct);
	else if ((bytes & (bytes - 1)) != 0)
		snprintf(profile->note, sizeof profile->note,
		        "a block of %u bytes: does it contain other data (--key, --block)?", bytes);
	for (const struct memory *m = memories; m; m = m->next)
		if (m->role == ROLE_STATE || m->role == ROLE_CIPHER)
			note_words(profile, m);
}

static void list_memory(struct memory_list *list, const struct memory *memory)
{
	struct memory_use *use = &list->of[list->n];
	unsigned stride = (unsigned)memory->symbol->stride;

	if (list->n++ == MAX_MEMORY_USES)
		fail_at(memory->first, "more than %d arrays and members are accessed", MAX_MEMORY_USES);
	if ((size_t)snprintf(use->name, sizeof use->name, "%s", memory->symbol->name) >= sizeof use->name)
		fail_at(memory->first, "the path '%s' is too long", memory->symbol->name);
	use->role = memory->role;
	use->why = memory->why;
	use->bytes = memory->bytes < UINT32_MAX ? (unsigned)memory->bytes : UINT32_MAX; /* more is too large to run */
	use->around = use->bytes + (stride > 0 ? stride - 1 - (use->bytes - 1) % stride : 0);
	use->before = use->bytes < UINT32_MAX ? (unsigned)-memory->start : 0;
	use->loads = memory->loads;
	use->stores = memory->stores;
	use->accesses = memory->accesses;
}

void profile_count(struct profile *profile, struct memory_list *list, struct counter *counter)
{
	struct memory *first = counter->memories;

	roles_decide(first, counter->analysis);
	check_before(counter);
	count_values(profile, &counter->values);
	check_accesses(counter);
	for (struct memory *m = first; m; m = m->next) {
		count_memory(profile, m);
		list_memory(list, m);
	}
	if (counter->analysis->by_value)
		note_block(profile, first);
}
