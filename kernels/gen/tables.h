/* Generators of substitution tables, run at build time. */
#ifndef KERNELS_GEN_TABLES_H
#define KERNELS_GEN_TABLES_H

#include <stdint.h>

struct generated_table {
	const char *name; /* of the C array */
	unsigned words;
	void (*generate)(uint32_t *words, const struct generated_table *table);
	uint8_t fields[6]; /* for generate(): bits of the fields that select an entry each */
};

/* Each list ends with a NULL name. */
#define X(name, ...) extern const struct generated_table name##_tables[];
#include "kernels/ciphers.inc"
#undef X

#endif
