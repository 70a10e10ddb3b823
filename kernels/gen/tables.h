/* Generators of substitution tables, run at build time. */
#ifndef TABLES_H
#define TABLES_H

#include <stdint.h>

struct generated_table {
	const char *name; /* of the C array */
	unsigned words;
	void (*generate)(uint32_t *words);
};

/* Each list ends with a NULL name. */
extern const struct generated_table aes_tables[], camellia_tables[], sc2000_tables[];

#endif
