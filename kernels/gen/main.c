/*
 * Writes what the library has built in: `gen DIR KERNEL…` makes DIR/tables.c and DIR/tables.h with
 * the substitution tables, and DIR/sources.c with the text of the kernel files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

static const struct generated_table *const ciphers[] = { aes_tables, camellia_tables,
	sc2000_tables };

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
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
	table->generate(words);
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

/* One file as a C string, after the folders of its path. */
static void write_source(FILE *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *source = fopen(path, "r");
	int byte;

	if (source == NULL) {
		perror(path);
		exit(1);
	}
	fprintf(c, "{ \"%s\", (const char[]){ ", slash == NULL ? path : slash + 1);
	while ((byte = getc(source)) != EOF)
		fprintf(c, "%d,%s", byte < 128 ? byte : byte - 256, byte == '\n' ? "\n" : "");
	fprintf(c, "0 } },\n");
	finish(source);
}

int main(int argc, char **argv)
{
	FILE *c;

	if (argc < 3) {
		fprintf(stderr, "usage: gen DIR KERNEL...\n");
		return 1;
	}
	write_tables(argv[1]);
	c = create(argv[1], "sources.c");
	fprintf(c, "#include \"gpucrypt/program.h\"\nconst struct kernel_source kernel_sources[] = "
	           "{\n");
	for (int i = 2; i < argc; i++)
		write_source(c, argv[i]);
	fprintf(c, "{ 0 } };\n");
	finish(c);
	return 0;
}
