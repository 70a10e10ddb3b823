#include "cli/secrets/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "gpucrypt/pipeline/source.h"
#include "command/hex.h"

#define MAX_KEY_BYTES 64

static bool all_printable(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i] < ' ' || bytes[i] > '~')
			return false;
	return true;
}

/* The file's two forms; see the header. */
static int interpret(uint8_t *key, size_t n_bytes, const char *name, const uint8_t *text, size_t length)
{
	if (length == n_bytes && all_printable(text, length))
		return fail(GPUCRYPT_USAGE, "%s: not a key file: a passphrase? use --passphrase file:", name);
	if (length == n_bytes) {
		memcpy(key, text, n_bytes);
		return GPUCRYPT_OK;
	}
	if (length == 2 * n_bytes + 1 && text[2 * n_bytes] == '\n' && hex_decode(key, n_bytes, (const char *)text))
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: not a key file: neither %zu bytes nor %zu hexadecimal digits and a newline: "
	        "for a passphrase use --passphrase file:",
	        name, n_bytes, 2 * n_bytes);
}

int key_file_read(uint8_t *key, size_t n_bytes, const char *name)
{
	uint8_t text[2 * MAX_KEY_BYTES + 2]; /* one more than any key file has */
	size_t length;
	int status, fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct source source = source_of_fd(fd, name);

	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	status = source_read(&source, text, sizeof text, &length);
	if (status == GPUCRYPT_OK)
		status = interpret(key, n_bytes, name, text, length);
	wipe(text, sizeof text);
	close(fd);
	return status;
}
