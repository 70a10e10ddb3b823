#include "cli/inspect/luks_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/files/input.h"
#include "cli/luks/volume.h"
#include "cli/terminal/json.h"
#include "cli/terminal/message.h"
#include "gpucrypt/status.h"

/* XTS has two keys. */
static unsigned key_bits(const struct luks_volume *volume)
{
	return 8 * volume->key_bytes / (strncmp(volume->mode, "xts-", 4) == 0 ? 2 : 1);
}

static bool is_argon2(const struct luks_slot *slot)
{
	return slot->memory_kib > 0;
}

static void print_slot(int number, const struct luks_slot *slot)
{
	if (is_argon2(slot))
		printf("slot %d: %s, %u KiB, %u passes, %u threads\n", number, slot->kdf, slot->memory_kib,
		        slot->iterations, slot->threads);
	else
		printf("slot %d: %s, %u iterations\n", number, slot->kdf, slot->iterations);
}

static void print_text(const char *name, const char *value)
{
	char text[64];

	snprintf(text, sizeof text, "%s", value);
	message_clean(text, true);
	printf("%s: %s\n", name, text);
}

static void print_cost(struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	struct luks_cost cost;
	unsigned n_tried;

	if (luks_check_payload(volume) != GPUCRYPT_OK) {
		fail_clear();
		puts("unlocking: dec and verify reject this volume");
		return;
	}
	cost = luks_unlock_cost(volume, max_kdf_bytes);
	n_tried = (unsigned)__builtin_popcount(cost.slots);
	printf("unlocking: tries %u of %u key slots, at most %.0f of %u iterations and %" PRIu64 " KiB\n", n_tried,
	        n_tried + cost.n_skipped, cost.iterations, LUKS_BUDGET, cost.memory_kib);
}

static void print_volume(char *name, struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	struct luks_slot slot;

	message_clean(name, true);
	printf("file: %s\n", name);
	printf("format: LUKS%u\n", volume->version);
	print_text("uuid", volume->uuid);
	if (volume->label[0])
		print_text("label", volume->label);
	print_text("cipher", volume->cipher);
	printf("bits: %u\n", key_bits(volume));
	print_text("mode", volume->mode);
	printf("sector: %u bytes\n", volume->sector_bytes);
	printf("payload: from byte %" PRIu64 "\n", volume->payload);
	for (int i = 0; luks_slot(volume, i, &slot); i++)
		if (slot.used)
			print_slot(i, &slot);
	print_cost(volume, max_kdf_bytes);
	puts("not authenticated: no key was used; a LUKS volume has no tags");
}

static json_t *slot_json(int number, const struct luks_slot *slot)
{
	json_t *object = json_object();

	json_set(object, "slot", json_integer(number));
	json_set(object, "type", json_text(slot->kdf));
	json_set(object, "iterations", json_integer(slot->iterations));
	if (is_argon2(slot)) {
		json_set(object, "memory_kib", json_integer(slot->memory_kib));
		json_set(object, "threads", json_integer(slot->threads));
	}
	return object;
}

static json_t *cost_json(struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	struct luks_cost cost;
	json_t *object;

	if (luks_check_payload(volume) != GPUCRYPT_OK) {
		fail_clear();
		return json_null();
	}
	cost = luks_unlock_cost(volume, max_kdf_bytes);
	object = json_object();
	json_set(object, "slots_tried", json_integer(__builtin_popcount(cost.slots)));
	json_set(object, "slots_skipped", json_integer(cost.n_skipped));
	json_set(object, "iterations", json_count((uint64_t)cost.iterations));
	json_set(object, "max_iterations", json_integer(LUKS_BUDGET));
	json_set(object, "memory_kib", json_count(cost.memory_kib));
	return object;
}

static int print_json(const char *name, struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	json_t *object = json_object(), *slots = json_array();
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
	json_set(object, "bits", json_integer(key_bits(volume)));
	json_set(object, "mode", json_text(volume->mode));
	json_set(object, "sector_bytes", json_integer(volume->sector_bytes));
	json_set(object, "payload_offset", json_count(volume->payload));
	json_set(object, "slots", slots);
	json_set(object, "unlocking", cost_json(volume, max_kdf_bytes));
	return json_print(object);
}

static int describe_volume(char *name, int fd, const struct options *options)
{
	struct luks_volume volume;
	int status = luks_open(&volume, fd, name);

	if (status == GPUCRYPT_OK && options->json)
		status = print_json(name, &volume, options->max_kdf_bytes);
	else if (status == GPUCRYPT_OK)
		print_volume(name, &volume, options->max_kdf_bytes);
	luks_close(&volume);
	return status;
}

/* A pipe is not opened: its bytes come once. */
int luks_info(bool *found, char *name, const struct options *options)
{
	struct stat there;
	struct input input;
	int status;

	*found = false;
	if (stat(name, &there) != 0 || !(S_ISREG(there.st_mode) || S_ISBLK(there.st_mode)))
		return GPUCRYPT_OK;
	status = input_open(&input, name);
	if (status == GPUCRYPT_OK)
		status = luks_found(found, &input.source);
	if (*found)
		status = describe_volume(name, input.source.fd, options);
	input_close(&input);
	return status;
}
