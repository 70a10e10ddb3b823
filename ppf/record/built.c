#include "ppf/record/built.h"

#include <stdio.h>
#include <string.h>

#include "ppf/record/cache.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"

#define KEY "programs"

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t add(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t sources_hash(void)
{
	static _Thread_local uint64_t hash;

	if (hash == 0) {
		hash = UINT64_C(0xcbf29ce484222325);
		hash = add(hash, PROGRAM_OPTIONS);
		for (const struct kernel_source *s = kernel_sources; s->name != NULL; s++)
			hash = add(hash, s->text);
	}
	return hash;
}

/* Hash everything that distinguishes programs; the number of work-groups does not. */
static uint64_t key(const struct device *device, const struct suite *suite, const struct kernel_config *kernel)
{
	char text[512];

	snprintf(text, sizeof(text), "%s %s %s %u %s %d %s %s %s %u %u %d", device->name, device->driver,
	        suite->cipher->name, suite->key_bytes, suite->mode->name, suite_direction(suite),
	        kernel_form(kernel, suite->cipher)->name, value_name(&table_space_names, kernel->table_space),
	        value_name(&key_space_names, kernel->key_space), kernel->replicas, kernel->work_items,
	        device->ptx && !kernel->portable);
	return add(sources_hash(), text);
}

void built_read(struct built *built, const json_t *cache)
{
	const json_t *keys = json_object_get(cache, KEY);

	for (built->n = 0; built->n < MAX_BUILT && built->n < json_array_size(keys); built->n++)
		built->keys[built->n] = (uint64_t)json_integer_value(json_array_get(keys, built->n));
}

bool built_before(const struct built *built, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel)
{
	uint64_t wanted = key(device, suite, kernel);

	for (unsigned i = 0; i < built->n; i++)
		if (built->keys[i] == wanted)
			return true;
	return false;
}

void built_keep(
        struct built *built, const struct device *device, const struct suite *suite, const struct kernel_config *kernel)
{
	json_t *keys;

	if (built_before(built, device, suite, kernel))
		return;
	if (built->n == MAX_BUILT)
		memmove(built->keys, built->keys + 1, --built->n * sizeof(built->keys[0]));
	built->keys[built->n++] = key(device, suite, kernel);
	keys = json_array();
	for (unsigned i = 0; i < built->n; i++)
		json_array_append_new(keys, json_integer((json_int_t)built->keys[i]));
	cache_set(KEY, keys);
	fail_clear();
}
