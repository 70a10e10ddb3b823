/* gcrypt keygen: a new random key file, or a pair of keys. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"
#include "command/text.h"
#include "cli/files/output.h"
#include "cli/secrets/secret.h"
#include "cli/terminal/memory.h"

#define PUBLIC_SUFFIX ".pub"

static int make_key_file(const struct options *options)
{
	uint8_t key[KEY_FILE_BYTES];
	char text[2 * KEY_FILE_BYTES + 2];
	const struct output_terms terms = { .force = options->force };
	int status = random_bytes(key, sizeof key);

	hex_encode(text, key, sizeof key);
	strcpy(text + 2 * KEY_FILE_BYTES, "\n");
	if (status == GPUCRYPT_OK)
		status = output_write(options->output ? options->output : "-", text, strlen(text), &terms);
	wipe(key, sizeof key);
	wipe(text, sizeof text);
	return status;
}

static int check_output(const char *name, const struct output_terms *terms)
{
	struct output output;
	int status = output_choose(&output, name, terms);

	if (status == GPUCRYPT_OK && output.kind != OUTPUT_NAMED)
		status = fail(GPUCRYPT_USAGE, "%s: a pair of keys needs regular files", name);
	return status;
}

/* Check both names before a file is created: a private key without its public half is of no use. A file that is made
 * from nothing has mode 0600; a file that everyone may read has the mode that the umask leaves. */
static int write_pair(const struct options *options, const char *private_pem, const char *public_pem)
{
	const struct output_terms for_owner = { .force = options->force },
	                          for_all = { .standard_input = true, .ciphertext = true, .force = options->force };
	const char *name = options->output;
	char *public_name = format_or_exit("%s" PUBLIC_SUFFIX, name);
	int status;

	status = check_output(name, &for_owner)
	                 ?: check_output(public_name, &for_all)
	                 ?: output_write(name, private_pem, strlen(private_pem), &for_owner);
	if (status == GPUCRYPT_OK) {
		status = output_write(public_name, public_pem, strlen(public_pem), &for_all);
		if (status != GPUCRYPT_OK && !options->force)
			unlink(name);
	}
	free(public_name);
	return status;
}

static int make_pair(const struct options *options)
{
	char private_pem[MAX_PAIR_PEM_BYTES], public_pem[MAX_PAIR_PEM_BYTES];
	int status;

	if (!strcmp(options->output, "-"))
		return fail(GPUCRYPT_USAGE, "keygen: a pair needs -o KEY: the public key goes to KEY" PUBLIC_SUFFIX);
	status = key_pair_generate(private_pem, public_pem, options->ml_kem)
	                 ?: write_pair(options, private_pem, public_pem);
	wipe(private_pem, sizeof private_pem);
	return status;
}

int cmd_keygen(const struct options *options)
{
	return options->x25519 || options->ml_kem ? make_pair(options) : make_key_file(options);
}
