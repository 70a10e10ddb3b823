#include "gpucrypt/crypto/cipher.h"

#include <stdio.h>

#include "gpucrypt/crypto/cpu.h"
#include "gpucrypt/crypto/host_core.h"

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

void core_keys_set(struct core_keys *keys, const struct host_core *core, const struct cipher *cipher,
        const uint8_t *key, unsigned key_bytes, enum direction direction)
{
	cipher_expand(cipher, &keys->round, key, key_bytes, direction);
	if (core->prepare != NULL)
		core->prepare(keys);
}

const struct cipher *cipher_by_id(unsigned id)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		if ((*c)->id == id)
			return *c;
	return NULL;
}

const struct table_form *cipher_form(const struct cipher *cipher, enum table_id id)
{
	for (unsigned i = 0; i < cipher->n_forms; i++)
		if (cipher->forms[i].id == id)
			return &cipher->forms[i];
	return NULL;
}

bool instruction_form_is_available(const struct instruction_form *form)
{
	return (form->needs & ~cpu_features()) == 0;
}

const struct instruction_form *instruction_form_by_id(const struct cipher *cipher, enum table_id id)
{
	for (unsigned i = 0; i < cipher->n_instructions; i++)
		if (cipher->instructions[i].id == id)
			return &cipher->instructions[i];
	return NULL;
}

void instruction_forms_text(char *text, size_t n_text)
{
	size_t used = 0;

	snprintf(text, n_text, "none");
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		const struct instruction_form *form = instruction_form_choose(*c);

		if (form != NULL && used < n_text)
			used += (size_t)snprintf(
			        text + used, n_text - used, "%s%s %s", used > 0 ? ", " : "", (*c)->name, form->name);
	}
}

const struct instruction_form *instruction_form_choose(const struct cipher *cipher)
{
	for (unsigned i = 0; i < cipher->n_instructions; i++)
		if (instruction_form_is_available(&cipher->instructions[i]))
			return &cipher->instructions[i];
	return NULL;
}
