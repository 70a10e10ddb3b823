/* Checks after the function has run: mark the outputs, and reject functions whose counts would be wrong. */
#include <stdio.h>
#include <stdlib.h>

#include "ppf/analysis/count.h"

/* Accesses outside arrays. */

/* Of the steps from a value to what it is made of. */
#define MAX_VALUE_STEPS 8

/* Is the value made of that source?  true: also if that is not known after so many steps. */
static bool depends_on(const struct values *values, unsigned value, unsigned source, unsigned steps)
{
	const struct value_node *node = &values->nodes[value];

	return value != 0 &&
	       (value == source || steps == MAX_VALUE_STEPS || depends_on(values, node->inputs[0], source, steps + 1) ||
	               depends_on(values, node->inputs[1], source, steps + 1));
}

/* The plaintext that lets these bits of the value be any number; 0: none does.  Round keys may be limited by the key
 * schedule, and entries by their table. */
static unsigned find_free(const struct values *values, unsigned value, uint64_t bits, unsigned steps)
{
	const struct value_node *node = &values->nodes[value];
	unsigned a = node->inputs[0], b = node->inputs[1], n = (unsigned)node->constant, source;
	bool is_shift = (node->operation == OP_SHL || node->operation == OP_SHR) && b == 0 && n < 64;

	if (value == 0 || steps == MAX_VALUE_STEPS || (bits & node->zeros) != 0 || node->kind == VALUE_LOOKUP)
		return 0;
	if (node->kind == VALUE_SOURCE)
		return node->root && node->root->memory &&
		                       (node->root->memory->role == ROLE_PLAIN ||
		                               node->root->memory->role == ROLE_STATE)
		               ? value
		               : 0;
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

bool access_is_outside(const struct value *at, uint64_t bytes)
{
	const struct symbol *root = at->root;
	int64_t start = root && root->stride > 0 ? at->bits % (int64_t)root->stride : at->bits;

	return root && root->type.kind == TYPE_ARRAY && root->type.bytes > 0 &&
	       (start < 0 || start + (int64_t)(at->span + bytes) > (int64_t)root->type.bytes);
}

void access_check(struct counter *counter, const struct node *node, const struct value *at, unsigned loaded)
{
	struct access *access;

	if (!access_is_outside(at, node->type.bytes))
		return;
	if (at->known && loaded == 0)
		access_fail(node, at);
	access = tree_allocate(sizeof *access);
	*access = (struct access){ node, *at, loaded, counter->outside };
	counter->outside = access;
}

void check_accesses(const struct counter *counter)
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

/* Outputs. */

static void use_cells(struct values *values, const struct memory *m)
{
	for (const struct cell *cell = m->symbol->cells; cell; cell = cell->next)
		if (!cell->loaded)
			values_use(values, cell->value.flow, values_mask(cell->bytes));
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

/* Is the value a word to which only constants are added, or a copy of such a word? */
static bool is_counter(const struct values *values, const struct memory *m)
{
	const struct cell *cell = m->symbol->cells;
	const struct value_node *node = cell ? &values->nodes[cell->value.flow] : NULL;
	bool is_block = m->role == ROLE_STATE || m->role == ROLE_CIPHER;

	if (!node || cell->loaded || !is_block || m->given || m->symbol->type.kind != TYPE_INTEGER ||
	        values->as_written)
		return false;
	while (node->inputs[0] != 0 && node->inputs[1] == 0 && !node->root)
		node = &values->nodes[node->inputs[0]];
	return node->root == m->symbol || (node->root && node->root->memory && node->root->memory->counted);
}

/* The final content of memory is output, except of keys that change.  A counter is neither output nor part of the
 * block if there is another block and no output depends on the counter. */
static void decide_outputs(struct memory *memories, struct values *values)
{
	bool has_block = false;

	for (struct memory *m = memories; m; m = m->next) {
		m->counted = is_counter(values, m);
		if (m->role == ROLE_KEY || m->role == ROLE_REGISTER || m->role == ROLE_BUFFER || m->counted)
			continue;
		has_block |= m->role == ROLE_CIPHER || m->role == ROLE_STATE;
		use_cells(values, m);
	}
	find_reached(values);
	for (struct memory *m = memories; m; m = m->next) {
		if (m->counted && (!has_block || m->reached)) {
			use_cells(values, m);
		} else if (m->counted) {
			m->role = ROLE_REGISTER;
			m->why = "counted, and no output needs it";
		}
	}
}

/* Questions that the user answers by options. */

/* Is the memory one word, such as half a block? */
static bool is_word(const struct memory *m)
{
	return m->first->type.bytes == m->bytes;
}

/* Other memory that changes, such as a tweakey, or that is input beside the plaintext, such as a chaining value, would
 * be counted as a part of the block. */
static void check_block(const struct memory *memories)
{
	for (const struct memory *m = memories; m; m = m->next) {
		for (const struct memory *other = memories; other && m->why == why_changed; other = other->next) {
			bool is_input = other->role == ROLE_STATE || other->role == ROLE_PLAIN ||
			                (other->role == ROLE_CIPHER && other->n_in > 0);

			if (other == m || !is_input || (other->role == ROLE_STATE && is_word(m) && is_word(other)))
				continue;
			fail_at(m->first_store,
			        "'%s' changes, and '%s' %s: name the block by --ciphertext (both if they are parts of it), and "
			        "other memory by --key",
			        m->symbol->name, other->symbol->name, other->n_out > 0 ? "changes, too" : "is input");
		}
	}
}

/* An integer from outside the function, whose value only --set can give. */
static bool is_setting(const struct value_node *node)
{
	const struct memory *m = node->root ? node->root->memory : NULL;

	if (node->kind == VALUE_SOURCE && !m)
		return node->root && node->root->type.kind == TYPE_INTEGER && node->root->storage == STORAGE_PARAMETER;
	return m && m->stores == 0 && m->role == ROLE_KEY;
}

static _Noreturn void fail_unset(const struct memory *m, const struct value_node *by)
{
	const char *name = setting_name(by);

	fail_at(m->first,
	        "'%s' selects a place in '%s' and is not known: give its value by --set '%s=VALUE', or name the table by "
	        "--tables '%s'",
	        name, m->symbol->name, name, m->symbol->name);
}

/* Beside a block, no entry of a table is selected by nothing but values that no output is made of: the place would be
 * known if they were. */
static void check_places(const struct values *values)
{
	const unsigned data = ~0u;
	bool *computes = tree_array(values->n + 1, sizeof *computes);
	unsigned *by = tree_array(values->n + 1, sizeof *by); /* the value that each is made of; 0: constants; data */

	for (unsigned i = values->n; i > 0; i--) {
		const struct value_node *node = &values->nodes[i];

		for (unsigned j = 0; j < 2; j++)
			computes[node->inputs[j]] |= (computes[i] || node->demanded != 0) && node->kind != VALUE_LOOKUP;
	}
	for (unsigned i = 1; i <= values->n; i++) {
		const struct value_node *node = &values->nodes[i];
		unsigned a = by[node->inputs[0]], b = by[node->inputs[1]];
		const struct memory *m = node->root ? node->root->memory : NULL;

		by[i] = a == data || b == data ? data : a ? a : b;
		if (node->kind == VALUE_SOURCE)
			by[i] = computes[i] || node->demanded != 0 || !is_setting(node) ? data : i;
		else if (node->kind == VALUE_LOAD && by[i] != data)
			by[i] = i;
		else if (node->kind == VALUE_LOOKUP && m && m->why == why_selected && by[i] != 0 && by[i] != data)
			fail_unset(m, &values->nodes[by[i]]);
	}
	free(by);
	free(computes);
}

void check_before(struct counter *counter)
{
	struct memory *memories = counter->memories;

	decide_outputs(memories, &counter->values);
	if (counter->analysis->by_value)
		check_block(memories);
	if (roles_have(memories, ROLE_PLAIN) || roles_have(memories, ROLE_STATE))
		check_places(&counter->values);
}
