/*
 * Statements and operators, by what C puts around their parts.  Every conversion is written out, so that an expression
 * means the same to each compiler, and each variable has a number, so that no block hides a name.
 */
#include "ppf/run/internal.h"

/* $N: child N as an operand, #N: as an expression, @N: as a block, ^N: as a statement; %: the operator.  A child that
 * is missing is nothing, or an empty block. */
static const char *syntax_of(const struct node *node)
{
	static const char *const syntax[] = {
		[NODE_BINARY] = "$0 % $1",
		[NODE_COMPOUND] = "$0 %= $1",
		[NODE_SUBSCRIPT] = "$0[#1]",
		[NODE_IF] = "if (#0) @1 else @2",
		[NODE_WHILE] = "while (#0) @1",
		[NODE_DO] = "do @0 while (#1);\n",
		[NODE_SWITCH] = "switch (#0) @1",
		[NODE_RETURN] = "return #0;\n",
		[NODE_BREAK] = "break;\n",
		[NODE_CONTINUE] = "continue;\n",
	};

	switch ((int)node->kind) {
	case NODE_UNARY:
		return node->operation < OP_POST_INCREMENT ? "% $0" : "$0%";
	case NODE_CHOICE:
		return node->bits ? "$0 ? : $2" : "$0 ? $1 : $2";
	case NODE_FOR:
		return "{\n^0 UNROLL for (; #1; #2) @3 }\n";
	case NODE_CASE:
		return node->children[0] ? "case #0:;\n^1" : "default:;\n^1";
	default:
		return syntax[node->kind];
	}
}

/* 0, (void *)0 and the like, which 0 stands for: it is a pointer of any address space. */
static bool is_null(const struct node *node)
{
	while (node->kind == NODE_CAST && type_is_address(&node->type))
		node = node->children[0];
	return node->kind == NODE_CONSTANT && node->bits == 0;
}

/* A conversion that the compiler makes by itself.  An array as the type of a conversion is that of a parameter, which
 * is a pointer. */
static bool is_implicit(const struct node *cast)
{
	const struct type *to = &cast->type, *from = &cast->children[0]->type;

	if (type_is_address(to))
		return is_null(cast) || (type_is_address(from) && type_equals(to->target, from->target));
	return to->kind != TYPE_VOID && type_equals(to, from);
}

static const struct node *without_implicit(const struct node *node)
{
	while (node->kind == NODE_CAST && is_implicit(node))
		node = node->children[0];
	return node;
}

/* In parentheses unless it is one word, or the left operand of the same operator: compilers limit their nesting. */
static void operand_print(struct body *body, const struct node *node, const struct node *parent)
{
	const struct node *inner = without_implicit(node);
	bool is_operator = inner->kind == NODE_UNARY || inner->kind == NODE_BINARY || inner->kind == NODE_COMPOUND ||
	                   inner->kind == NODE_CHOICE || inner->kind == NODE_CAST,
	     is_same = inner->kind == NODE_BINARY && parent->kind == NODE_BINARY && node == parent->children[0] &&
	               inner->operation == parent->operation && inner->operation != OP_ASSIGN;

	fputs(is_operator && !is_same ? "(" : "", body->out);
	expression_print(body, inner);
	fputs(is_operator && !is_same ? ")" : "", body->out);
}

static void block_print(struct body *body, const struct node *node)
{
	fputs("{\n", body->out);
	if (node && node->kind != NODE_BLOCK)
		statement_print(body, node);
	for (unsigned i = 0; node && node->kind == NODE_BLOCK && i < node->n_children; i++)
		statement_print(body, node->children[i]);
	fputs("}\n", body->out);
}

/* The host's program checks each access to an element: an index against its array, a pointer against the memory of
 * host_text.c.  `&` and an array as a value access nothing. */
static bool access_print(struct body *body, const struct node *node)
{
	bool is_subscript = node->kind == NODE_SUBSCRIPT,
	     is_pointer = node->kind == NODE_UNARY && node->operation == OP_DEREFERENCE;
	const struct node *base;

	if (body->translator->is_kernel || (!is_subscript && !is_pointer) || node->type.kind == TYPE_ARRAY ||
	        node == body->addressed)
		return false;
	base = without_implicit(node->children[0]);
	if (is_subscript && base->type.kind == TYPE_ARRAY && base->type.bytes > 0 && !node_is_parameter(base)) {
		operand_print(body, base, node);
		fputs("[ppf_at((", body->out);
		expression_print(body, node->children[1]);
		fprintf(body->out, "), %llu, %lluul)]",
		        (unsigned long long)(base->type.bytes / base->type.target_bytes),
		        (unsigned long long)place_number(body->translator, node));
		return true;
	}
	fputs(is_subscript ? "(*({ __auto_type ppf_p = &" : "(*({ __auto_type ppf_p = ", body->out);
	operand_print(body, base, node);
	if (is_subscript) {
		fputc('[', body->out);
		expression_print(body, node->children[1]);
		fputc(']', body->out);
	}
	fprintf(body->out, "; ppf_in(ppf_p, sizeof *ppf_p, %lluul); ppf_p; }))",
	        (unsigned long long)place_number(body->translator, node));
	return true;
}

static void syntax_print(struct body *body, const struct node *node)
{
	if (node->kind == NODE_UNARY && node->operation == OP_ADDRESS)
		body->addressed = without_implicit(node->children[0]);
	if (access_print(body, node))
		return;
	for (const char *c = syntax_of(node); *c; c++) {
		bool is_child = *c == '$' || *c == '#' || *c == '@' || *c == '^';
		unsigned number = is_child ? (unsigned)(c[1] - '0') : 0;
		const struct node *child = is_child && number < node->n_children ? node->children[number] : NULL;

		if (*c == '$' && child)
			operand_print(body, child, node);
		else if (*c == '#' && child)
			expression_print(body, child);
		else if (*c == '^' && child)
			statement_print(body, child);
		else if (*c == '@')
			block_print(body, child);
		else if (*c == '%')
			fputs(operation_texts[node->operation], body->out);
		else if (!is_child)
			fputc(*c, body->out);
		c += is_child;
	}
}

/* Variables with static storage are elsewhere. */
static void declare_print(struct body *body, const struct node *node)
{
	const struct symbol *symbol = node->symbol;

	if (symbol->type.kind == TYPE_ARRAY && symbol->type.bytes == 0)
		fail_at(node,
		        "'%s' is an array of variable length, which OpenCL C lacks: declare its size as a constant",
		        symbol->name);
	if (symbol->storage != STORAGE_STATIC)
		variable_print(body, symbol, body->spaces[symbol->number]);
	fputs(";\n", body->out);
}

/* The label's name in hexadecimal digits, so that it is a word of the printer whatever it is. */
static void label_print(struct body *body, const struct node *node)
{
	fputs(node->kind == NODE_GOTO ? "goto label" : "label", body->out);
	for (const char *c = node->text; *c; c++)
		fprintf(body->out, "_%02x", (unsigned char)*c);
	fputs(node->kind == NODE_GOTO ? ";\n" : ":;\n", body->out);
	if (node->kind == NODE_LABEL)
		statement_print(body, node->children[0]);
}

/* Work-items share the structure of tables or keys and do not store to it: the analysis found that no output depends on
 * the counters in it. */
static bool is_counting(struct body *body, const struct node *node)
{
	bool changes = node->kind == NODE_COMPOUND ||
	               (node->kind == NODE_UNARY && node->operation >= OP_PRE_INCREMENT) ||
	               (node->kind == NODE_BINARY && node->operation == OP_ASSIGN);

	return body->translator->is_kernel && changes && node->children[0]->kind == NODE_MEMBER &&
	       space_of_object(body, node->children[0]) != SPACE_PRIVATE;
}

void statement_print(struct body *body, const struct node *node)
{
	if (node->kind == NODE_BLOCK) {
		block_print(body, node);
	} else if (node->kind == NODE_VARIABLES) {
		for (unsigned i = 0; i < node->n_children; i++)
			statement_print(body, node->children[i]);
	} else if (node->kind == NODE_DECLARE) {
		declare_print(body, node);
	} else if (node->kind == NODE_LABEL || node->kind == NODE_GOTO) {
		label_print(body, node);
	} else if (node->kind > NODE_BLOCK) {
		syntax_print(body, node);
	} else {
		if (!is_counting(body, node))
			expression_print(body, node);
		fputs(";\n", body->out);
	}
}

static void conversion_print(struct body *body, const struct node *node)
{
	bool points = type_is_address(&node->type);

	cast_print(body, &node->type, points ? space_of_pointer(body, node->children[0]) : SPACE_PRIVATE);
	operand_print(body, node->children[0], node);
}

/* ({ … }) */
static void statements_value_print(struct body *body, const struct node *node)
{
	fputs("({ ", body->out);
	for (unsigned i = 0; i < node->n_children; i++)
		statement_print(body, node->children[i]);
	fputs(" })", body->out);
}

/* The path of a member as --set names it. */
static void path_print(FILE *out, const struct node *node)
{
	node = without_implicit(node);
	if (node->kind == NODE_MEMBER) {
		path_print(out, node->children[0]);
		fputc('.', out);
	}
	fputs(node->kind == NODE_NAME ? node->symbol->name : node->kind == NODE_MEMBER ? node->text : "", out);
}

/* Print a member of tables or keys that has a value of --set as this value, so that the device's compiler unrolls the
 * loops that the analysis runs. */
static bool setting_print(struct body *body, const struct node *node)
{
	const struct translator *t = body->translator;
	struct memory_text path;
	int64_t value;

	if (!t->is_kernel || node->type.kind != TYPE_INTEGER || space_of_object(body, node) == SPACE_PRIVATE)
		return false;
	memory_text_open(&path);
	path_print(path.file, node);
	if (setting_find(t->request->analysis.set, memory_text_end(&path), &value) < 0)
		return false;
	constant_print(body, &(struct node){ .type = node->type, .bits = value });
	return true;
}

static void member_print(struct body *body, const struct node *node)
{
	const struct node *base = without_implicit(node->children[0]);
	const struct type *type = base->type.target ? base->type.target : &base->type;
	char path[128];

	if (setting_print(body, node))
		return;
	operand_print(body, base, node);
	if (type->kind != TYPE_RECORD || !member_path(path, sizeof path, type->record, node->text))
		fail_at(node, "'%s' is a member of no structure that is known", node->text);
	fprintf(body->out, "%s%s", base->type.target ? "->" : ".", path + 1);
}

static void unsupported_print(struct body *body, const struct node *node)
{
	(void)body;
	fail_at(node, "not translated to OpenCL C: %s", node->text);
}

void expression_print(struct body *body, const struct node *node)
{
	static void (*const printers[NODE_BLOCK])(struct body *, const struct node *) = {
		[NODE_UNSUPPORTED] = unsupported_print,
		[NODE_CONSTANT] = constant_print,
		[NODE_TEXT] = text_print,
		[NODE_NAME] = name_print,
		[NODE_UNARY] = syntax_print,
		[NODE_BINARY] = syntax_print,
		[NODE_COMPOUND] = syntax_print,
		[NODE_CHOICE] = syntax_print,
		[NODE_SUBSCRIPT] = syntax_print,
		[NODE_MEMBER] = member_print,
		[NODE_CALL] = call_print,
		[NODE_CAST] = conversion_print,
		[NODE_LIST] = initial_print,
		[NODE_OBJECT] = object_print,
		[NODE_STATEMENTS] = statements_value_print,
	};

	node = without_implicit(node);
	if (node->kind < NODE_BLOCK)
		printers[node->kind](body, node);
}
