/* gcrypt info: a container's header, which needs no key; or with a key the keys of its groups. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/luks/volume.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "command/text.h"
#include "cli/files/input.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/secrets/secret.h"

static json_t *slot_json(int number, const struct luks_slot *slot)
{
	json_t *object = json_pack("{s:i, s:o, s:I}", "slot", number, "type", json_text(slot->kdf), "iterations",
	        (json_int_t)slot->iterations);

	if (slot->memory_kib > 0) { /* Argon2 */
		json_set(object, "memory_kib", json_integer(slot->memory_kib));
		json_set(object, "threads", json_integer(slot->threads));
	}
	return object;
}

static json_t *cost_json(struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	struct luks_cost cost;

	if (luks_check_payload(volume) != GPUCRYPT_OK) {
		fail_clear();
		return json_null();
	}
	cost = luks_unlock_cost(volume, max_kdf_bytes);
	return json_pack("{s:i, s:i, s:o, s:i, s:o}", "slots_tried", __builtin_popcount(cost.slots), "slots_skipped",
	        (int)cost.n_skipped, "iterations", json_count((uint64_t)cost.iterations), "max_iterations",
	        (int)LUKS_BUDGET, "memory_kib", json_count(cost.memory_kib));
}

static json_t *volume_json(const char *name, struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	json_t *object = json_object(), *slots = json_array();
	bool two_keys = strncmp(volume->mode, "xts-", 4) == 0;
	struct luks_slot slot;

	for (int i = 0; luks_slot(volume, i, &slot); i++)
		if (slot.used)
			json_array_append_new(slots, slot_json(i, &slot));
	json_set_name(object, "file", name);
	json_set(object, "authenticated", json_false());
	json_set(object, "format", json_string(volume->version == 1 ? "luks1" : "luks2"));
	json_set(object, "uuid", json_text(volume->uuid));
	json_set(object, "label", json_text_or_null(volume->label));
	json_set(object, "cipher", json_text(volume->cipher));
	json_set(object, "bits", json_integer(8 * volume->key_bytes / (two_keys ? 2 : 1)));
	json_set(object, "mode", json_text(volume->mode));
	json_set(object, "sector_bytes", json_integer(volume->sector_bytes));
	json_set(object, "payload_offset", json_count(volume->payload));
	json_set(object, "slots", slots);
	json_set(object, "unlocking", cost_json(volume, max_kdf_bytes));
	return object;
}

static const char *const volume_lines[] = { "format: {format}", "uuid: {uuid}", "label: {label}", "cipher: {cipher}",
	"bits: {bits}", "mode: {mode}", "sector: {sector_bytes} bytes", "payload: from byte {payload_offset}", NULL };

static const char *const luks_slot_lines[] = {
	"slot {slot}: {type}, [{memory_kib} KiB, {iterations} passes, {threads} threads|{iterations} iterations]", NULL
};

static const char *const last_lines[] = {
	"unlocking: [tries {unlocking.slots_tried} key slots and skips {unlocking.slots_skipped}, at most {unlocking.iterations} of "
	"{unlocking.max_iterations} iterations and {unlocking.memory_kib} KiB|dec and verify reject this volume]",
	"not authenticated: no key was used; a LUKS volume has no tags", NULL
};

static void print_text(char *name, const json_t *object)
{
	message_clean(name, true);
	printf("file: %s\n", name);
	patterns_print(stdout, volume_lines, object);
	patterns_print(stdout, luks_slot_lines, json_object_get(object, "slots"));
	patterns_print(stdout, last_lines, object);
}

static int describe_volume(char *name, int fd, const struct options *options)
{
	struct luks_volume volume;
	json_t *object = NULL;
	int status = luks_open(&volume, fd, name);

	if (status == GPUCRYPT_OK)
		object = volume_json(name, &volume, options->max_kdf_bytes);
	if (status == GPUCRYPT_OK && options->json)
		status = json_print(json_incref(object));
	else if (status == GPUCRYPT_OK)
		print_text(name, object);
	json_decref(object);
	luks_close(&volume);
	return status;
}

/* If the file or block device is a LUKS volume, print its header and its key slots, which no key authenticates, and
 * what unlocking costs at most.  A pipe is not opened: its bytes come once. */
static int luks_info(bool *found, char *name, const struct options *options)
{
	struct stat there;
	struct input input;
	int status;

	*found = false;
	if (stat(name, &there) != 0 || !(S_ISREG(there.st_mode) || S_ISBLK(there.st_mode)))
		return GPUCRYPT_OK;
	status = input_open(&input, name) ?: luks_found(found, &input.source);
	if (*found)
		status = describe_volume(name, input.source.fd, options);
	input_close(&input);
	return status;
}

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
	int status;

	hex_encode(key, group->key, group->key_bytes);
	hex_encode(iv, group->iv, sizeof group->iv);
	if (printer->json)
		snprintf(line, sizeof line,
		        "%s\n  {\"offset\": %s%llu%s, \"length\": %llu, \"key\": \"%s\", "
		        "\"iv\": \"%s\"}",
		        printer->n_groups++ ? "," : "{\"groups\": [", quote, offset, quote, n_bytes, key, iv);
	else
		snprintf(line, sizeof line, "group %llu: offset %llu length %llu key %s iv %s\n",
		        (unsigned long long)group->group, offset, n_bytes, key, iv);
	status = json_write(STDOUT_FILENO, "standard output", line);
	wipe(key, sizeof key);
	wipe(line, sizeof line);
	return status;
}

static int show_keys(const struct options *options, struct input *input)
{
	struct group_printer printer = { .json = options->json };
	const struct key_files keys = key_files_of(options);
	struct secret secret = { 0 };
	int status = key_files_check_input(options, &keys, input)
	                     ?: secret_read(&secret, options, &options->opening, KEY_FILE_BYTES, input->name, false)
	                     ?: container_groups(&input->source, &secret.secret, options->show_keys.group, print_group,
	                             &printer);

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
		return container_describe(options->parsed.operands[0], options, true);
	status = input_open(&input, options->parsed.operands[0]) ?: show_keys(options, &input);
	input_close(&input);
	return status;
}
