#include "gpucrypt/engine/plan.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"

/* SETTING_DEVICE: users count from 0, a plan from 1.  SETTING_RECHECK: users say 0 for none.  SETTING_BITS: a multiple
 * of 64.  SETTING_POWER: a power of two. */
enum setting_kind {
	SETTING_NAME,
	SETTING_FLAG,
	SETTING_NUMBER,
	SETTING_BYTES,
	SETTING_DEVICE,
	SETTING_RECHECK,
	SETTING_BITS,
	SETTING_POWER
};

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t offset;
	uint64_t least, most;
	const struct value_names *names;
};

#define FIELD(member)  offsetof(struct gpucrypt_plan, member)
#define KERNEL(member) FIELD(kernel.member)

static const struct setting settings[] = {
	{ "cipher", SETTING_NAME, FIELD(cipher), 0, 0, &cipher_names },
	{ "mode", SETTING_NAME, FIELD(mode), 0, 0, &mode_names },
	{ "bits", SETTING_BITS, FIELD(key_bits), 128, 256, NULL },
	{ "engine", SETTING_NAME, FIELD(engine), 0, 0, &engine_names },
	{ "device", SETTING_DEVICE, FIELD(device), 0, 999, NULL },
	{ "or-cpu", SETTING_FLAG, FIELD(or_cpu), 0, 1, NULL },
	{ "threads", SETTING_NUMBER, FIELD(threads), 1, 4096, NULL },
	{ "constant-time", SETTING_FLAG, FIELD(constant_time), 0, 1, NULL },
	{ "chunk-log2", SETTING_NUMBER, FIELD(chunk_log2), 12, 20, NULL },
	{ "group-log2", SETTING_NUMBER, FIELD(group_log2), 12, 26, NULL },
	{ "sector-log2", SETTING_NUMBER, FIELD(sector_log2), 9, 12, NULL },
	{ "memory", SETTING_BYTES, FIELD(memory_bytes), 1, UINT64_MAX, NULL },
	{ "content", SETTING_NAME, FIELD(content), 0, 0, &content_names },
	{ "sparse", SETTING_FLAG, FIELD(sparse), 0, 1, NULL },
	{ "strict-device", SETTING_FLAG, FIELD(strict_device), 0, 1, NULL },
	{ "device-deadline", SETTING_NUMBER, FIELD(device_deadline), 1, 86400, NULL },
	{ "recheck", SETTING_RECHECK, FIELD(recheck), 0, 1u << 30, NULL },
	{ "tags", SETTING_NAME, FIELD(tags), 0, 0, &tag_place_names },
	{ "table", SETTING_NAME, KERNEL(table), 0, 0, &table_names },
	{ "table-space", SETTING_NAME, KERNEL(table_space), 0, 0, &table_space_names },
	{ "key-space", SETTING_NAME, KERNEL(key_space), 0, 0, &key_space_names },
	{ "copies", SETTING_POWER, KERNEL(replicas), 1, 1024, NULL },
	{ "counters", SETTING_POWER, KERNEL(blocks_per_item), 1, 256, NULL },
	{ "portable", SETTING_FLAG, KERNEL(portable), 0, 1, NULL },
	{ "work-items", SETTING_NUMBER, KERNEL(work_items), 1, 1u << 20, NULL },
	{ "work-groups", SETTING_NUMBER, KERNEL(work_groups), 1, 1u << 30, NULL },
};

static const struct setting *find_setting(const char *name)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (strcmp(settings[i].name, name) == 0)
			return &settings[i];
	fail(GPUCRYPT_USAGE, "unknown option '%s'", name);
	return NULL;
}

/* 0 is valid for every option: it is a device number for device, "no recheck" for recheck, and the default for all
 * others. */
static bool is_valid(const struct setting *setting, uint64_t value)
{
	if (setting->names != NULL)
		return value == 0 || (value <= UINT32_MAX && value_name(setting->names, (unsigned)value)[0] != '\0');
	if ((setting->kind == SETTING_BITS && value % 64 != 0) ||
	        (setting->kind == SETTING_POWER && (value & (value - 1)) != 0))
		return value == 0;
	return value == 0 || (value >= setting->least && value <= setting->most);
}

static void store_value(struct gpucrypt_plan *plan, const struct setting *setting, uint64_t value)
{
	void *field = (char *)plan + setting->offset;

	if (setting->kind == SETTING_FLAG)
		*(bool *)field = value != 0;
	else if (setting->kind == SETTING_BYTES)
		*(uint64_t *)field = value;
	else if (setting->kind == SETTING_DEVICE)
		*(unsigned *)field = (unsigned)value + 1;
	else if (setting->kind == SETTING_RECHECK && value == 0)
		*(unsigned *)field = GPUCRYPT_NO_RECHECK;
	else
		*(unsigned *)field = (unsigned)value;
}

int plan_set_number(struct gpucrypt_plan *plan, const char *name, uint64_t value)
{
	const struct setting *setting = find_setting(name);

	if (setting == NULL)
		return GPUCRYPT_USAGE;
	if (!is_valid(setting, value))
		return fail(GPUCRYPT_USAGE, "option '%s' cannot be %llu", name, (unsigned long long)value);
	store_value(plan, setting, value);
	return GPUCRYPT_OK;
}

/* A decimal number and nothing else. */
static bool parse_number(uint64_t *value, const char *text)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

int plan_set(struct gpucrypt_plan *plan, const char *name, const char *text)
{
	const struct setting *setting = find_setting(name);
	uint64_t value;
	unsigned named;

	if (setting == NULL)
		return GPUCRYPT_USAGE;
	if (setting->names != NULL) {
		if (value_parse(&named, setting->names, text) != GPUCRYPT_OK)
			return GPUCRYPT_USAGE;
		store_value(plan, setting, named);
		return GPUCRYPT_OK;
	}
	if (!parse_number(&value, text))
		return fail(GPUCRYPT_USAGE, "option '%s': '%s' is not a number", name, text);
	return plan_set_number(plan, name, value);
}

unsigned plan_threads(const struct gpucrypt_plan *plan)
{
	cpu_set_t set;

	if (plan->threads != 0)
		return plan->threads;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

unsigned plan_engines(const struct gpucrypt_plan *plan)
{
	return plan->n_parts > 0 ? plan->n_parts : 1;
}

struct gpucrypt_part plan_engine(const struct gpucrypt_plan *plan, unsigned i)
{
	bool on_device = plan->engine == GPUCRYPT_OPENCL;

	return plan->n_parts > 0 ? plan->parts[i]
	                         : (struct gpucrypt_part){ .device = on_device ? plan->device : 0,
		                           .threads = on_device ? 0 : plan_threads(plan),
		                           .kernel = plan->kernel };
}

bool plan_gives_way(const struct gpucrypt_plan *plan)
{
	return plan->engine == GPUCRYPT_ENGINE_AUTO ? plan->device == 0 : plan->or_cpu && plan->engine != GPUCRYPT_CPU;
}
