/* The memory outside the function: tables and keys, and the parameters of the entry that hold the block. */
#include <stdlib.h>
#include <string.h>

#include "ppf/run/internal.h"

#define ALIGNMENT        16u
#define MAX_OBJECT_BYTES (16u << 20)

/* What the analysis says of a parameter or variable and its members together; ROLE_NONE: nothing. */
static struct memory_use use_of(const struct translation_request *request, const char *name)
{
	struct memory_use all = { .role = ROLE_NONE };

	for (unsigned i = 0; i < request->memory->n; i++) {
		const struct memory_use *use = &request->memory->of[i];
		size_t length = strcspn(use->name, "-.[");

		if (strlen(name) != length || strncmp(use->name, name, length) != 0 || use->role == ROLE_REGISTER)
			continue;
		all.bytes = use->around > all.bytes ? use->around : all.bytes;
		all.before = use->name[length] == '\0' ? use->before : all.before;
		all.stores += use->stores;
		if (all.role == ROLE_NONE || use->role == ROLE_TABLE)
			all.role = use->role;
	}
	return all;
}

static struct object *add_object(struct translator *t, const struct object *object)
{
	if (t->n_objects == MAX_OBJECTS)
		fail_at(t->unit.at_entry, "'%s': too many tables and keys", object->symbol->name);
	t->objects[t->n_objects] = *object;
	return &t->objects[t->n_objects++];
}

struct object *object_find(struct translator *t, const struct symbol *symbol)
{
	for (unsigned i = 0; i < t->n_objects; i++)
		if (t->objects[i].symbol == symbol)
			return &t->objects[i];
	return NULL;
}

const struct object *object_next(const struct translator *t, const struct object *object, enum object_kind kind)
{
	for (object = object ? object + 1 : t->objects; object < t->objects + t->n_objects; object++)
		if (object->kind == kind)
			return object;
	return NULL;
}

/* Tables and keys. */

static struct object *add_area(
        struct translator *t, const struct symbol *symbol, enum object_kind kind, uint64_t n_bytes, uint32_t before)
{
	const struct object object = { .symbol = symbol,
		.kind = kind,
		.offset = { t->n_bytes[kind] },
		.n_bytes = (uint32_t)n_bytes,
		.before = before };

	if (n_bytes == 0 || n_bytes > MAX_OBJECT_BYTES)
		fail_at(t->unit.at_entry,
		        "'%s': its size is not known, or is too large: name the source that defines it by --source",
		        symbol->name);
	t->n_bytes[kind] += (object.n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return add_object(t, &object);
}

static bool kind_of_role(enum object_kind *kind, enum role role)
{
	*kind = role == ROLE_KEY ? OBJECT_KEY : OBJECT_TABLE;
	return role == ROLE_KEY || role == ROLE_TABLE || role == ROLE_CONSTANT;
}

struct object *object_of_variable(struct translator *t, const struct symbol *symbol)
{
	struct object *found = object_find(t, symbol);
	enum object_kind kind;
	int64_t value;

	if (found)
		return found;
	if (!kind_of_role(&kind, use_of(t->request, symbol->name).role) && !symbol->initial &&
	        setting_find(t->request->analysis.set, symbol->name, &value) < 0)
		fail_at(t->unit.at_entry,
		        "'%s' is a global variable that is no table or key and has no initial value, which OpenCL C lacks",
		        symbol->name);
	return add_area(t, symbol, kind, symbol->type.bytes, 0);
}

/* What a parameter points to, or the part of it that is used; a structure is there whole. */
static uint64_t bytes_of_parameter(const struct type *type, const struct memory_use *use)
{
	uint64_t n_bytes = type->kind == TYPE_ARRAY ? type->bytes : 0, used = use->bytes - use->before;

	n_bytes = n_bytes > used ? n_bytes : used;
	return use->before + (n_bytes > type->target_bytes ? n_bytes : type->target_bytes);
}

static void add_parameter(struct translator *t, const struct symbol *symbol)
{
	const struct memory_use use = use_of(t->request, symbol->name);
	const struct type pointer = object_pointer(symbol);
	bool is_context = use.role == ROLE_NONE && pointer.target && pointer.target->kind == TYPE_RECORD;
	enum object_kind kind = OBJECT_KEY;

	/* A structure of which only values of --set are used counts as keys, too. */
	if (!type_is_address(&pointer) || (!is_context && !kind_of_role(&kind, use.role)))
		return;
	if (use.stores > 0)
		fail_at(t->unit.at_entry, "writes to '%s', which is a %s: write to a local copy", symbol->name,
		        role_names[use.role]);
	add_area(t, symbol, kind, bytes_of_parameter(&pointer, &use), use.before);
}

/* The block. */

unsigned object_word_bytes(const struct object *object)
{
	const struct type *type = object->symbol->type.target;

	while (type->kind == TYPE_ARRAY)
		type = type->target;
	return type->kind == TYPE_INTEGER ? (unsigned)type->bytes : 1;
}

/* Does a structure have members of more roles than one, of which one is the block's? */
static bool mixes_roles(const struct memory_list *memory, const char *name, enum role role)
{
	size_t length = strlen(name);

	for (unsigned i = 0; i < memory->n; i++)
		if (strncmp(memory->of[i].name, name, length) == 0 && memory->of[i].name[length] != '\0' &&
		        strcspn(memory->of[i].name, "-.[") == length && memory->of[i].role != role)
			return true;
	return false;
}

static void add_part(struct translator *t, const struct symbol *symbol)
{
	const struct memory_use use = use_of(t->request, symbol->name);
	uint32_t *sizes = t->block_bytes;
	const struct object part = { .symbol = symbol,
		.kind = OBJECT_BLOCK,
		.reads = use.role == ROLE_PLAIN || use.role == ROLE_STATE,
		.writes = use.role == ROLE_CIPHER || use.role == ROLE_STATE,
		.offset = { sizes[0], sizes[1] },
		.n_bytes = use.bytes,
		.before = use.before };

	if (symbol->type.kind == TYPE_RECORD && (part.reads || part.writes))
		fail_at(t->unit.at_entry, "'%s' holds the block by value: pass a pointer instead", symbol->name);
	if (!type_is_address(&symbol->type) || (!part.reads && !part.writes && use.role != ROLE_BUFFER))
		return;
	if (mixes_roles(t->request->memory, symbol->name, use.role))
		fail_at(t->unit.at_entry, "'%s' holds a part of the block beside other data", symbol->name);
	sizes[0] += part.reads ? part.n_bytes : 0;
	sizes[1] += part.writes ? part.n_bytes : 0;
	add_object(t, &part);
}

void objects_add_parameters(struct translator *t)
{
	const struct function *entry = t->unit.entry;

	for (unsigned i = 0; i < entry->n_parameters; i++)
		add_part(t, entry->parameters[i]);
	if (t->block_bytes[1] != t->request->block_bytes)
		fail_at(t->unit.at_entry,
		        "the parameters have room for an output block of %u bytes, but a block has %u (see --block and --ciphertext)",
		        t->block_bytes[1], t->request->block_bytes);
	for (unsigned i = 0; i < entry->n_parameters; i++)
		add_parameter(t, entry->parameters[i]);
}
