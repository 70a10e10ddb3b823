/* gcrypt keygen: a new random key file. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "gpucrypt/keys.h"
#include "gpucrypt/status.h"
#include "hex.h"
#include "output.h"
#include "secret.h"

#define KEY_TEXT_BYTES (2 * KEY_FILE_BYTES + 1)

static int write_key(const struct output *output)
{
	uint8_t key[KEY_FILE_BYTES];
	char text[KEY_TEXT_BYTES + 1];
	int status = random_bytes(key, sizeof key);

	hex_encode(text, key, sizeof key);
	text[KEY_TEXT_BYTES - 1] = '\n';
	if (status == GPUCRYPT_OK && write(output->fd, text, KEY_TEXT_BYTES) != KEY_TEXT_BYTES)
		status = fail(GPUCRYPT_IO, "%s: cannot write: %s", output->name, strerror(errno));
	wipe(key, sizeof key);
	wipe(text, sizeof text);
	return status;
}

int cmd_keygen(const struct options *options)
{
	const struct output_terms terms = { 0 }; /* no input: mode 0600 */
	struct output output;
	int status = output_choose(&output, options->output ? options->output : "-", &terms);

	if (status == GPUCRYPT_OK)
		status = output_create(&output);
	if (status == GPUCRYPT_OK)
		status = write_key(&output);
	if (status == GPUCRYPT_OK)
		status = output_sync(&output);
	if (status == GPUCRYPT_OK)
		status = output_commit(&output);
	output_discard(&output);
	return status;
}
