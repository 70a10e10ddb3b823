/* The kernel's text: types, tables and keys, functions, and the loop over blocks. */
#include "ppf/run/internal.h"

/* Functions of the C library and of compilers.  OpenCL C 1.2 has no generic address space: copies exist for each. */
static const char head[] = "typedef uchar u8; typedef ushort u16; typedef uint u32; typedef ulong u64;\n"
                           "typedef char i8; typedef short i16; typedef int i32; typedef long i64;\n"
                           "#ifdef UNROLLED\n#define UNROLL _Pragma(\"unroll\")\n#else\n#define UNROLL\n#endif\n"
                           "#define PPF_COPY(name, SPACE) \\\n"
                           "static void *name(void *to, SPACE const void *from, ulong n) { \\\n"
                           "\tfor (ulong i = 0; i < n; i++) ((uchar *)to)[i] = ((SPACE const uchar *)from)[i]; \\\n"
                           "\treturn to; }\n"
                           "PPF_COPY(ppf_copy_p, __private)\n"
                           "PPF_COPY(ppf_copy_t, TABLE_SPACE)\n"
                           "PPF_COPY(ppf_copy_k, KEY_SPACE)\n"
                           "static void *ppf_set(void *to, int value, ulong n) {\n"
                           "\tfor (ulong i = 0; i < n; i++) ((uchar *)to)[i] = (uchar)value;\n"
                           "\treturn to; }\n"
                           "typedef uint ppf_word __attribute__((may_alias));\n"
                           "static void ppf_put4(uint v, uchar *p) { *(ppf_word *)p = v; }\n"
                           "static void ppf_put8(uint2 v, uchar *p) { ppf_put4(v.x, p); ppf_put4(v.y, p + 4); }\n"
                           "static void ppf_put16(uint4 v, uchar *p) { ppf_put8(v.lo, p); ppf_put8(v.hi, p + 8); }\n"
                           "static uint ppf_get4(const uchar *p) { return *(const ppf_word *)p; }\n"
                           "static uint2 ppf_get8(const uchar *p) { return (uint2)(ppf_get4(p), ppf_get4(p + 4)); }\n"
                           "static uint4 ppf_get16(const uchar *p) { return (uint4)(ppf_get8(p), ppf_get8(p + 8)); }\n"
                           "#define ppf_bswap16(x) as_ushort(as_uchar2((ushort)(x)).yx)\n"
                           "#define ppf_bswap32(x) as_uint(as_uchar4((uint)(x)).wzyx)\n"
                           "#define ppf_bswap64(x) as_ulong(as_uchar8((ulong)(x)).s76543210)\n" BUILTINS;

static const char *word_name(unsigned n_bytes)
{
	return n_bytes == 8 ? "ulong" : n_bytes == 4 ? "uint" : n_bytes == 2 ? "ushort" : "uchar";
}

static void emit_object(struct translator *t, FILE *out, unsigned number)
{
	const struct object *object = &t->objects[number];
	const char *area = object->kind == OBJECT_TABLE ? "ppf_t" : "ppf_k";

	fprintf(out, "#define object%u ", number);
	if (type_is_address(&object->symbol->type) && object_is_parameter(object)) {
		fputs("((", out);
		parameter_print(t, out, &object->symbol->type, object_space(object), "");
	} else {
		fputs("(*(", out);
		type_print(t, out, &object->symbol->type, object_space(object), "(*)");
	}
	fprintf(out, ")(%s + %u))\n", area, object->offset[0] + object->before);
}

/* The widest vector of 16, 8, 4 or 1 bytes that divides the block and its parts: a warp's accesses are as wide. */
static unsigned vector_bytes(const struct translator *t)
{
	uint32_t all = t->block_bytes[0] | t->block_bytes[1];
	unsigned n_bytes = 16;

	for (const struct object *part = NULL; (part = object_next(t, part, OBJECT_BLOCK));)
		all |= part->n_bytes | part->offset[0] | part->offset[1];
	while (all % n_bytes != 0)
		n_bytes /= 2;
	return n_bytes == 2 ? 1 : n_bytes;
}

static const char *vector_name(unsigned n_bytes)
{
	return n_bytes == 16 ? "uint4" : n_bytes == 8 ? "uint2" : n_bytes == 4 ? "uint" : "uchar";
}

/* One vector of the block between memory and the words of a part, so that a warp's accesses are wide.  Vectors of bytes
 * would not be: NVIDIA's compiler splits their loads into words. */
static void emit_vector(FILE *out, const struct object *part, uint32_t at, unsigned n_bytes, bool store)
{
	unsigned word = object_word_bytes(part), n_words = n_bytes / word, number = part->symbol->number;
	uint32_t offset = part->offset[store] + at;
	char words[64];

	if (word < 4 && n_bytes >= 4) {
		if (store)
			fprintf(out, "\t\tto[%u] = ppf_get%u((uchar *)v%u + %u);\n", offset / n_bytes, n_bytes, number,
			        at);
		else
			fprintf(out, "\t\tppf_put%u(from[%u], (uchar *)v%u + %u);\n", n_bytes, offset / n_bytes, number,
			        at);
		return;
	}
	if (store && n_words > 1)
		snprintf(words, sizeof words, "vload%u(0, v%u + %u)", n_words, number, at / word);
	else
		snprintf(words, sizeof words, "v%u[%u]", number, at / word);
	if (store)
		fprintf(out, "\t\tto[%u] = as_%s(%s);\n", offset / n_bytes, vector_name(n_bytes), words);
	else if (n_words > 1)
		fprintf(out, "\t\tvstore%u(as_%s%u(from[%u]), 0, v%u + %u);\n", n_words, word_name(word), n_words,
		        offset / n_bytes, number, at / word);
	else
		fprintf(out, "\t\t%s = as_%s(from[%u]);\n", words, word_name(word), offset / n_bytes);
}

static void emit_transfer(struct translator *t, FILE *out, const struct object *part, bool store)
{
	unsigned n_bytes = vector_bytes(t);

	if (n_bytes < object_word_bytes(part))
		fail_at(t->unit.at_entry, "'%s' is not aligned in the block", part->symbol->name);
	for (uint32_t at = 0; at < part->n_bytes; at += n_bytes)
		emit_vector(out, part, at, n_bytes, store);
}

static void emit_copy(FILE *out, const char *name, const char *area, uint32_t n_bytes)
{
	if (n_bytes == 0) {
		fprintf(out, "\t%s_SPACE const uchar *%s = 0;\n", name, area);
		return;
	}
	fprintf(out,
	        "#if %s_COPIED\n"
	        "\tlocal uint %s_copy[%u] __attribute__((aligned(16)));\n"
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
	unsigned n_bytes = vector_bytes(t);
	const char *vector = vector_name(n_bytes);
	const struct object *part = NULL;

	fprintf(out,
	        "\tfor (ulong n = get_global_id(0); n < n_blocks; n += get_global_size(0)) {\n"
	        "\t\tglobal const %s *from = in + n * %u;\n\t\tglobal %s *to = out + n * %u;\n",
	        vector, t->block_bytes[0] / n_bytes, vector, t->block_bytes[1] / n_bytes);
	while ((part = object_next(t, part, OBJECT_BLOCK)))
		fprintf(out, "\t\t%s v%u[%u] __attribute__((aligned(16)));\n", word_name(object_word_bytes(part)),
		        part->symbol->number, part->n_bytes / object_word_bytes(part));
	while ((part = object_next(t, part, OBJECT_BLOCK)))
		if (part->reads)
			emit_transfer(t, out, part, false);
	fputs("\t\tf0(ppf_t, ppf_k", out);
	for (unsigned i = 0; i < t->unit.entry->n_parameters; i++) {
		fputs(", ", out);
		argument_print(t, out, i);
	}
	fputs(");\n", out);
	while ((part = object_next(t, part, OBJECT_BLOCK)))
		if (part->writes)
			emit_transfer(t, out, part, true);
	fprintf(out, "#ifdef PLANT\n\t\tif (n + 1 == n_blocks) to[0] ^= (%s)1;\n#endif\n\t}\n}\n", vector);
}

/* The entry with spaces by the roles of its parameters. */
static void emit_functions(struct translator *t)
{
	enum space spaces[MAX_ARGUMENTS] = { SPACE_OPEN };
	const struct function *entry = t->unit.entry;

	for (unsigned i = 0; i < entry->n_parameters && i < MAX_ARGUMENTS; i++) {
		const struct object *object = object_find(t, entry->parameters[i]);

		if (type_is_address(&entry->parameters[i]->type))
			spaces[i] = object ? object_space(object) : SPACE_PRIVATE;
	}
	instance_get(t, t->unit.at_entry, entry, spaces);
}

void kernel_print(struct translator *t, FILE *out)
{
	struct memory_text objects;

	emit_functions(t);
	memory_text_open(&objects);
	for (unsigned i = 0; i < t->n_objects; i++)
		if (t->objects[i].kind != OBJECT_BLOCK)
			emit_object(t, objects.file, i);
	fprintf(out, "%s%s%s%s", head, memory_text_end(&t->declarations), memory_text_end(&objects),
	        memory_text_end(&t->functions));
	fprintf(out,
	        "kernel void crypt(global const %s *in, global %s *out, ulong n_blocks, "
	        "TABLE_SOURCE const uint *ppf_t_source, KEY_SOURCE const uint *ppf_k_source)\n{\n",
	        vector_name(vector_bytes(t)), vector_name(vector_bytes(t)));
	emit_copy(out, "TABLE", "ppf_t", t->n_bytes[OBJECT_TABLE]);
	emit_copy(out, "KEY", "ppf_k", t->n_bytes[OBJECT_KEY]);
	emit_loop(t, out);
}
