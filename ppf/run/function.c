/* Functions: the kernel has one for each combination of address spaces, the host one of each. */
#include <string.h>

#include "ppf/run/internal.h"

unsigned instance_number(const struct translator *t, const struct instance *instance)
{
	return (unsigned)(instance - t->instances);
}

static void head_print(struct translator *t, FILE *out, const struct instance *instance)
{
	const struct function *function = instance->function;
	char name[160];

	snprintf(name, sizeof name, "f%u", instance_number(t, instance));
	fputs(t->is_kernel ? "" : "static ", out);
	type_print(t, out, &function->result, instance->result, name);
	fputs(t->is_kernel ? "(TABLE_SPACE const uchar *ppf_t, KEY_SPACE const uchar *ppf_k" : "(", out);
	for (unsigned i = 0; i < function->n_parameters; i++) {
		const struct symbol *symbol = function->parameters[i];

		snprintf(name, sizeof name, "v%u", symbol->number);
		fputs(t->is_kernel || i > 0 ? ", " : "", out);
		parameter_print(t, out, &symbol->type, instance->arguments[i], name);
	}
	fputs(t->is_kernel || function->n_parameters > 0 ? ")" : "void)", out);
}

/* The head is declared too: host functions may call themselves. */
static void function_print(struct body *body)
{
	struct translator *t = body->translator;

	body->out = t->functions.file;
	head_print(t, body->out, body->instance);
	fputs("\n{\n", body->out);
	statement_print(body, body->instance->function->body);
	fputs("}\n\n", body->out);
	head_print(t, t->declarations.file, body->instance);
	fputs(";\n", t->declarations.file);
}

static void function_translate(struct translator *t, struct instance *instance)
{
	struct body body = { .translator = t,
		.instance = instance,
		.spaces = tree_allocate((t->unit.n_symbols + 1) * sizeof *body.spaces) };
	const struct function *function = instance->function;

	for (unsigned i = 0; i < function->n_parameters; i++)
		body.spaces[function->parameters[i]->number] = instance->arguments[i];
	spaces_find(&body, function->body);
	function_print(&body);
}

struct instance *instance_get(
        struct translator *t, const struct node *at, const struct function *function, const enum space *arguments)
{
	struct instance *instance = t->instances, *end = instance + t->n_instances;

	while (instance < end && (instance->function != function ||
	                                 memcmp(instance->arguments, arguments, sizeof instance->arguments) != 0))
		instance++;
	if (t->is_kernel && instance < end && instance->active)
		fail_at(at, "recursion, which OpenCL C lacks");
	if (instance < end)
		return instance;
	if (t->n_instances == MAX_INSTANCES || function->n_parameters > MAX_ARGUMENTS)
		fail_at(at, "more than %d functions, or %d parameters", MAX_INSTANCES, MAX_ARGUMENTS);
	*instance = (struct instance){ .function = function, .active = true };
	memcpy(instance->arguments, arguments, sizeof instance->arguments);
	t->n_instances++;
	function_translate(t, instance);
	instance->active = false;
	return instance;
}

struct instance *instance_of_call(struct body *body, const struct node *call)
{
	enum space spaces[MAX_ARGUMENTS] = { SPACE_OPEN };

	for (unsigned i = 0; i < call->n_children && i < MAX_ARGUMENTS && body->translator->is_kernel; i++) {
		if (!type_is_address(&call->children[i]->type))
			continue;
		spaces[i] = space_of_pointer(body, call->children[i]);
		if (spaces[i] == SPACE_OPEN)
			spaces[i] = SPACE_PRIVATE;
	}
	return instance_get(body->translator, call, call->function, spaces);
}

void argument_print(struct translator *t, FILE *out, unsigned number)
{
	const struct symbol *symbol = t->unit.entry->parameters[number];
	const struct object *object = object_find(t, symbol);
	int64_t value;

	if (object && t->is_kernel && object->kind != OBJECT_BLOCK) {
		fprintf(out, "object%u", (unsigned)(object - t->objects));
	} else if (object && symbol->type.kind == TYPE_RECORD) {
		fputs("*(", out);
		type_print(t, out, &symbol->type, SPACE_PRIVATE, "*");
		fprintf(out, ")v%u", symbol->number);
	} else if (object) {
		fprintf(out, "(void *)((u8 *)v%u + %u)", symbol->number, object->before);
	} else if (setting_find(t->request->analysis.set, symbol->name, &value) >= 0) {
		fprintf(out, "%lld", (long long)value);
	} else if (type_is_address(&symbol->type)) {
		fputs("0", out);
	} else {
		fprintf(out, "n %% %u", PERIOD_BLOCKS);
	}
}

void variable_need(struct translator *t, const struct symbol *symbol)
{
	struct memory_text text;
	struct body body = { .translator = t };

	if (t->variables[symbol->number])
		return;
	t->variables[symbol->number] = true;
	memory_text_open(&text);
	body.out = text.file;
	variable_print(&body, symbol, SPACE_PRIVATE);
	fprintf(t->declarations.file, "static %s;\n", memory_text_end(&text));
}
