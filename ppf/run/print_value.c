/* Constants, names, calls and initial values. */
#include <string.h>

#include "ppf/analysis/count.h"
#include "ppf/run/internal.h"

void cast_print(struct body *body, const struct type *type, enum space space)
{
	fputc('(', body->out);
	parameter_print(body->translator, body->out, type, space, "");
	fputc(')', body->out);
}

void constant_print(struct body *body, const struct node *node)
{
	bool is_long = node->type.bytes > 4;

	fputc('(', body->out);
	cast_print(body, &node->type, SPACE_PRIVATE);
	fprintf(body->out, is_long ? "%lluul)" : "%lluu)",
	        (unsigned long long)(is_long ? (uint64_t)node->bits : (uint32_t)node->bits));
}

/* Nothing but an unescaped quote or a line's end ends a literal. */
void text_print(struct body *body, const struct node *node)
{
	const char *text = node->text;
	size_t n = strlen(text), i = 1;

	while (i < n && text[i] >= ' ' && text[i] <= '~' && text[i] != '"')
		i += text[i] == '\\' ? 2 : 1;
	if (body->translator->is_kernel || *text != '"' || i + 1 != n)
		fail_at(node, "a string is not translated to OpenCL C");
	fputs(text, body->out);
}

bool variable_is_literal(const struct symbol *symbol)
{
	return symbol->storage == STORAGE_STATIC && symbol->type.kind == TYPE_INTEGER && symbol->type.is_const &&
	       symbol->initial;
}

void name_print(struct body *body, const struct node *node)
{
	struct translator *t = body->translator;
	const struct symbol *symbol = node->symbol;
	bool is_scalar = symbol->storage == STORAGE_STATIC && symbol->type.kind == TYPE_INTEGER;
	int64_t value;

	if (is_scalar && setting_find(t->request->analysis.set, symbol->name, &value) >= 0) {
		constant_print(body, &(struct node){ .type = symbol->type, .bits = value });
	} else if (variable_is_literal(symbol)) {
		fputs("((", body->out);
		type_print(t, body->out, &symbol->type, SPACE_PRIVATE, "");
		fputs(")(", body->out);
		expression_print(body, symbol->initial);
		fputs("))", body->out);
	} else if (symbol->storage == STORAGE_STATIC && t->is_kernel) {
		fprintf(body->out, "object%u", (unsigned)(object_of_variable(t, symbol) - t->objects));
	} else {
		if (symbol->storage == STORAGE_STATIC)
			variable_need(t, symbol);
		fprintf(body->out, "v%u", symbol->number);
	}
}

/* Calls. */

static void arguments_print(struct body *body, const struct node *call, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fputs(i > 0 ? ", " : "", body->out);
		initial_print(body, call->children[i]);
	}
	fputc(')', body->out);
}

static void own_call_print(struct body *body, const struct node *call)
{
	struct translator *t = body->translator;
	struct instance *instance = instance_of_call(body, call);

	fprintf(body->out, "f%u(", instance_number(t, instance));
	if (t->is_kernel)
		fprintf(body->out, "ppf_t, ppf_k%s", call->n_children > 0 ? ", " : "");
	arguments_print(body, call, call->n_children);
}

/* To a function without definition the analysis found no way, and the host's program ends there. */
static void dropped_call_print(struct body *body, const struct node *call, bool ends)
{
	fputs(ends && !body->translator->is_kernel ? "(__builtin_trap(), " : "(", body->out);
	fputs(call->type.kind == TYPE_VOID ? "(void)0)" : "0)", body->out);
}

/* The name, without ppf_, that both printed programs give to a function of the C library or compiler; NULL: none. */
static const char *builtin_of(const char *name)
{
	static const char *const names[] = { "bswap16", "bswap32", "bswap64", "htonl", "ntohl", "rotateleft8",
		"rotateleft16", "rotateleft32", "rotateleft64", "rotateright8", "rotateright16", "rotateright32",
		"rotateright64" };
	const char *last = strncmp(name, "__builtin_", 10) == 0 ? name + 10 : name;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], last))
			return names[i];
	return NULL;
}

static void library_call_print(struct body *body, const struct node *call)
{
	static const char letters[] = { 'p', 'p', 't', 'k' };
	enum library_use use = library_find(call->function->name, call->n_children);
	enum operator_class class;

	if (role_is_operator(&class, &body->translator->request->analysis.patterns, call->function->name))
		fail_at(call,
		        "function '%s' is counted by its name, but not defined in the file: define it by -D or --include",
		        call->function->name);
	switch (use) {
	case LIBRARY_COPY:
		fprintf(body->out, "ppf_copy_%c(", letters[space_of_pointer(body, call->children[1])]);
		arguments_print(body, call, 3);
		return;
	case LIBRARY_SET:
		fputs("ppf_set(", body->out);
		arguments_print(body, call, 3);
		return;
	case LIBRARY_FIRST:
		fputc('(', body->out);
		arguments_print(body, call, 1);
		return;
	default:
		dropped_call_print(body, call, use == LIBRARY_NONE);
	}
}

void call_print(struct body *body, const struct node *call)
{
	const char *builtin = builtin_of(call->function->name);

	if (call->function->body) {
		own_call_print(body, call);
	} else if (builtin) {
		fprintf(body->out, "ppf_%s(", builtin);
		arguments_print(body, call, call->n_children);
	} else {
		library_call_print(body, call);
	}
}

/* Initial values. */

/* 0 stands for a function's address, which no call can use. */
static void element_print(struct body *body, const struct node *node, const struct type *type)
{
	bool is_aggregate = type->kind == TYPE_ARRAY || type->kind == TYPE_RECORD;

	if (is_aggregate && node->kind == NODE_CONSTANT)
		fputs("{ 0 }", body->out);
	else if (type->kind == TYPE_POINTER && node->kind == NODE_UNSUPPORTED)
		fputs("0", body->out);
	else
		initial_print(body, node);
}

void initial_print(struct body *body, const struct node *node)
{
	bool is_comma = node->kind == NODE_BINARY && node->operation == OP_COMMA;
	const char *before = "{ ";

	if (node->kind != NODE_LIST) {
		fputs(is_comma ? "(" : "", body->out);
		expression_print(body, node);
		fputs(is_comma ? ")" : "", body->out);
		return;
	}
	for (unsigned i = 0; i < node->n_children; i++) {
		if (!node->children[i])
			continue;
		fputs(before, body->out);
		before = ", ";
		if (node->type.record)
			fprintf(body->out, ".m%u = ", i);
		element_print(body, node->children[i], type_of_part(&node->type, i));
	}
	fputs(node->n_children == 0 ? "{ 0 }" : " }", body->out);
}

/* A compound literal. */
void object_print(struct body *body, const struct node *node)
{
	bool is_list = node->symbol->initial->kind == NODE_LIST;

	if (body->translator->is_kernel && (node->type.kind == TYPE_ARRAY || node == body->addressed))
		fail_at(node, "a pointer to a compound literal, which OpenCL C lacks: declare a variable");
	fputs("((", body->out);
	type_print(body->translator, body->out, &node->type, SPACE_PRIVATE, "");
	fputs(is_list ? ")" : "){ ", body->out);
	initial_print(body, node->symbol->initial);
	fputs(is_list ? ")" : " })", body->out);
}

void variable_print(struct body *body, const struct symbol *symbol, enum space space)
{
	char name[16];

	snprintf(name, sizeof name, "v%u", symbol->number);
	type_print(body->translator, body->out, &symbol->type, space, name);
	if (symbol->initial) {
		fputs(" = ", body->out);
		initial_print(body, symbol->initial);
	}
}
