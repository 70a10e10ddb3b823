/* The kernel's text: types, tables and keys, functions, and the loop over blocks. */
#include "ppf/run/translate_parts.h"

/* Functions of the C library and of compilers.  OpenCL C 1.2 has no generic address space: copies exist for each. */
static const char head[] = "#ifdef UNROLLED\n#define UNROLL _Pragma(\"unroll\")\n#else\n#define UNROLL\n#endif\n"
                           "#define PPF_COPY(name, SPACE) \\\n"
                           "static void *name(void *to, SPACE const void *from, ulong n) { \\\n"
                           "\tfor (ulong i = 0; i < n; i++) ((uchar *)to)[i] = ((SPACE const uchar *)from)[i]; \\\n"
                           "\treturn to; }\n"
                           "PPF_COPY(ppf_copy_p, __private)\n"
                           "PPF_COPY(ppf_copy_t, TABLE_SPACE)\n"
                           "PPF_COPY(ppf_copy_k, KEY_SPACE)\n"
                           "#define ppf_copy_checked_p(to, from, n, most) ppf_copy_p(to, from, n)\n"
                           "#define ppf_copy_checked_t(to, from, n, most) ppf_copy_t(to, from, n)\n"
                           "#define ppf_copy_checked_k(to, from, n, most) ppf_copy_k(to, from, n)\n"
                           "static void *ppf_set(void *to, int value, ulong n) {\n"
                           "\tfor (ulong i = 0; i < n; i++) ((uchar *)to)[i] = (uchar)value;\n"
                           "\treturn to; }\n"
                           "#define __builtin_bswap16(x) as_ushort(as_uchar2((ushort)(x)).yx)\n"
                           "#define __builtin_bswap32(x) as_uint(as_uchar4((uint)(x)).wzyx)\n"
                           "#define __builtin_bswap64(x) as_ulong(as_uchar8((ulong)(x)).s76543210)\n"
                           "#define __builtin_expect(x, likely) (x)\n";

static const char *word_name(unsigned n_bytes)
{
	return n_bytes == 8 ? "ulong" : n_bytes == 4 ? "uint" : n_bytes == 2 ? "ushort" : "uchar";
}

static void emit_object(struct translator *t, FILE *out, unsigned number)
{
	const struct object *object = &t->objects[number];
	const char *area = object->kind == OBJECT_TABLE ? "ppf_t" : "ppf_k";

	fprintf(out, "#define ppf_object_%u ", number);
	if (object->is_parameter) {
		fputs("((", out);
		parameter_print(t, out, object->declaration, object_space(object), "");
	} else {
		fputs("(*(", out);
		type_print(t, out, libclang.getCursorType(object->declaration), object_space(object), "(*)");
	}
	fprintf(out, ")(%s + %u))\n", area, object->offset);
}

/* One vector of the block between memory and a port's words, so that a warp's accesses are wide. */
static void emit_vector(FILE *out, const struct port *port, uint32_t at, unsigned n_bytes, bool store)
{
	unsigned word = port_word_bytes(port), n_words = n_bytes / word;
	uint32_t offset = (store ? port->out_offset : port->in_offset) + at;
	const char *width = n_bytes == 16 ? "4" : n_bytes == 8 ? "2" : "", *type = n_bytes >= 4 ? "uint" : "uchar";
	char vector[16] = "", load[64];

	if (n_words > 1)
		snprintf(vector, sizeof vector, "%u", n_words);
	if (store && n_words > 1)
		snprintf(load, sizeof load, "vload%u(0, ppf_%u + %u)", n_words, port->number, at / word);
	else
		snprintf(load, sizeof load, "ppf_%u[%u]", port->number, at / word);
	if (store)
		fprintf(out, "\t\t*(global %s%s *)(to + %u) = as_%s%s(%s);\n", type, width, offset, type, width, load);
	else if (n_words > 1)
		fprintf(out, "\t\tvstore%u(as_%s%s(*(global const %s%s *)(from + %u)), 0, ppf_%u + %u);\n", n_words,
		        word_name(word), vector, type, width, offset, port->number, at / word);
	else
		fprintf(out, "\t\t%s = as_%s(*(global const %s%s *)(from + %u));\n", load, word_name(word), type, width,
		        offset);
}

/* Vectors of 16, 8 or 4 bytes, as far as every block keeps them aligned; else bytes. */
static void emit_transfer(struct translator *t, FILE *out, const struct port *port, bool store)
{
	uint32_t start = store ? port->out_offset : port->in_offset, block = t->request->block_bytes;
	unsigned n_bytes;

	for (uint32_t at = 0; at < port->n_bytes; at += n_bytes) {
		n_bytes = 16;
		while (n_bytes > 1 &&
		        (at + n_bytes > port->n_bytes || (start + at) % n_bytes || block % n_bytes || n_bytes == 2))
			n_bytes /= 2;
		if (n_bytes < port_word_bytes(port)) {
			translate_fail(t, port->parameter, "'%s' is not aligned in the block",
			        cursor_name(port->parameter).text);
			return;
		}
		emit_vector(out, port, at, n_bytes, store);
	}
}

static void emit_argument(struct translator *t, FILE *out, unsigned number)
{
	CXCursor parameter = libclang.Cursor_getArgument(t->source->entry, number);
	const struct port *port = port_of_parameter(t, number);
	long long value = 0;

	for (unsigned i = 0; i < t->n_objects; i++)
		if (libclang.equalCursors(t->objects[i].declaration, parameter)) {
			fprintf(out, "ppf_object_%u", i);
			return;
		}
	if (setting_of(t->request, cursor_name(parameter).text, &value)) {
		fprintf(out, "%lld", value);
		return;
	}
	fputc('(', out);
	parameter_print(t, out, parameter, SPACE_PRIVATE, "");
	if (port)
		fprintf(out, ")ppf_%u", number);
	else if (type_is_pointer(libclang.getCursorType(parameter)))
		fputs(")0", out);
	else
		fprintf(out, ")(n %% %u)", PERIOD_BLOCKS);
}

static void emit_copy(FILE *out, const char *name, const char *area, uint32_t n_bytes)
{
	if (n_bytes == 0) {
		fprintf(out, "\t%s_SPACE const uchar *%s = 0;\n", name, area);
		return;
	}
	fprintf(out,
	        "#if %s_COPIED\n"
	        "\tlocal uint %s_copy[%u];\n"
	        "\tfor (uint i = get_local_id(0); i < %u; i += get_local_size(0))\n"
	        "\t\t%s_copy[i] = %s_source[i];\n"
	        "\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
	        "\t%s_SPACE const uchar *%s = (%s_SPACE const uchar *)%s_copy;\n"
	        "#else\n"
	        "\t%s_SPACE const uchar *%s = (%s_SPACE const uchar *)%s_source;\n"
	        "#endif\n",
	        name, area, n_bytes / 4, n_bytes / 4, area, area, name, area, name, area, name, area, name, area);
}

/* The implementation policy: one block per work-item, in a loop with the grid as its step. */
static void emit_loop(struct translator *t, FILE *out)
{
	unsigned n = (unsigned)libclang.Cursor_getNumArguments(t->source->entry);
	struct port *port = t->ports, *end = port + t->n_ports;

	fprintf(out,
	        "\tfor (ulong n = get_global_id(0); n < n_blocks; n += get_global_size(0)) {\n"
	        "\t\tglobal const uchar *from = in + n * %u;\n\t\tglobal uchar *to = out + n * %u;\n",
	        t->request->block_bytes, t->request->block_bytes);
	for (; port < end; port++)
		fprintf(out, "\t\t%s ppf_%u[%u] __attribute__((aligned(16)));\n", word_name(port_word_bytes(port)),
		        port->number, port->n_bytes / port_word_bytes(port));
	for (port = t->ports; port < end; port++)
		if (port->reads)
			emit_transfer(t, out, port, false);
	fprintf(out, "\t\tf0_%s(ppf_t, ppf_k", cursor_name(t->source->entry).text);
	for (unsigned i = 0; i < n; i++) {
		fputs(", ", out);
		emit_argument(t, out, i);
	}
	fputs(");\n", out);
	for (port = t->ports; port < end; port++)
		if (port->writes)
			emit_transfer(t, out, port, true);
	fputs("#ifdef PLANT\n\t\tif (n + 1 == n_blocks) to[0] ^= 1;\n#endif\n\t}\n}\n", out);
}

void kernel_emit(struct translator *t, FILE *out)
{
	struct memory_text objects;

	if (!memory_text_open(&objects)) {
		translate_fail(t, t->source->entry, "out of memory");
		return;
	}
	for (unsigned i = 0; i < t->n_objects; i++)
		emit_object(t, objects.file, i);
	fflush(objects.file);
	fflush(t->types.file);
	fflush(t->functions.file);
	fprintf(out, "%s%s%s%s", head, t->types.bytes, objects.bytes, t->functions.bytes);
	memory_text_close(&objects);
	fputs("kernel void crypt(global const uchar *in, global uchar *out, ulong n_blocks, "
	      "TABLE_SOURCE const uint *ppf_t_source, KEY_SOURCE const uint *ppf_k_source)\n{\n",
	        out);
	emit_copy(out, "TABLE", "ppf_t", t->n_bytes[OBJECT_TABLE]);
	emit_copy(out, "KEY", "ppf_k", t->n_bytes[OBJECT_KEY]);
	emit_loop(t, out);
}
