/* Key files, and the keys of recipients in PEM. */
#include "tests/fuzz/input.h"

#include "cli/secrets/secret.h"
#include "gpucrypt/keys/public_key.h"

/* Answer the prompt for the passphrase of a private key. */
static int ask(void *self, uint8_t *bytes, size_t room, size_t *length)
{
	(void)self;
	MUST(room >= 4);
	memcpy(bytes, "fuzz", 4);
	*length = 4;
	return GPUCRYPT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	const struct pem_question question = { ask, NULL };
	static uint8_t der[MAX_KEY_DER_BYTES], key[64];
	struct fuzz_input input = { bytes, n_bytes };
	struct gpucrypt_secret secret;
	uint8_t id[8];
	struct pem_keys keys;
	char name[32], *text;
	const struct text_list names = { .texts = { name }, .n = 1 };
	bool unusable;
	int fd = memory_file(bytes, n_bytes, name);

	succeeded(key_file_read(key, 32, name));
	succeeded(key_file_read(key, 64, name));
	if (succeeded(recipients_read(&keys, &names, n_bytes % 2)))
		MUST(keys.n >= 1 && keys.n <= MAX_RECIPIENTS);
	pem_keys_free(&keys);
	close(fd);
	text = take_text(&input);
	if (succeeded(public_key_read(&secret, der, text, n_bytes, &unusable)))
		MUST(public_key_id(id, &secret) == GPUCRYPT_OK);
	if (strstr(text, "ENCRYPTED") == NULL && succeeded(private_key_read(&secret, der, text, n_bytes, &question)))
		MUST(secret.length <= sizeof der);
	free(text);
	return 0;
}
