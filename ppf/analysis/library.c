#include <fnmatch.h>

#include "ppf/analysis/count.h"

/* The elements of the memory that an argument points to, below its conversion to void *. */
static uint64_t element_bytes(const struct node *argument)
{
	while (argument->kind == NODE_CAST && argument->n_children == 1 &&
	        type_is_address(&argument->children[0]->type))
		argument = argument->children[0];
	return argument->type.target_bytes;
}

/* An element in the memory that an argument points to, as a node that can be loaded and stored. */
static struct node element_node(const struct node *call, unsigned argument, uint64_t bytes)
{
	return (struct node){ .kind = NODE_CAST,
		.type = { .kind = TYPE_INTEGER, .bytes = bytes },
		.children = &call->children[argument],
		.n_children = 1,
		.file = call->file,
		.line = call->line };
}

/* The whole words of both sides, at most 8 bytes, of which n bytes consist. */
static uint64_t unit_bytes(uint64_t a, uint64_t b, uint64_t n)
{
	uint64_t unit = a > b ? a : b;

	unit = unit == 2 || unit == 4 || unit == 8 ? unit : 1;
	while (n % unit != 0)
		unit /= 2;
	return unit;
}

static void copy_memory(struct counter *counter, const struct node *call, const struct value *arguments)
{
	const struct node *const *children = (const struct node *const *)call->children;
	uint64_t n = (uint64_t)arguments[2].bits,
	         unit = unit_bytes(element_bytes(children[0]), element_bytes(children[1]), n);
	const struct node to = element_node(call, 0, unit), from = element_node(call, 1, unit);

	cell_move(counter, &to, arguments[0], &from, arguments[1], n);
}

static void set_memory(struct counter *counter, const struct node *call, const struct value *arguments)
{
	uint64_t n = (uint64_t)arguments[2].bits, unit = unit_bytes(element_bytes(call->children[0]), 1, n);
	const struct node to = element_node(call, 0, unit);
	struct value at = arguments[0], value = arguments[1];

	if (value.known)
		value = count_known((int64_t)((uint64_t)(value.bits & 0xff) * UINT64_C(0x0101010101010101)), &to.type);
	for (uint64_t i = 0; i < n; i += unit) {
		count_enter(counter, call);
		place_store(counter, &to, at, value);
		count_leave(counter);
		at.bits = (int64_t)((uint64_t)at.bits + unit);
	}
}

static const struct {
	const char *name;     /* a pattern as in fnmatch(3) */
	unsigned n_arguments; /* at least */
	enum library_use use;
} functions[] = {
	{ "memcpy", 3, LIBRARY_COPY },
	{ "memmove", 3, LIBRARY_COPY },
	{ "__builtin_memcpy", 3, LIBRARY_COPY },
	{ "__builtin___memcpy_chk", 3, LIBRARY_COPY },
	{ "memset", 3, LIBRARY_SET },
	{ "__builtin_memset", 3, LIBRARY_SET },
	{ "__builtin___memset_chk", 3, LIBRARY_SET },
	{ "__builtin_expect", 1, LIBRARY_FIRST },
	{ "__builtin_assume_aligned", 1, LIBRARY_FIRST },
	{ "__assert_fail", 0, LIBRARY_NOTHING },
	{ "__builtin_unreachable", 0, LIBRARY_NOTHING },
	{ "abort", 0, LIBRARY_NOTHING },
	{ "exit", 0, LIBRARY_NOTHING },
	{ "*zeroize", 1, LIBRARY_NOTHING },
	{ "*cleanse", 1, LIBRARY_NOTHING },
	{ "*secure_clear", 1, LIBRARY_NOTHING },
	{ "explicit_bzero", 1, LIBRARY_NOTHING },
	{ "memset_s", 1, LIBRARY_NOTHING },
	{ "*burn_stack", 1, LIBRARY_NOTHING },
};

enum library_use library_find(const char *name, unsigned n_arguments)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (fnmatch(functions[i].name, name, 0) == 0 && n_arguments >= functions[i].n_arguments)
			return functions[i].use;
	return LIBRARY_NONE;
}

bool library_call(struct counter *counter, const struct node *node, const struct value *arguments, struct value *result)
{
	enum library_use use = library_find(node->function->name, node->n_children);

	if (use == LIBRARY_NONE)
		return false;
	if ((use == LIBRARY_COPY || use == LIBRARY_SET) && (!arguments[2].known || arguments[2].bits < 0))
		fail_at(node, "the number of bytes of %s depends on data", node->function->name);
	else if (use == LIBRARY_COPY)
		copy_memory(counter, node, arguments);
	else if (use == LIBRARY_SET)
		set_memory(counter, node, arguments);
	*result = arguments[0];
	if (use == LIBRARY_NOTHING)
		*result = (struct value){ 0 };
	return true;
}
