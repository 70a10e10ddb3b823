/* gcrypt key id: the keys in files, as key slots name them. */
#include <stdio.h>

#include "cli/args/command.h"
#include "cli/args/hex.h"
#include "cli/secrets/pem_file.h"
#include "cli/terminal/message.h"
#include "gpucrypt/keys/slot.h"
#include "gpucrypt/status.h"

/* A file without private keys has public ones. */
static int read_keys(struct pem_keys *keys, const char *name)
{
	const struct text_list names = { .texts = { name }, .n = 1 };
	int status = identities_read(keys, &names, NULL);

	if (status != GPUCRYPT_USAGE)
		return status;
	fail_clear();
	pem_keys_free(keys);
	return recipients_read(keys, &names);
}

static int print_keys(const char *name)
{
	char digits[2 * KEY_ID_BYTES + 1];
	uint8_t id[KEY_ID_BYTES];
	struct pem_keys keys;
	int status = read_keys(&keys, name);

	for (unsigned i = 0; status == GPUCRYPT_OK && i < keys.n; i++) {
		const struct gpucrypt_secret *key = &keys.keys[i].secret;

		status = public_key_id(id, key);
		hex_encode(digits, id, sizeof id);
		if (status == GPUCRYPT_OK)
			printf("%s: %s, %u bits, key id %s\n", name, slot_type_of(key->type)->name,
			        public_key_bits(key), digits);
	}
	pem_keys_free(&keys);
	return status;
}

int cmd_key_id(const struct options *options)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 1; i < options->parsed.n_operands && status == GPUCRYPT_OK; i++) {
		status = print_keys(options->parsed.operands[i]);
	}
	return status;
}
