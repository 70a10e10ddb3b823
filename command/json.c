#include "command/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "command/text.h"
#include "command/message.h"

json_t *json_count(uint64_t count)
{
	char digits[24];

	if (count <= JSON_MAX_EXACT)
		return json_integer((json_int_t)count);
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
	return json_string(digits);
}

json_t *json_text(const char *text)
{
	char *copy = strdup(text);
	json_t *json;

	if (copy)
		message_clean(copy, false);
	json = copy ? json_string(copy) : NULL;
	free(copy);
	return json;
}

json_t *json_figure(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

json_t *json_text_or_null(const char *text)
{
	return text && *text ? json_text(text) : json_null();
}

json_t *json_hex(const uint8_t *bytes, size_t n_bytes)
{
	char digits[2 * 64 + 1];

	hex_encode(digits, bytes, n_bytes);
	return json_string(digits);
}

void json_set_name(json_t *object, const char *key, const char *name)
{
	json_t *text = json_text(name);
	char key_hex[32], *digits;

	snprintf(key_hex, sizeof key_hex, "%s_hex", key);
	if (strcmp(json_string_value(text), name) != 0 && (digits = malloc(2 * strlen(name) + 1))) {
		hex_encode(digits, (const uint8_t *)name, strlen(name));
		json_object_set_new(object, key_hex, json_string(digits));
		free(digits);
	}
	json_object_set_new(object, key, text);
}

int json_write(int fd, const char *name, const char *text)
{
	size_t length = strlen(text);

	fflush(stdout);
	while (length > 0) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno != EINTR)
			return fail_errno(name, "cannot write");
		if (written > 0) {
			text += written;
			length -= (size_t)written;
		}
	}
	return GPUCRYPT_OK;
}

int json_print(json_t *json)
{
	char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;

	json_decref(json);
	if (!text)
		return fail(GPUCRYPT_OTHER, "out of memory");
	puts(text);
	free(text);
	return GPUCRYPT_OK;
}
