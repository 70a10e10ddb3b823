/* The cached inventory of devices: the input's JSON, with the surroundings that make it current. */
#include "tests/fuzz/input.h"

#include <jansson.h>

#include "ppf/record/cache.h"
#include "ppf/record/inventory.h"

static char folder[] = "/tmp/gcrypt-fuzz-XXXXXX";
static json_t *surroundings;

static void leave(void)
{
	char command[64];

	json_decref(surroundings);
	snprintf(command, sizeof command, "rm -r %s", folder);
	if (system(command) != 0)
		perror(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct inventory none;
	char path[4096];
	json_t *kept;

	(void)argc, (void)argv;
	MUST(mkdtemp(folder) != NULL && setenv("XDG_CACHE_HOME", folder, 1) == 0);
	atexit(leave);
	inventory_keep(&none, NULL);
	MUST(cache_path(path, sizeof path, "inventory.json") == GPUCRYPT_OK);
	kept = json_load_file(path, 0, NULL);
	surroundings = json_incref(json_object_get(kept, "surroundings"));
	MUST(surroundings != NULL);
	json_decref(kept);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static struct inventory inventory, again;
	struct fuzz_input input = { bytes, n_bytes };
	char *text = take_text(&input), note[64], *current = NULL;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	if (root != NULL && json_object_set(root, "surroundings", surroundings) == 0)
		current = json_dumps(root, 0);
	json_decref(root);
	MUST(cache_keep("inventory.json", current != NULL ? current : text) == GPUCRYPT_OK);
	if (inventory_read(&inventory, note, sizeof note)) {
		MUST(note[0] == '\0' && inventory.n_devices <= MAX_DEVICES);
		inventory_choose(&inventory, 0);
		fail_clear();
		inventory_keep(&inventory, NULL);
		MUST(inventory_read(&again, note, sizeof note));
		MUST(again.n_devices == inventory.n_devices);
	}
	MUST(gpucrypt_error()[0] == '\0');
	free(current);
	free(text);
	return 0;
}
