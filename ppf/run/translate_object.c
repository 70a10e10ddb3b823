/* Tables and keys. */
#include "ppf/run/translate_parts.h"

#include <string.h>

#include "gpucrypt/status.h"

#define ALIGNMENT        16u
#define MAX_OBJECT_BYTES (16u << 20)

static struct object *add_object(struct translator *t, CXCursor declaration, enum object_kind kind, long long n_bytes)
{
	struct object *object = &t->objects[t->n_objects];

	if (n_bytes <= 0 || n_bytes > MAX_OBJECT_BYTES || t->n_objects == MAX_OBJECTS) {
		translate_fail(t, declaration, "'%s': %s", cursor_name(declaration).text,
		        t->n_objects == MAX_OBJECTS ? "too many tables and keys"
		                                    : "its size is not known, or is too large");
		return NULL;
	}
	*object = (struct object){
		.declaration = declaration, .kind = kind, .offset = t->n_bytes[kind], .n_bytes = (uint32_t)n_bytes
	};
	t->n_bytes[kind] += (object->n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	t->n_objects++;
	return object;
}

static bool kind_of_role(enum object_kind *kind, const char *role)
{
	*kind = strcmp(role, "key") == 0 ? OBJECT_KEY : OBJECT_TABLE;
	return *kind == OBJECT_KEY || !strcmp(role, "table") || !strcmp(role, "constant");
}

struct object *object_of_variable(struct translator *t, CXCursor declaration)
{
	struct name name = cursor_name(declaration);
	CXCursor definition = libclang.getCursorDefinition(declaration);
	struct object *object;
	enum object_kind kind;
	unsigned n_bytes;

	if (libclang.Cursor_isNull(definition))
		definition = declaration;
	for (unsigned i = 0; i < t->n_objects; i++)
		if (libclang.equalCursors(t->objects[i].declaration, definition))
			return &t->objects[i];
	if (!kind_of_role(&kind, role_of(t->request, name.text, &n_bytes)) &&
	        libclang.Cursor_isNull(libclang.Cursor_getVarDeclInitializer(definition))) {
		translate_fail(t, definition,
		        "'%s' is a global variable that is no table or key and has no initial value, which OpenCL C lacks",
		        name.text);
		return NULL;
	}
	object = add_object(t, definition, kind, libclang.Type_getSizeOf(libclang.getCursorType(definition)));
	if (object)
		object->is_inner = cursor_is(libclang.getCursorSemanticParent(definition), CXCursor_FunctionDecl);
	return object;
}

/* What a parameter points to, or the part of it that is used; a structure is there whole. */
static long long bytes_of_parameter(CXCursor parameter, unsigned used)
{
	CXType type = libclang.getCanonicalType(libclang.getCursorType(parameter));
	CXType target =
	        type.kind == CXType_Pointer ? libclang.getPointeeType(type) : libclang.getArrayElementType(type);
	long long element = libclang.Type_getSizeOf(target), n_bytes = used;

	if (type.kind == CXType_ConstantArray && libclang.Type_getSizeOf(type) > n_bytes)
		n_bytes = libclang.Type_getSizeOf(type);
	if (element > n_bytes)
		n_bytes = element;
	return n_bytes;
}

void objects_add_parameters(struct translator *t)
{
	int n = libclang.Cursor_getNumArguments(t->source->entry);

	for (unsigned i = 0; (int)i < n && t->status == GPUCRYPT_OK; i++) {
		CXCursor parameter = libclang.Cursor_getArgument(t->source->entry, i);
		enum object_kind kind;
		unsigned used;
		const char *role = role_of(t->request, cursor_name(parameter).text, &used);
		struct object *object;

		if (!type_is_pointer(libclang.getCursorType(parameter)) || !kind_of_role(&kind, role))
			continue;
		object = add_object(t, parameter, kind, bytes_of_parameter(parameter, used));
		if (object)
			object->is_parameter = true;
	}
}
