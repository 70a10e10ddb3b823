/*
 * The host's text: the source as it stands, and a program without a C library around it, which only reads, writes and
 * exits.
 */
#include "ppf/run/translate_parts.h"

#include <stdlib.h>
#include <string.h>

#define RANDOM_BYTES 4096 /* for --prepare */

/* Numbers of system calls (asm/unistd.h): the text includes no header. */
static const char architecture[] =
#if defined(__x86_64__)
        "enum { ppf_read = 0, ppf_write = 1, ppf_exit = 60 };\n"
        "static long ppf_call(long n, long a, long b, long c) {\n"
        "\tregister long r10 __asm__(\"r10\") = 0;\n\tregister long r8 __asm__(\"r8\") = 0;\n"
        "\t__asm__ volatile(\"syscall\" : \"+a\"(n) : \"D\"(a), \"S\"(b), \"d\"(c), \"r\"(r10), \"r\"(r8)\n"
        "\t\t: \"rcx\", \"r11\", \"memory\");\n\treturn n;\n}\n"
        "__attribute__((force_align_arg_pointer)) void ppf_start(void);\n";
#elif defined(__aarch64__)
        "enum { ppf_read = 63, ppf_write = 64, ppf_exit = 93 };\n"
        "static long ppf_call(long n, long a, long b, long c) {\n"
        "\tregister long x8 __asm__(\"x8\") = n;\n\tregister long x0 __asm__(\"x0\") = a;\n"
        "\tregister long x1 __asm__(\"x1\") = b;\n\tregister long x2 __asm__(\"x2\") = c;\n"
        "\tregister long x3 __asm__(\"x3\") = 0;\n\tregister long x4 __asm__(\"x4\") = 0;\n"
        "\t__asm__ volatile(\"svc 0\" : \"+r\"(x0) : \"r\"(x8), \"r\"(x1), \"r\"(x2), \"r\"(x3), \"r\"(x4) : \"memory\");\n"
        "\treturn x0;\n}\n"
        "void ppf_start(void);\n";
#else
        "void ppf_start(void) { this processor is not supported; }\n";
#endif

static const char head[] =
        "static void ppf_end(long code) { for (;;) ppf_call(ppf_exit, code, 0, 0); }\n"
        "static void ppf_get(void *to, long n) {\n"
        "\tlong at = 0, got;\n"
        "\tfor (; at < n; at += got)\n"
        "\t\tif ((got = ppf_call(ppf_read, 0, (long)to + at, n - at)) <= 0) ppf_end(2);\n}\n"
        "static void ppf_put(const void *from, long n) {\n"
        "\tlong at = 0, got;\n"
        "\tfor (; at < n; at += got)\n"
        "\t\tif ((got = ppf_call(ppf_write, 1, (long)from + at, n - at)) <= 0) ppf_end(2);\n}\n"
        "static void ppf_move(void *to, const void *from, long n) {\n"
        "\tfor (long i = 0; i < n; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];\n}\n"
        "static const unsigned char ppf_zeros[16];\n";

/* Compilers call these, and so may the source. */
static const struct {
	const char *name, *text;
} library[] = {
	{ "memcpy",
	        "void *memcpy(void *to, const void *from, unsigned long n) { ppf_move(to, from, (long)n); return to; }\n" },
	{ "memmove", "void *memmove(void *to, const void *from, unsigned long n) {\n"
	             "\tif ((unsigned long)to <= (unsigned long)from) ppf_move(to, from, (long)n);\n"
	             "\telse while (n-- > 0) ((unsigned char *)to)[n] = ((const unsigned char *)from)[n];\n"
	             "\treturn to;\n}\n" },
	{ "memset", "void *memset(void *to, int value, unsigned long n) {\n"
	            "\tfor (unsigned long i = 0; i < n; i++) ((unsigned char *)to)[i] = (unsigned char)value;\n"
	            "\treturn to;\n}\n" },
};

static bool defines(struct translator *t, const char *name)
{
	for (unsigned i = 0; i < t->n_tops; i++)
		if (cursor_is(t->tops[i].cursor, CXCursor_FunctionDecl) &&
		        libclang.isCursorDefinition(t->tops[i].cursor) &&
		        strcmp(cursor_name(t->tops[i].cursor).text, name) == 0)
			return true;
	return false;
}

static bool is_random(const struct object *object)
{
	return object->is_parameter ||
	       (!libclang.isConstQualifiedType(libclang.getCursorType(object->declaration)) &&
	               libclang.Cursor_isNull(libclang.Cursor_getVarDeclInitializer(object->declaration)));
}

/* A static variable of a function, a second time at file scope. */
static void emit_inner(struct translator *t, FILE *out, const struct object *object, unsigned number)
{
	CXCursor declaration = object->declaration;
	unsigned start = lower_start(declaration), end = lower_end(declaration), name;
	int length = (int)strlen(cursor_name(declaration).text);
	const char *text = t->source->text;

	libclang.getFileLocation(libclang.getCursorLocation(declaration), NULL, NULL, NULL, &name);
	if (name < start || name > end || memchr(text + start, ',', name - start)) {
		translate_fail(t, declaration, "'%s': declare this static variable in a statement of its own",
		        cursor_name(declaration).text);
		return;
	}
	fprintf(out, "%.*sppf_static_%u%.*s;\n", (int)(name - start), text + start, number, (int)(end - name) - length,
	        text + name + length);
}

static void object_address(char *text, size_t n, const struct object *object, unsigned number)
{
	if (object->is_parameter)
		snprintf(text, n, "ppf_object_%u", number);
	else if (object->is_inner)
		snprintf(text, n, "&ppf_static_%u", number);
	else
		snprintf(text, n, "&%s", cursor_name(object->declaration).text);
}

/* Members of a structure, however deep, that --set gives a value. */
static void emit_settings(struct translator *t, FILE *out, CXType type, const char *path, unsigned depth)
{
	CXCursor declaration = libclang.getTypeDeclaration(libclang.getCanonicalType(type));
	struct cursors members = { 0 };
	char inner[512];
	long long value;

	if (depth < 6 && (cursor_is(declaration, CXCursor_StructDecl) || cursor_is(declaration, CXCursor_UnionDecl)))
		members = translate_children(t, libclang.getCursorDefinition(declaration));
	for (unsigned i = 0; i < members.n; i++) {
		struct name name = cursor_name(members.cursor[i]);

		if (!cursor_is(members.cursor[i], CXCursor_FieldDecl) || !*name.text ||
		        (size_t)snprintf(inner, sizeof inner, "%s.%s", path, name.text) >= sizeof inner)
			continue;
		if (setting_of(t->request, name.text, &value))
			fprintf(out, "\t%s = %lld;\n", inner, value);
		else
			emit_settings(t, out, libclang.getCursorType(members.cursor[i]), inner, depth + 1);
	}
	free(members.cursor);
}

/* What a structure's pointer points to, as the source names it: (*(struct context *)ppf_object_0). */
static bool structure_path(char *path, size_t n, const struct object *object, unsigned number, CXType *target)
{
	CXType type = libclang.getCanonicalType(libclang.getCursorType(object->declaration));
	CXString spelling;
	const char *text;

	if (type.kind != CXType_Pointer)
		return false;
	*target = libclang.getCanonicalType(libclang.getPointeeType(type));
	spelling = libclang.getTypeSpelling(*target);
	text = libclang.getCString(spelling);
	snprintf(path, n, "(*(%s *)ppf_object_%u)", text + (strncmp(text, "const ", 6) == 0 ? 6 : 0), number);
	libclang.disposeString(spelling);
	return true;
}

/* Random bytes first, then the values of --set. */
static void emit_values(struct translator *t, FILE *out, unsigned number)
{
	struct object *object = &t->objects[number];
	CXType type = libclang.getCursorType(object->declaration);
	char address[160], path[400];

	object_address(address, sizeof address, object, number);
	if (is_random(object)) {
		fprintf(out, "\tppf_get((void *)%s, %u);\n", address, object->n_bytes);
		t->random_bytes += object->n_bytes;
	}
	if (!object->is_parameter)
		emit_settings(t, out, type, cursor_name(object->declaration).text, 0);
	else if (structure_path(path, sizeof path, object, number, &type))
		emit_settings(t, out, type, path, 0);
}

/* Tables, then keys, as the kernel's areas have them. */
static void emit_areas(struct translator *t, FILE *out)
{
	char address[160];

	for (int kind = 0; kind < N_OBJECT_KINDS; kind++)
		for (unsigned i = 0; i < t->n_objects; i++) {
			const struct object *object = &t->objects[i];
			unsigned rest = object->n_bytes % 16;

			if ((int)object->kind != kind)
				continue;
			object_address(address, sizeof address, object, i);
			fprintf(out, "\tppf_put((const void *)%s, %u);\n", address, object->n_bytes);
			if (rest > 0)
				fprintf(out, "\tppf_put(ppf_zeros, %u);\n", 16 - rest);
		}
}

/* Storage that the program adds: of parameters, and of the block. */
static void emit_storage(struct translator *t, FILE *out)
{
	static const char declaration[] = "static unsigned char ppf_%s_%u[%u] __attribute__((aligned(16)));\n";

	for (unsigned i = 0; i < t->n_objects; i++) {
		if (t->objects[i].is_inner)
			emit_inner(t, out, &t->objects[i], i);
		if (t->objects[i].is_parameter)
			fprintf(out, declaration, "object", i, t->objects[i].n_bytes);
	}
	for (unsigned i = 0; i < t->n_ports; i++)
		fprintf(out, declaration, "port", t->ports[i].number, t->ports[i].n_bytes);
	fprintf(out, "static unsigned char ppf_block[%u];\n", t->request->block_bytes);
}

static void emit_argument(struct translator *t, FILE *out, unsigned number)
{
	CXCursor parameter = libclang.Cursor_getArgument(t->source->entry, number);
	long long value;

	for (unsigned i = 0; i < t->n_objects; i++)
		if (libclang.equalCursors(t->objects[i].declaration, parameter)) {
			fprintf(out, "(void *)ppf_object_%u", i);
			return;
		}
	if (setting_of(t->request, cursor_name(parameter).text, &value))
		fprintf(out, "%lld", value);
	else if (port_of_parameter(t, number))
		fprintf(out, "(void *)ppf_port_%u", number);
	else
		fputs(type_is_pointer(libclang.getCursorType(parameter)) ? "0" : "n", out);
}

static void emit_arguments(struct translator *t, FILE *out, const char *first)
{
	unsigned n = (unsigned)libclang.Cursor_getNumArguments(t->source->entry);

	fputs(first, out);
	for (unsigned i = 0; i < n; i++) {
		fputs(i > 0 || *first ? ", " : "", out);
		emit_argument(t, out, i);
	}
	fputs(");\n", out);
}

static void emit_loop(struct translator *t, FILE *out)
{
	const struct port *port = t->ports, *end = port + t->n_ports;

	fprintf(out, "\tfor (unsigned long n = 0; n < %u; n++) {\n\t\tppf_get(ppf_block, sizeof ppf_block);\n",
	        PERIOD_BLOCKS);
	for (; port < end; port++)
		if (port->reads)
			fprintf(out, "\t\tppf_move(ppf_port_%u, ppf_block + %u, %u);\n", port->number, port->in_offset,
			        port->n_bytes);
	fprintf(out, "\t\t%s(", cursor_name(t->source->entry).text);
	emit_arguments(t, out, "");
	for (port = t->ports; port < end; port++)
		if (port->writes)
			fprintf(out, "\t\tppf_move(ppf_block + %u, ppf_port_%u, %u);\n", port->out_offset, port->number,
			        port->n_bytes);
	fputs("\t\tppf_put(ppf_block, sizeof ppf_block);\n\t}\n", out);
}

/* A function with the entry's parameters, and random bytes: the statement of --prepare, for instance the key schedule.
 * The statement has the rights of the source, which are none. */
static void emit_preparation(struct translator *t, FILE *out)
{
	unsigned n = (unsigned)libclang.Cursor_getNumArguments(t->source->entry), start, end;

	fprintf(out, "static unsigned char ppf_random[%u];\nstatic void ppf_prepare(const unsigned char *random",
	        RANDOM_BYTES);
	if (n > 0) {
		start = lower_start(libclang.Cursor_getArgument(t->source->entry, 0));
		end = lower_end(libclang.Cursor_getArgument(t->source->entry, n - 1));
		fprintf(out, ", %.*s", (int)(end - start), t->source->text + start);
	}
	fprintf(out, ")\n{\n\t%s;\n}\n", t->request->prepare);
}

/* The preprocessor was told of an old compiler, for which the C library's headers define types that newer compilers
 * have: _Float32 and the like get another name. */
static void emit_source(struct translator *t, FILE *out)
{
	const char *text = t->source->text, *next;

	for (; (next = strstr(text, " _Float")) != NULL; text = next + 2)
		fprintf(out, "%.*s ppf_", (int)(next - text), text);
	fputs(text, out);
}

void host_emit(struct translator *t, FILE *out)
{
	emit_source(t, out);
	fprintf(out, "\n# 1 \"ppf run\"\n%s%s", architecture, head);
	for (size_t i = 0; i < sizeof library / sizeof *library; i++)
		if (!defines(t, library[i].name))
			fputs(library[i].text, out);
	emit_storage(t, out);
	if (t->request->prepare)
		emit_preparation(t, out);
	fputs("void ppf_start(void)\n{\n", out);
	for (unsigned i = 0; i < t->n_objects; i++)
		emit_values(t, out, i);
	if (t->request->prepare) {
		fputs("\tppf_get(ppf_random, sizeof ppf_random);\n\tlong n = 0;\n\tppf_prepare(", out);
		emit_arguments(t, out, "ppf_random");
		t->random_bytes += RANDOM_BYTES;
	}
	emit_areas(t, out);
	emit_loop(t, out);
	fputs("\tppf_end(0);\n}\n", out);
}
