/* Functions of the C library and of compilers that ciphers call. */
#include <fnmatch.h>

#include "ppf/analysis/count.h"

/* The elements of the memory that an argument points to, below its conversion to void *. */
static uint64_t element_bytes(const struct node *argument)
{
	while (argument->kind == NODE_CAST && argument->n_children == 1 &&
	        place_is_address(&argument->children[0]->type))
		argument = argument->children[0];
	return argument->type.target_bytes;
}

/* An element in memory, as a node that can be loaded and stored. */
static struct node element_node(const struct node *call, const struct node *argument, uint64_t bytes)
{
	struct node node = *argument;

	node.type = (struct type){ .kind = TYPE_INTEGER, .bytes = bytes };
	node.file = call->file;
	node.line = call->line;
	return node;
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

static struct place element_at(struct counter *counter, const struct value *pointer, uint64_t i, uint64_t bytes)
{
	const struct value index = { .known = true, .bits = (int64_t)i };
	struct place place = { .at = place_shift(counter, *pointer, &index, 1, bytes) };

	place.at.list = NULL;
	return place;
}

static void copy_memory(struct counter *counter, const struct node *call, const struct value *arguments)
{
	const struct node *const *children = (const struct node *const *)call->children;
	uint64_t n = (uint64_t)arguments[2].bits,
	         unit = unit_bytes(element_bytes(children[0]), element_bytes(children[1]), n);
	const struct node to = element_node(call, children[0], unit), from = element_node(call, children[1], unit);

	for (uint64_t i = 0; i < n / unit && count_enter(counter, call); i++) {
		struct place source = element_at(counter, &arguments[1], i, unit),
		             target = element_at(counter, &arguments[0], i, unit);

		place_store(counter, &to, &target, place_load(counter, &from, &source));
		count_leave(counter);
	}
}

static void set_memory(struct counter *counter, const struct node *call, const struct value *arguments)
{
	uint64_t n = (uint64_t)arguments[2].bits, unit = unit_bytes(element_bytes(call->children[0]), 1, n);
	const struct node to = element_node(call, call->children[0], unit);
	struct value value = arguments[1];

	if (value.known)
		value = count_known((int64_t)((uint64_t)(value.bits & 0xff) * UINT64_C(0x0101010101010101)), &to.type);
	for (uint64_t i = 0; i < n / unit && count_enter(counter, call); i++) {
		struct place target = element_at(counter, &arguments[0], i, unit);

		place_store(counter, &to, &target, value);
		count_leave(counter);
	}
}

/* A check that fails ends the program; the count is of programs that go on. */
static void ignore(struct counter *counter, const struct node *call, const struct value *arguments)
{
	(void)counter, (void)call, (void)arguments;
}

static const struct {
	const char *name;     /* a pattern as in fnmatch(3) */
	unsigned n_arguments; /* at least */
	bool has_size;        /* the third argument is a number of bytes */
	bool returns_first;
	void (*run)(struct counter *counter, const struct node *call, const struct value *arguments);
} functions[] = {
	{ "memcpy", 3, true, true, copy_memory },
	{ "memmove", 3, true, true, copy_memory },
	{ "__builtin_memcpy", 3, true, true, copy_memory },
	{ "__builtin___memcpy_chk", 3, true, true, copy_memory },
	{ "memset", 3, true, true, set_memory },
	{ "__builtin_memset", 3, true, true, set_memory },
	{ "__builtin___memset_chk", 3, true, true, set_memory },
	{ "__builtin_expect", 1, false, true, ignore },
	{ "__builtin_assume_aligned", 1, false, true, ignore },
	{ "__assert_fail", 0, false, false, ignore },
	{ "__builtin_unreachable", 0, false, false, ignore },
	{ "abort", 0, false, false, ignore },
	{ "exit", 0, false, false, ignore },
	/* They erase what no output uses any more. */
	{ "*zeroize", 1, false, false, ignore },
	{ "*cleanse", 1, false, false, ignore },
	{ "*secure_clear", 1, false, false, ignore },
	{ "explicit_bzero", 1, false, false, ignore },
	{ "memset_s", 1, false, false, ignore },
	{ "*burn_stack", 1, false, false, ignore },
};

bool library_call(struct counter *counter, const struct node *node, const struct value *arguments, struct value *result)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		if (fnmatch(functions[i].name, node->function->name, 0) != 0 ||
		        node->n_children < functions[i].n_arguments)
			continue;
		if (functions[i].has_size && (!arguments[2].known || arguments[2].bits < 0))
			count_fail(counter, node, "the number of bytes of %s depends on data", functions[i].name);
		else
			functions[i].run(counter, node, arguments);
		*result = functions[i].returns_first ? arguments[0] : (struct value){ 0 };
		return true;
	}
	return false;
}
