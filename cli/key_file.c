#include "key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/keys.h"
#include "gpucrypt/status.h"

#define MAX_KEY_BYTES 64

static bool all_printable(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i] < ' ' || bytes[i] > '~')
			return false;
	return true;
}

static bool hex_value(uint8_t digit, uint8_t *value)
{
	if (digit >= '0' && digit <= '9')
		*value = (uint8_t)(digit - '0');
	else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
		*value = (uint8_t)((digit | 0x20) - 'a' + 10);
	else
		return false;
	return true;
}

static bool from_hex(uint8_t *key, size_t n_bytes, const uint8_t *digits)
{
	uint8_t high, low;

	for (size_t i = 0; i < n_bytes; i++) {
		if (!hex_value(digits[2 * i], &high) || !hex_value(digits[2 * i + 1], &low))
			return false;
		key[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* The file's two forms; see the header. */
static int interpret(
        uint8_t *key, size_t n_bytes, const char *name, const uint8_t *text, size_t length)
{
	if (length == n_bytes && all_printable(text, length))
		return fail(GPUCRYPT_USAGE,
		        "%s: not a key file: a passphrase? use --passphrase file:", name);
	if (length == n_bytes) {
		memcpy(key, text, n_bytes);
		return GPUCRYPT_OK;
	}
	if (length == 2 * n_bytes + 1 && text[2 * n_bytes] == '\n' && from_hex(key, n_bytes, text))
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: not a key file: neither %zu bytes nor %zu hexadecimal digits and a newline: "
	        "for a passphrase use --passphrase file:",
	        name, n_bytes, 2 * n_bytes);
}

int key_file_read(uint8_t *key, size_t n_bytes, const char *name)
{
	uint8_t text[2 * MAX_KEY_BYTES + 2]; /* one more than any key file has */
	size_t length = 0;
	ssize_t got = 1;
	int status = GPUCRYPT_OK, fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	while (length < sizeof text && got != 0) {
		got = read(fd, text + length, sizeof text - length);
		if (got < 0 && errno != EINTR) {
			status = fail(GPUCRYPT_IO, "%s: cannot read: %s", name, strerror(errno));
			goto done;
		}
		length += got > 0 ? (size_t)got : 0;
	}
	status = interpret(key, n_bytes, name, text, length);
done:
	wipe(text, sizeof text);
	close(fd);
	return status;
}
