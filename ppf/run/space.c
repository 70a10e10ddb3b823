/* The address space of each pointer of a function. */
#include "ppf/run/internal.h"

static const char *const space_names[] = { "no memory", "private memory", "a table", "a key" };

/* One that the function's own variable is; else its memory is a table or key. */
static bool is_automatic(const struct symbol *symbol)
{
	return symbol->storage != STORAGE_STATIC;
}

/* A pointer, or an array of pointers. */
static bool holds_pointers(const struct type *type)
{
	while (type->kind == TYPE_ARRAY)
		type = type->target;
	return type->kind == TYPE_POINTER;
}

static void space_set(struct body *body, const struct node *at, const struct symbol *symbol, enum space space)
{
	enum space *found = &body->spaces[symbol->number];

	if (*found != SPACE_OPEN && space != SPACE_OPEN && *found != space)
		fail_at(at, "'%s' points to %s and to %s: OpenCL C needs two pointers", symbol->name,
		        space_names[*found], space_names[space]);
	else if (space != SPACE_OPEN)
		*found = space;
}

/* The variable at the start of a[i], a.b, *a and the like; NULL: another expression. */
static const struct symbol *root_of(const struct node *node)
{
	while (node->kind != NODE_NAME && node->kind != NODE_CALL && node->n_children > 0)
		node = node->children[0];
	return node->kind == NODE_NAME ? node->symbol : NULL;
}

/* A pointer that is read from a variable or from memory. */
static enum space space_of_loaded(struct body *body, const struct node *node)
{
	const struct symbol *root = root_of(node);
	enum space around = node->kind == NODE_NAME ? SPACE_PRIVATE : space_of_object(body, node);

	if (around == SPACE_TABLE || around == SPACE_KEY || (root && !is_automatic(root)))
		fail_at(node, "a pointer lies in the memory of a table or key, which OpenCL C cannot follow");
	return root && is_automatic(root) ? body->spaces[root->number] : SPACE_PRIVATE;
}

enum space space_of_object(struct body *body, const struct node *node)
{
	struct object *object;

	switch ((int)node->kind) {
	case NODE_CAST:
		return space_of_object(body, node->children[0]);
	case NODE_NAME:
		object = is_automatic(node->symbol) || variable_is_literal(node->symbol)
		                 ? NULL
		                 : object_of_variable(body->translator, node->symbol);
		return object ? object_space(object) : SPACE_PRIVATE;
	case NODE_UNARY: /* * */
	case NODE_SUBSCRIPT:
		return space_of_pointer(body, node->children[0]);
	case NODE_MEMBER:
		return node->children[0]->type.kind == TYPE_POINTER ? space_of_pointer(body, node->children[0])
		                                                    : space_of_object(body, node->children[0]);
	default:
		return SPACE_PRIVATE;
	}
}

static enum space space_of_choice(struct body *body, const struct node *node)
{
	enum space a = space_of_pointer(body, node->children[1]), b = space_of_pointer(body, node->children[2]);

	if (a != b && a != SPACE_OPEN && b != SPACE_OPEN)
		fail_at(node, "?: chooses between pointers to %s and to %s, which have no common type in OpenCL C",
		        space_names[a], space_names[b]);
	return a == SPACE_OPEN ? b : a;
}

static enum space space_of_called(struct body *body, const struct node *node)
{
	struct instance *instance = node->function->body ? instance_of_call(body, node) : NULL;

	if (instance)
		return instance->result;
	return node->n_children > 0 && type_is_address(&node->children[0]->type)
	               ? space_of_pointer(body, node->children[0])
	               : SPACE_PRIVATE;
}

/* & gives a pointer to an object; ++ and -- of pointers give one of the same variable. */
static enum space space_of_unary(struct body *body, const struct node *node)
{
	if (node->operation == OP_ADDRESS)
		return space_of_object(body, node->children[0]);
	return node->operation == OP_DEREFERENCE ? space_of_loaded(body, node)
	                                         : space_of_pointer(body, node->children[0]);
}

/* Is a node of an array type an array?  Otherwise it is a pointer, which C makes of a parameter of such a type. */
static bool is_object(const struct node *node)
{
	return !node_is_parameter(node) && node->kind != NODE_CAST && node->kind != NODE_BINARY &&
	       node->kind != NODE_COMPOUND && node->kind != NODE_CHOICE;
}

enum space space_of_pointer(struct body *body, const struct node *node)
{
	struct node *const *children = node->children;

	if (!body->translator->is_kernel)
		return SPACE_PRIVATE;
	if (!type_is_address(&node->type))
		return SPACE_OPEN; /* an integer that becomes a pointer: 0 */
	if (node->type.kind == TYPE_ARRAY && is_object(node))
		return space_of_object(body, node);
	switch ((int)node->kind) {
	case NODE_CAST:
		return space_of_pointer(body, children[0]);
	case NODE_BINARY: /* the pointer, or the latter one of an assignment or comma */
	case NODE_COMPOUND:
		return space_of_pointer(body, children[type_is_address(&children[1]->type) ? 1 : 0]);
	case NODE_CHOICE:
		return space_of_choice(body, node);
	case NODE_UNARY:
		return space_of_unary(body, node);
	case NODE_CALL:
		return space_of_called(body, node);
	case NODE_STATEMENTS:
		return node->n_children > 0 ? space_of_pointer(body, children[node->n_children - 1]) : SPACE_PRIVATE;
	case NODE_NAME:
	case NODE_SUBSCRIPT:
	case NODE_MEMBER:
		return space_of_loaded(body, node);
	default:
		return SPACE_PRIVATE;
	}
}

/* Reading a function. */

static void set_from_initial(struct body *body, const struct symbol *symbol, const struct node *initial)
{
	if (initial->kind != NODE_LIST) {
		space_set(body, initial, symbol, space_of_pointer(body, initial));
		return;
	}
	for (unsigned i = 0; i < initial->n_children; i++)
		if (initial->children[i])
			set_from_initial(body, symbol, initial->children[i]);
}

static void read_variable(struct body *body, const struct node *node)
{
	const struct symbol *symbol = node->symbol;

	if (!is_automatic(symbol) || !symbol->initial)
		return;
	spaces_find(body, symbol->initial);
	if (holds_pointers(&symbol->type))
		set_from_initial(body, symbol, symbol->initial);
}

static void read_assignment(struct body *body, const struct node *node)
{
	const struct node *to = node->children[0];
	enum space space;

	if (node->operation != OP_ASSIGN || !to || to->type.kind != TYPE_POINTER)
		return;
	space = space_of_pointer(body, node->children[1]);
	while (to->kind == NODE_CAST || to->kind == NODE_SUBSCRIPT)
		to = to->children[0];
	if (to->kind == NODE_NAME && is_automatic(to->symbol))
		space_set(body, node, to->symbol, space);
	else if (space == SPACE_TABLE || space == SPACE_KEY)
		fail_at(node, "a pointer to a table or key is stored in memory, which OpenCL C cannot follow");
}

/* Does the node read or write the memory that its first child points to? */
static bool follows_pointer(const struct node *node)
{
	return node->kind == NODE_SUBSCRIPT || (node->kind == NODE_UNARY && node->operation == OP_DEREFERENCE) ||
	       (node->kind == NODE_MEMBER && node->children[0] && node->children[0]->type.kind == TYPE_POINTER);
}

void spaces_find(struct body *body, const struct node *node)
{
	for (unsigned i = 0; i < node->n_children; i++)
		if (node->children[i])
			spaces_find(body, node->children[i]);
	if (node->kind == NODE_DECLARE || node->kind == NODE_OBJECT)
		read_variable(body, node);
	else if (node->kind == NODE_BINARY)
		read_assignment(body, node);
	else if (follows_pointer(node))
		space_of_pointer(body, node->children[0]); /* rejects a pointer that lies in a table or key */
	else if (node->kind == NODE_CALL && node->function->body)
		instance_of_call(body, node);
	else if (node->kind == NODE_RETURN && node->n_children > 0 && node->children[0] &&
	         type_is_address(&node->children[0]->type))
		body->instance->result = space_of_pointer(body, node->children[0]);
}
