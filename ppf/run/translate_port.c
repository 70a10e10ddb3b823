/* The parameters of the entry that hold the block. */
#include "ppf/run/translate_parts.h"

#include <string.h>

static CXType pointee(CXCursor parameter)
{
	CXType type = libclang.getCanonicalType(libclang.getCursorType(parameter));

	type = type.kind == CXType_Pointer ? libclang.getPointeeType(type) : libclang.getArrayElementType(type);
	type = libclang.getCanonicalType(type);
	while (type.kind == CXType_ConstantArray)
		type = libclang.getCanonicalType(libclang.getArrayElementType(type));
	return type;
}

unsigned port_word_bytes(const struct port *port)
{
	CXType type = pointee(port->parameter);
	long long n_bytes = libclang.Type_getSizeOf(type);
	bool is_structure = type.kind == CXType_Record;

	return !is_structure && (n_bytes == 2 || n_bytes == 4 || n_bytes == 8) ? (unsigned)n_bytes : 1;
}

const struct port *port_of_parameter(const struct translator *t, unsigned number)
{
	for (unsigned i = 0; i < t->n_ports; i++)
		if (t->ports[i].number == number)
			return &t->ports[i];
	return NULL;
}

/* Does a structure have members of more roles than one, of which one is the block's? */
static bool mixes_roles(const struct memory_list *memory, const char *name, const char *role)
{
	size_t length = strlen(name);

	for (unsigned i = 0; i < memory->n; i++)
		if (strncmp(memory->of[i].name, name, length) == 0 && memory->of[i].name[length] != '\0' &&
		        strcspn(memory->of[i].name, "-.[") == length && strcmp(memory->of[i].role, role) != 0)
			return true;
	return false;
}

static void add_port(struct translator *t, CXCursor parameter, unsigned number, uint32_t sizes[2])
{
	unsigned n_bytes;
	const char *role = role_of(t->request, cursor_name(parameter).text, &n_bytes);
	struct port port = { .n_bytes = n_bytes, .number = number, .parameter = parameter };

	port.reads = !strcmp(role, "plaintext") || !strcmp(role, "state");
	port.writes = !strcmp(role, "ciphertext") || !strcmp(role, "state");
	if (!type_is_pointer(libclang.getCursorType(parameter)) || (!port.reads && !port.writes))
		return;
	if (mixes_roles(t->request->memory, cursor_name(parameter).text, role))
		translate_fail(
		        t, parameter, "'%s' holds a part of the block beside other data", cursor_name(parameter).text);
	port.in_offset = sizes[0];
	port.out_offset = sizes[1];
	sizes[0] += port.reads ? n_bytes : 0;
	sizes[1] += port.writes ? n_bytes : 0;
	t->ports[t->n_ports++] = port;
}

void ports_find(struct translator *t)
{
	unsigned n = (unsigned)libclang.Cursor_getNumArguments(t->source->entry);
	uint32_t sizes[2] = { 0, 0 }, block = t->request->block_bytes;

	for (unsigned i = 0; i < n && i < MAX_ARGUMENTS; i++)
		add_port(t, libclang.Cursor_getArgument(t->source->entry, i), i, sizes);
	if (sizes[0] != block || sizes[1] != block)
		translate_fail(t, t->source->entry,
		        "the parameters hold %u bytes of plaintext and %u of ciphertext, and a block has %u (see --block)",
		        sizes[0], sizes[1], block);
}
