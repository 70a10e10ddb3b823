/*
 * Names of a plan's values, for the edges of the program: command line, JSON, options that are set by name.  Inside,
 * the values are compared.
 */
#ifndef GPUCRYPT_CRYPTO_NAMES_H
#define GPUCRYPT_CRYPTO_NAMES_H

#include "gpucrypt/crypto/cipher.h"

struct value_names {
	const char *what; /* "cipher" */
	unsigned n_values;
	/* The name of a value below n_values; NULL: the value has no name. */
	const char *(*name)(unsigned value);
	const char *const *list;
};

extern const struct value_names cipher_names, mode_names, engine_names, table_names, table_space_names, key_space_names,
        tag_place_names, content_names;

/* GPUCRYPT_USAGE: "unknown cipher 'des' (choose from: auto, aes, …)". */
int value_parse(unsigned *value, const struct value_names *names, const char *text);

/* All names in a text of n bytes. */
void value_list(char *text, size_t n, const struct value_names *names, const char *separator);

/* For a value that has a name, or 0; else "". */
const char *value_name(const struct value_names *names, unsigned value);

/* NULL: there is none of that name. */
const struct cipher *cipher_by_name(const char *name);
const struct table_form *form_by_name(const struct cipher *cipher, const char *name);

#endif
