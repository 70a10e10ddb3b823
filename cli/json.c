#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/keys.h"
#include "gpucrypt/status.h"

#define MAX_EXACT (UINT64_C(1) << 53)

/* In front of each block of jansson's: its size. */
union prefix {
	size_t size;
	max_align_t align;
};

static void *sized_malloc(size_t size)
{
	union prefix *prefix = malloc(sizeof *prefix + size);

	if (!prefix)
		return NULL;
	prefix->size = size;
	return prefix + 1;
}

static void wiping_free(void *block)
{
	union prefix *prefix = block;

	if (!block)
		return;
	prefix--;
	wipe(block, prefix->size);
	free(prefix);
}

void json_wipe_memory(void)
{
	json_set_alloc_funcs(sized_malloc, wiping_free);
}

json_t *json_count(uint64_t count)
{
	char digits[24];

	if (count <= MAX_EXACT)
		return json_integer((json_int_t)count);
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
	return json_string(digits);
}

json_t *json_text(const char *text)
{
	json_t *json = json_string(text);
	char *ascii;

	if (json)
		return json;
	ascii = strdup(text);
	if (!ascii)
		return NULL;
	for (char *c = ascii; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json = json_string(ascii);
	free(ascii);
	return json;
}

json_t *json_hex(const uint8_t *bytes, size_t n_bytes)
{
	char digits[2 * 64 + 1] = "";
	json_t *json;

	for (size_t i = 0; i < n_bytes && i < 64; i++)
		snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
	json = json_string(digits);
	wipe(digits, sizeof digits);
	return json;
}

/* Straight to the descriptor: no copy stays in a buffer of stdio. */
static int write_all(const char *text, size_t length)
{
	while (length > 0) {
		ssize_t written = write(STDOUT_FILENO, text, length);

		if (written < 0 && errno != EINTR)
			return -1;
		if (written > 0) {
			text += written;
			length -= (size_t)written;
		}
	}
	return 0;
}

int json_print(json_t *json)
{
	char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
	int status = GPUCRYPT_OK;

	fflush(stdout);
	if (!text)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	else if (write_all(text, strlen(text)) != 0 || write_all("\n", 1) != 0)
		status = fail(GPUCRYPT_IO, "standard output: cannot write: %s", strerror(errno));
	wiping_free(text);
	json_decref(json);
	return status;
}
