/* SSH keys: a line of authorized_keys, the bytes of a private key, and a file of lines. */
#include "tests/fuzz/input.h"

#include "cli/secrets/secret.h"
#include "gpucrypt/keys/public_key.h"

/* A protected key goes no further: its rounds would take seconds. */
static int ask(void *self, uint8_t *bytes, size_t room, size_t *length)
{
	(void)self, (void)bytes, (void)length;
	MUST(room >= 1024);
	return fail(GPUCRYPT_NO_KEY, "no passphrase");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	const struct pem_question question = { ask, NULL };
	struct pem_keys keys;
	char name[32];
	const struct text_list names = { .texts = { name }, .n = 1 };
	EVP_PKEY *key;
	bool unusable;
	int fd;

	if (succeeded(ssh_public_parse(&key, (const char *)bytes, n_bytes, &unusable)))
		MUST(!unusable && key != NULL && ssh_public_line((const char *)bytes, n_bytes));
	else
		MUST(key == NULL);
	EVP_PKEY_free(key);
	if (succeeded(ssh_private_parse(&key, bytes, n_bytes, &question))) {
		MUST(key != NULL);
		EVP_PKEY_free(key);
	}
	fd = memory_file(bytes, n_bytes, name);
	if (succeeded(recipients_read(&keys, &names, n_bytes % 2)))
		MUST(keys.n >= 1 && keys.n <= MAX_RECIPIENTS);
	pem_keys_free(&keys);
	close(fd);
	return 0;
}
