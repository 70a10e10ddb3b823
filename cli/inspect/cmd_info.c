/* gcrypt info: a container's header, which needs no key; or with a key the keys of its groups. */
#include <stdio.h>

#include "cli/args/command.h"
#include "cli/inspect/luks_info.h"
#include "cli/secrets/describe.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "command/hex.h"
#include "cli/files/key_files.h"
#include "command/json.h"
#include "cli/secrets/secret.h"

/* Keys go straight to the descriptor, one group after the other, and no copy stays behind. */
struct group_printer {
	bool json;
	unsigned long long n_groups;
};

static int print_group(void *self, const struct group_report *group)
{
	struct group_printer *printer = self;
	char key[2 * sizeof group->key + 1], iv[2 * sizeof group->iv + 1], line[400];
	/* A string above 2^53, as json_count() does. */
	const char *quote = group->offset > JSON_MAX_EXACT ? "\"" : "";
	unsigned long long offset = group->offset, n_bytes = group->n_bytes;
	int length, status;

	hex_encode(key, group->key, group->key_bytes);
	hex_encode(iv, group->iv, sizeof group->iv);
	if (printer->json)
		length = snprintf(line, sizeof line,
		        "%s\n  {\"offset\": %s%llu%s, \"length\": %llu, \"key\": \"%s\", "
		        "\"iv\": \"%s\"}",
		        printer->n_groups++ ? "," : "{\"groups\": [", quote, offset, quote, n_bytes, key, iv);
	else
		length = snprintf(line, sizeof line, "group %llu: offset %llu length %llu key %s iv %s\n",
		        (unsigned long long)group->group, offset, n_bytes, key, iv);
	status = json_write(line, (size_t)length);
	wipe(key, sizeof key);
	wipe(line, sizeof line);
	return status;
}

static int show_keys(const struct options *options, struct input *input)
{
	struct group_printer printer = { .json = options->json };
	const struct key_files keys = key_files_of(options);
	struct secret secret = { 0 };
	int status = key_files_check_input(options, &keys, input);

	if (status == GPUCRYPT_OK)
		status = secret_read(&secret, options, &options->opening, KEY_FILE_BYTES, input->name, false);
	if (status == GPUCRYPT_OK)
		status = container_groups(
		        &input->source, &secret.secret, options->show_keys.group, print_group, &printer);
	secret_wipe(&secret);
	if (status == GPUCRYPT_OK && options->json)
		puts("\n]}");
	return status;
}

int cmd_info(const struct options *options)
{
	struct input input = { .source.fd = -1 };
	bool volume;
	int status = luks_info(&volume, options->parsed.operands[0], options);

	if (status != GPUCRYPT_OK || volume)
		return status;
	if (!options->show_keys.chosen)
		return describe(options->parsed.operands[0], options, true);
	status = input_open(&input, options->parsed.operands[0]);
	if (status == GPUCRYPT_OK)
		status = show_keys(options, &input);
	input_close(&input);
	return status;
}
