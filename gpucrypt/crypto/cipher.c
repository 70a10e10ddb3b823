#include <string.h>

#include "gpucrypt/crypto/cipher.h"

#define X(name, ...) &cipher_##name,
const struct cipher *const ciphers[] = {
#include "kernels/ciphers.inc"
	NULL
};
#undef X

void cipher_expand(const struct cipher *cipher, struct round_keys *keys, const uint8_t *key, unsigned key_bytes,
        enum direction direction)
{
	keys->rounds = (int)cipher->rounds[key_bytes / 8 - 2];
	cipher->expand(keys, key, key_bytes, direction);
}

const struct cipher *cipher_by_name(const char *name)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		if (strcmp((*c)->name, name) == 0)
			return *c;
	return NULL;
}

const struct cipher *cipher_by_id(uint8_t id)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		if ((*c)->id == id)
			return *c;
	return NULL;
}

const struct table_form *form_by_name(const struct cipher *cipher, const char *name)
{
	for (unsigned i = 0; i < cipher->n_forms; i++)
		if (strcmp(cipher->forms[i].name, name) == 0)
			return &cipher->forms[i];
	return NULL;
}
