/* gcrypt info: a container's header, which needs no key; or with a key the keys of its groups. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "describe.h"
#include "gpucrypt/container.h"
#include "gpucrypt/status.h"
#include "input.h"
#include "json.h"
#include "secret.h"

static int print_header(const char *name, const struct header_state *state)
{
	printf("file: %s\n", name);
	describe_header(stdout, state);
	describe_slots(stdout, &state->header);
	puts("not authenticated: no key was used");
	return GPUCRYPT_OK;
}

static int print_header_json(const char *name, const struct header_state *state)
{
	json_t *object = json_object();

	json_object_set_new(object, "file", json_text(name));
	json_object_set_new(object, "authenticated", json_false());
	describe_header_json(object, state);
	json_object_set_new(object, "slots", describe_slots_json(&state->header));
	return json_print(object);
}

/* A key goes straight to the descriptor, and no copy stays behind. */
static int print_group(void *self, const struct group_report *group)
{
	char line[320];
	size_t length;
	int status = GPUCRYPT_OK;

	(void)self;
	length = (size_t)snprintf(line, sizeof line, "group %llu: offset %llu length %llu key ",
	        (unsigned long long)group->group, (unsigned long long)group->offset,
	        (unsigned long long)group->n_bytes);
	for (unsigned i = 0; i < group->key_bytes; i++)
		length += (size_t)snprintf(
		        line + length, sizeof line - length, "%02x", group->key[i]);
	length += (size_t)snprintf(line + length, sizeof line - length, " iv ");
	for (size_t i = 0; i < sizeof group->iv; i++)
		length +=
		        (size_t)snprintf(line + length, sizeof line - length, "%02x", group->iv[i]);
	line[length++] = '\n';
	if (write(STDOUT_FILENO, line, length) != (ssize_t)length)
		status = fail(GPUCRYPT_IO, "standard output: cannot write: %s", strerror(errno));
	wipe(line, sizeof line);
	return status;
}

static int append_group(void *self, const struct group_report *group)
{
	json_t *object = json_object();

	json_object_set_new(object, "offset", json_count(group->offset));
	json_object_set_new(object, "length", json_count(group->n_bytes));
	json_object_set_new(object, "key", json_hex(group->key, group->key_bytes));
	json_object_set_new(object, "iv", json_hex(group->iv, sizeof group->iv));
	return json_array_append_new(self, object) == 0 ? GPUCRYPT_OK
	                                                : fail(GPUCRYPT_OTHER, "out of memory");
}

static int show_keys(const struct options *options, struct input *input)
{
	struct secret secret = { 0 };
	json_t *groups = options->json ? json_array() : NULL;
	int status = secret_read(&secret, options, input->name, false);

	if (status == GPUCRYPT_OK)
		status = container_groups(&input->source, &secret.secret, options->show_keys.group,
		        options->json ? append_group : print_group, groups);
	secret_wipe(&secret);
	if (status == GPUCRYPT_OK && options->json) {
		json_t *object = json_object();

		json_object_set(object, "groups", groups);
		status = json_print(object);
	}
	json_decref(groups);
	return status;
}

int cmd_info(const struct options *options)
{
	const char *name = options->operands[0];
	struct header_state state;
	struct input input = { .source.fd = -1 };
	int status = secret_check(options);

	if (status == GPUCRYPT_OK && !options->show_keys.chosen &&
	        (options->passphrase || options->key_file))
		status = fail(GPUCRYPT_USAGE, "info: a key is only used with --show-keys");
	if (status != GPUCRYPT_OK)
		return status;
	if (options->show_keys.chosen) {
		status = input_open(&input, name);
		if (status == GPUCRYPT_OK)
			status = show_keys(options, &input);
		input_close(&input);
		return status;
	}
	status = describe_read(&state, name);
	if (status != GPUCRYPT_OK)
		return status;
	return options->json ? print_header_json(name, &state) : print_header(name, &state);
}
