/*
 * Writes what is built in as C:
 *   gen tables DIR                        DIR/tables.c and DIR/tables.h, the substitution tables
 *   gen texts OUT.c HEADER TYPE ARRAY FILE…   an array of { name, text }, the files; ends with { 0 }
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gen/tables.h"

static const struct generated_table *const ciphers[] = {
#define X(name, ...) name##_tables,
#include "kernels/ciphers.inc"
#undef X
};

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s%s", name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/", name);
	file = fopen(path, "w");
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	return file;
}

static void finish(FILE *file)
{
	if (fflush(file) != 0 || ferror(file) || fclose(file) != 0) {
		perror("gen");
		exit(1);
	}
}

static void write_table(FILE *c, FILE *h, const struct generated_table *table)
{
	uint32_t *words = calloc(table->words, sizeof(*words));

	if (words == NULL)
		exit(1);
	table->generate(words, table);
	fprintf(h, "extern const uint32_t %s[%u];\n", table->name, table->words);
	fprintf(c, "const uint32_t %s[%u] = {\n", table->name, table->words);
	for (unsigned i = 0; i < table->words; i++)
		fprintf(c, "0x%08x,%c", words[i], i % 8 == 7 ? '\n' : ' ');
	fprintf(c, "};\n");
	free(words);
}

static void write_tables(const char *folder)
{
	FILE *c = create(folder, "tables.c"), *h = create(folder, "tables.h");

	fprintf(h, "#include <stdint.h>\n");
	fprintf(c, "#include \"tables.h\"\n");
	for (size_t i = 0; i < sizeof(ciphers) / sizeof(ciphers[0]); i++)
		for (const struct generated_table *t = ciphers[i]; t->name != NULL; t++)
			write_table(c, h, t);
	finish(c);
	finish(h);
}

/* One file as a C string, under its name without folders and without .json. */
static void write_text(FILE *c, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	size_t length = strlen(name);
	FILE *file = fopen(path, "r");
	int byte;

	if (file == NULL) {
		perror(path);
		exit(1);
	}
	if (length > 5 && strcmp(name + length - 5, ".json") == 0)
		length -= 5;
	fprintf(c, "{ \"%.*s\", (const char[]){ ", (int)length, name);
	while ((byte = getc(file)) != EOF)
		fprintf(c, "%d,%s", byte < 128 ? byte : byte - 256, byte == '\n' ? "\n" : "");
	fprintf(c, "0 } },\n");
	finish(file);
}

static void write_texts(char **arguments, int n)
{
	FILE *c = create(".", arguments[0]);

	fprintf(c, "#include \"%s\"\nconst struct %s %s[] = {\n", arguments[1], arguments[2], arguments[3]);
	for (int i = 4; i < n; i++)
		write_text(c, arguments[i]);
	fprintf(c, "{ 0 } };\n");
	finish(c);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "tables") == 0)
		write_tables(argv[2]);
	else if (argc > 6 && strcmp(argv[1], "texts") == 0)
		write_texts(argv + 2, argc - 2);
	else
		return fprintf(stderr, "usage: gen tables DIR | gen texts OUT.c HEADER TYPE ARRAY FILE...\n"), 1;
	return 0;
}
