
#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/keys.h"
#include "kernels/common/tweak.cl"

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

/* Ciphertext stealing (IEEE 1619-2007, sections 5.3.2 and 5.4.2): a block and a shorter one behind n_blocks.
 * Decryption takes the two tweaks in the other order. */
static void steal_ciphertext(const struct host_core *core, const uint8_t *in, uint8_t *out, const struct span *span,
        const struct core_keys *keys, const uint32_t *table)
{
	uint8_t pair[2 * BLOCK_BYTES];
	block tweak[1 + TWEAKS_SPARE] = { 0 };
	struct span one = { .n_blocks = 1, .tweaks = tweak, .decrypt = span->decrypt };
	size_t n = span->tail_bytes;
	word w[4];

	memcpy(pair, in, BLOCK_BYTES + n);
	for (int turn = 0; turn < 2; turn++) {
		tweak_of_block(w, span, span->n_blocks + (turn != span->decrypt));
		tweak[0] = BLOCK(w[0], w[1], w[2], w[3]);
		core->crypt[MODE_XTS]((block *)pair, (block *)pair, &one, keys, table);
		for (size_t i = 0; i < n && turn == 0; i++) {
			uint8_t stolen = pair[i];

			pair[i] = pair[BLOCK_BYTES + i];
			pair[BLOCK_BYTES + i] = stolen;
		}
	}
	memcpy(out, pair, BLOCK_BYTES + n);
	wipe(pair, sizeof(pair));
}

void host_core_crypt(const struct host_core *core, enum mode_number mode, const uint8_t *in, uint8_t *out,
        const struct span *span, const struct core_keys *keys, const uint32_t *table)
{
	size_t n = span->n_blocks * BLOCK_BYTES;

	core->crypt[mode]((const block *)in, (block *)out, span, keys, table);
	if (span->tail_bytes != 0)
		steal_ciphertext(core, in + n, out + n, span, keys, table);
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

/* Modes. */

#define X(NAME, text, standard, files, slice_files, cached_files, keys, ...) \
	[MODE_##NAME] = { .number = MODE_##NAME,                             \
		.name = #text,                                               \
		.reference = standard,                                       \
		.sources = files,                                            \
		.slice_sources = slice_files,                                \
		.cached_sources = cached_files,                              \
		.id = GPUCRYPT_##NAME,                                       \
		.n_keys = keys,                                              \
		__VA_ARGS__ },
const struct mode modes[N_MODES] = {
#include "kernels/modes.inc"
};
#undef X

const struct mode *mode_by_id(unsigned id)
{
	for (unsigned i = 0; i < N_MODES; i++)
		if (modes[i].id == id)
			return &modes[i];
	return NULL;
}
