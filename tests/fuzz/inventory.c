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
	char note[CACHE_NOTE] = "";
	json_t *cache;

	(void)argc, (void)argv;
	MUST(mkdtemp(folder) != NULL && setenv("XDG_CACHE_HOME", folder, 1) == 0);
	atexit(leave);
	inventory_keep(&none, NULL);
	cache = cache_read(note);
	surroundings = json_incref(json_object_get(json_object_get(cache, "inventory"), "surroundings"));
	MUST(surroundings != NULL);
	json_decref(cache);
	return 0;
}

static bool read_cached(struct inventory *inventory, char note[CACHE_NOTE])
{
	json_t *cache;
	bool found;

	note[0] = '\0';
	cache = cache_read(note);
	found = inventory_read(inventory, cache, note);
	json_decref(cache);
	return found;
}

/* An input that is no JSON is the whole file. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static struct inventory inventory, again;
	struct fuzz_input input = { bytes, n_bytes };
	char *text = take_text(&input), note[CACHE_NOTE], path[4096];
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	MUST(cache_path(path, sizeof path) == GPUCRYPT_OK);
	if (root == NULL || json_object_set(root, "surroundings", surroundings) != 0)
		MUST(file_write(path, text) == GPUCRYPT_OK);
	else
		MUST(cache_set("inventory", json_incref(root)) == GPUCRYPT_OK);
	json_decref(root);
	if (read_cached(&inventory, note)) {
		MUST(note[0] == '\0' && inventory.n_devices <= MAX_DEVICES);
		inventory_choose(&inventory, 0);
		fail_clear();
		inventory_keep(&inventory, NULL);
		MUST(read_cached(&again, note));
		MUST(again.n_devices == inventory.n_devices);
	}
	MUST(gpucrypt_error()[0] == '\0');
	free(text);
	return 0;
}
