/* The host's text: a program without a C library, which only reads, writes and exits. */
#include <string.h>

#include "ppf/run/internal.h"

#define RANDOM_BYTES 4096 /* input of the key expansion (--prepare) */

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
        "typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;\n"
        "typedef signed char i8; typedef short i16; typedef int i32; typedef long i64; typedef _Bool bool;\n"
        "#define UNROLL\n"
        "static void ppf_end(long code) { for (;;) ppf_call(ppf_exit, code, 0, 0); }\n"
        "static void ppf_get(void *to, long n) {\n"
        "\tlong at = 0, got;\n"
        "\tfor (; at < n; at += got)\n"
        "\t\tif ((got = ppf_call(ppf_read, 0, (long)to + at, n - at)) <= 0) ppf_end(2);\n}\n"
        "static void ppf_put(const void *from, long n) {\n"
        "\tlong at = 0, got;\n"
        "\tfor (; at < n; at += got)\n"
        "\t\tif ((got = ppf_call(ppf_write, 1, (long)from + at, n - at)) <= 0) ppf_end(2);\n}\n"
        "static const u8 ppf_zeros[16];\n"
        /* Checks before an access: ppf_at() of an index in an array of n elements, ppf_in() of a pointer. */
        "static u64 ppf_stack;\n"
        "static void ppf_outside(u64 line, u64 index, u64 n) {\n"
        "\tu64 numbers[3] = { line, index, n };\n"
        "\tppf_call(ppf_write, 2, (long)numbers, sizeof numbers);\n\tppf_end(3);\n}\n"
        "static inline u64 ppf_at(u64 index, u64 n, u64 line) {\n"
        "\tif (index >= n) ppf_outside(line, index, n);\n\treturn index;\n}\n"
        "#define ppf_holds(v, size) (at - (u64)(v) < size && size - (at - (u64)(v)) >= n)\n"
        "static void ppf_in(const volatile void *p, u64 n, u64 line);\n"
        /* Compilers call these. */
        "void *memmove(void *to, const void *from, u64 n) {\n"
        "\tif ((u64)to <= (u64)from) for (u64 i = 0; i < n; i++) ((u8 *)to)[i] = ((const u8 *)from)[i];\n"
        "\telse while (n-- > 0) ((u8 *)to)[n] = ((const u8 *)from)[n];\n"
        "\treturn to;\n}\n"
        "void *memcpy(void *to, const void *from, u64 n) { return memmove(to, from, n); }\n"
        "void *memset(void *to, int value, u64 n) {\n"
        "\tfor (u64 i = 0; i < n; i++) ((u8 *)to)[i] = (u8)value;\n"
        "\treturn to;\n}\n"
        "#define ppf_copy_p memmove\n"
        "#define ppf_set memset\n#define ppf_bswap16 __builtin_bswap16\n"
        "#define ppf_bswap32 __builtin_bswap32\n#define ppf_bswap64 __builtin_bswap64\n" BUILTINS;

static void emit_address(FILE *out, const struct object *object, const char *before, const char *after)
{
	fprintf(out, "%s(void *)%sv%u%s", before, object_is_parameter(object) ? "" : "&", object->symbol->number,
	        after);
}

/* Assign the values of --set to integers of an object, at any depth.  at: bytes from the start of the object; name: the
 * name of the part at this place, as in the analysis; index: number of the element; -1: the part is not an element. */
static void emit_settings(struct translator *t, FILE *out, const struct object *object, const struct type *type,
        uint64_t at, const char *name, int64_t index)
{
	const struct record *record = type->record;
	uint64_t n = type->kind == TYPE_ARRAY && type->target_bytes > 0 ? type->bytes / type->target_bytes : 0;
	char inner[512];
	int64_t value;

	snprintf(inner, sizeof inner, index < 0 ? "%s" : "%s[%lld]", name, (long long)index);
	if (type->kind == TYPE_INTEGER && (setting_find(t->request->analysis.set, name, &value) >= 0 ||
	                                          setting_find(t->request->analysis.set, inner, &value) >= 0)) {
		fputs("\t*(", out);
		type_print(t, out, type, SPACE_PRIVATE, "*");
		emit_address(out, object, ")((u8 *)", "");
		fprintf(out, " + %llu) = %lld;\n", (unsigned long long)at, (long long)value);
	}
	for (uint64_t i = 0; i < n; i++)
		emit_settings(t, out, object, type->target, at + i * type->target_bytes, name,
		        (index < 0 ? 0 : index) * (int64_t)n + (int64_t)i);
	for (unsigned i = 0; record && i < record->n_members; i++) {
		const struct member *member = &record->members[i];

		snprintf(inner, sizeof inner, *member->name ? "%s.%s" : "%s", name, member->name);
		emit_settings(t, out, object, &member->type, at + (uint64_t)member->at, inner, -1);
	}
}

/* Random bytes first, then the values of --set. */
static void emit_values(struct translator *t, FILE *out, const struct object *object)
{
	const struct symbol *symbol = object->symbol;
	const struct type pointer = object_pointer(symbol);
	bool is_parameter = object_is_parameter(object);
	const struct type *part = is_parameter ? pointer.target : &symbol->type;

	if (!symbol->initial) {
		emit_address(out, object, "\tppf_get(", "");
		fprintf(out, ", %u);\n", object->n_bytes);
		t->random_bytes += object->n_bytes;
	}
	for (uint64_t at = object->before, i = 0; t->request->analysis.set && part->bytes > 0 && at < object->n_bytes;
	        i++) {
		emit_settings(t, out, object, part, at, symbol->name, is_parameter && !part->record ? (int64_t)i : -1);
		at += part->bytes;
	}
}

/* Tables, then keys, as the kernel's areas have them. */
static void emit_areas(struct translator *t, FILE *out)
{
	for (enum object_kind kind = 0; kind < N_OBJECT_KINDS; kind++)
		for (const struct object *object = NULL; (object = object_next(t, object, kind));) {
			emit_address(out, object, "\tppf_put(", "");
			fprintf(out, ", %u);\n", object->n_bytes);
			if (object->n_bytes % 16 > 0)
				fprintf(out, "\tppf_put(ppf_zeros, %u);\n", 16 - object->n_bytes % 16);
		}
}

/* Storage of what the entry's parameters point to, and of the block. */
static void emit_storage(struct translator *t, FILE *out)
{
	for (unsigned i = 0; i < t->n_objects; i++)
		if (object_is_parameter(&t->objects[i]))
			fprintf(out, "static u8 v%u[%u] __attribute__((aligned(16)));\n", t->objects[i].symbol->number,
			        t->objects[i].n_bytes);
	fprintf(out, "static u8 ppf_block[%u], ppf_random[%u];\n", t->block_bytes[0] | t->block_bytes[1], RANDOM_BYTES);
}

/* ppf_in(): the function may access the objects, the block, and the stack above ppf_in()'s frame. */
static void emit_bounds(struct translator *t, FILE *out)
{
	fputs("static __attribute__((noinline)) void ppf_in(const volatile void *p, u64 n, u64 line)\n{\n"
	      "\tu64 at = (u64)p, frame = (u64)__builtin_frame_address(0);\n\tif (!ppf_stack",
	        out);
	for (unsigned i = 0; i < t->n_objects; i++) {
		emit_address(out, &t->objects[i], " || ppf_holds(", "");
		fprintf(out, ", %u)", t->objects[i].n_bytes);
	}
	fputs(" || at - frame < ppf_stack - frame) return;\n\tppf_outside(line, 0, 0);\n}\n", out);
}

static void emit_arguments(struct translator *t, FILE *out)
{
	for (unsigned i = 0; i < t->unit.entry->n_parameters; i++) {
		fputs(i > 0 ? ", " : "", out);
		argument_print(t, out, i);
	}
	fputs(");\n", out);
}

static void emit_loop(struct translator *t, FILE *out)
{
	const struct object *part = NULL;

	fputs("\tppf_stack = (u64)__builtin_frame_address(0);\n", out);
	fprintf(out, "\tfor (; n < %u; n++) {\n\t\tppf_get(ppf_block, %u);\n", PERIOD_BLOCKS, t->block_bytes[0]);
	while ((part = object_next(t, part, OBJECT_BLOCK)))
		if (part->reads)
			fprintf(out, "\t\tmemcpy(v%u, ppf_block + %u, %u);\n", part->symbol->number, part->offset[0],
			        part->n_bytes);
	fputs("\t\tf0(", out);
	emit_arguments(t, out);
	while ((part = object_next(t, part, OBJECT_BLOCK)))
		if (part->writes)
			fprintf(out, "\t\tmemcpy(ppf_block + %u, v%u, %u);\n", part->offset[1], part->symbol->number,
			        part->n_bytes);
	fprintf(out, "\t\tppf_put(ppf_block, %u);\n\t}\n", t->block_bytes[1]);
}

/* All functions and variables; the number of the one that holds the statement of --prepare, 0: none. */
static unsigned need_all(struct translator *t)
{
	static const enum space no_spaces[MAX_ARGUMENTS];
	struct instance *prepare = NULL;

	instance_get(t, t->unit.at_entry, t->unit.entry, no_spaces);
	if (t->unit.prepare)
		prepare = instance_get(t, t->unit.at_entry, t->unit.prepare, no_spaces);
	for (unsigned i = 0; i < t->n_objects; i++)
		if (!object_is_parameter(&t->objects[i]))
			variable_need(t, t->objects[i].symbol);
	return prepare ? instance_number(t, prepare) : 0;
}

void host_print(struct translator *t, FILE *out)
{
	unsigned prepare = need_all(t);

	fprintf(out, "%s%s%s%s", architecture, head, memory_text_end(&t->declarations), memory_text_end(&t->functions));
	emit_storage(t, out);
	emit_bounds(t, out);
	fputs("void ppf_start(void)\n{\n\tu64 n = 0;\n", out);
	for (unsigned i = 0; i < t->n_objects; i++)
		if (t->objects[i].kind != OBJECT_BLOCK)
			emit_values(t, out, &t->objects[i]);
	if (prepare > 0) {
		fprintf(out, "\tppf_get(ppf_random, sizeof ppf_random);\n\tf%u(ppf_random%s", prepare,
		        t->unit.entry->n_parameters > 0 ? ", " : "");
		emit_arguments(t, out);
		t->key_at = t->random_bytes;
		t->random_bytes += RANDOM_BYTES;
	}
	emit_areas(t, out);
	emit_loop(t, out);
	fputs("\tppf_end(0);\n}\n", out);
}
