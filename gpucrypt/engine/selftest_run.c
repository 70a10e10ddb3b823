/* `gcrypt selftest`: every engine, in every form and placement. */
#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/engine/kernel_config.h"
#include "gpucrypt/status.h"

/* Tables, round keys, replicas, and blocks per work-item where the mode has something to share. */
static const struct kernel_config placements[] = {
	{ TABLE_OPEN, MEMORY_LOCAL, MEMORY_LOCAL, 1, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_LOCAL, MEMORY_LOCAL, 32, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_LOCAL, MEMORY_CONSTANT, 1, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_LOCAL, MEMORY_ARGUMENT, 1, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_LOCAL, MEMORY_ARGUMENT, 32, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_LOCAL, MEMORY_ARGUMENT, 32, 8, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_LOCAL, MEMORY_CONSTANT, 1, 256, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_CONSTANT, MEMORY_LOCAL, 1, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_CONSTANT, MEMORY_CONSTANT, 1, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_GLOBAL, MEMORY_LOCAL, 1, 1, 0, 0, false, 0 },
	{ TABLE_OPEN, MEMORY_GLOBAL, MEMORY_CONSTANT, 1, 1, 0, 0, false, 0 },
};
#define N_PLACEMENTS (sizeof(placements) / sizeof(placements[0]))

struct selftest {
	struct selftest_result *result;
	selftest_report *report;
	void *self;
	unsigned number, shard, n_shards;
};

static void describe_configuration(char *text, size_t n, const struct engine_class *class,
        const struct gpucrypt_plan *plan, enum direction direction)
{
	const struct kernel_config *kernel = &plan->kernel;
	int used = snprintf(text, n, "%s", class->name);

	if (plan->device != 0)
		used += snprintf(text + used, n - (size_t)used, " %u", plan->device - 1);
	used += snprintf(text + used, n - (size_t)used, " %s-%u-%s %s", value_name(&cipher_names, plan->cipher),
	        plan->key_bits, value_name(&mode_names, plan->mode), direction == ENCRYPT ? "enc" : "dec");
	if (kernel->table != TABLE_OPEN)
		used += snprintf(text + used, n - (size_t)used, class == &engine_cpu ? " form %s" : " table %s",
		        value_name(&table_names, kernel->table));
	if (kernel->table_space != MEMORY_OPEN)
		used += snprintf(text + used, n - (size_t)used, " in %s x%u, keys in %s%s",
		        value_name(&table_space_names, kernel->table_space), kernel->replicas,
		        value_name(&key_space_names, kernel->key_space), kernel->portable ? ", portable" : "");
	if (kernel->blocks_per_item > 1)
		snprintf(text + used, n - (size_t)used, ", %u blocks per work-item", kernel->blocks_per_item);
}

/* Does the CPU have this form, and can the device hold it in this placement?  *table: the device's form. */
static bool is_possible(
        const struct suite *suite, const struct gpucrypt_plan *plan, const struct device *device, enum table_id *table)
{
	const struct instruction_form *form = instruction_form_by_id(suite->cipher, plan->kernel.table);
	struct kernel_config kernel;

	if (form != NULL && !instruction_form_is_available(form)) {
		fail(GPUCRYPT_DEVICE, "not available on this processor");
		return false;
	}
	if (device == NULL)
		return true;
	if (kernel_config_complete(&kernel, suite, plan, device) == GPUCRYPT_OK)
		*table = kernel.table;
	return *gpucrypt_error() == '\0';
}

/* Open one engine, which tests its known answers. */
static void test_configuration(struct selftest *selftest, const struct engine_class *class, const struct device *device,
        const struct gpucrypt_plan *plan, enum direction direction)
{
	enum selftest_outcome outcome = SELFTEST_FAILED;
	struct gpucrypt_plan tried = *plan;
	struct engine *engine = NULL;
	char text[160];
	struct suite suite;
	int status;

	if (selftest->number++ % selftest->n_shards != selftest->shard)
		return;
	describe_configuration(text, sizeof(text), class, plan, direction);
	fail_clear();
	status = suite_of_plan(&suite, plan, direction);
	if (status == GPUCRYPT_OK && !is_possible(&suite, plan, device, &tried.kernel.table)) {
		outcome = SELFTEST_SKIPPED;
	} else if (status == GPUCRYPT_OK) {
		status = engine_open_tested(&engine, class, &suite, plan, NULL);
		outcome = status == GPUCRYPT_OK ? SELFTEST_PASSED : SELFTEST_FAILED;
	}
	selftest->result->count[outcome]++;
	selftest->report(selftest->self, &tried, text, outcome, gpucrypt_error());
	engine_close(engine);
	fail_clear();
}

/* Cipher × key size × mode × direction; with a form of each cipher, or the default one. */
static void test_suites(struct selftest *selftest, const struct engine_class *class, const struct device *device,
        struct gpucrypt_plan plan, const struct cipher *cipher)
{
	plan.cipher = cipher->id;
	for (plan.key_bits = 128; plan.key_bits <= 256; plan.key_bits += 64)
		for (unsigned m = 0; m < N_MODES; m++)
			for (enum direction d = ENCRYPT; d <= DECRYPT; d++) {
				if (plan.kernel.blocks_per_item > 1 && modes[m].cached_sources == NULL)
					continue;
				plan.mode = modes[m].id;
				test_configuration(selftest, class, device, &plan, d);
			}
}

/* Every form × placement: in all suites, or once; and without assembly where there is some. */
static void test_placements(struct selftest *selftest, const struct device *device, struct gpucrypt_plan plan,
        const struct cipher *cipher, bool all)
{
	for (unsigned f = 0; f < cipher->n_forms; f++)
		for (unsigned i = 0; i < (device->ptx ? 2 : 1) * N_PLACEMENTS; i++) {
			struct kernel_config kernel = placements[i % N_PLACEMENTS];
			/* Without a table only the keys have a place. */
			if (form_is_sliced(&cipher->forms[f]) && (kernel.replicas > 1 || kernel.blocks_per_item > 1 ||
			                                                 kernel.table_space != MEMORY_LOCAL))
				continue;
			kernel.table = cipher->forms[f].id;
			kernel.work_items = plan.kernel.work_items;
			kernel.work_groups = plan.kernel.work_groups;
			kernel.portable = i >= N_PLACEMENTS;
			plan.kernel = kernel;
			plan.cipher = cipher->id;
			plan.key_bits = 128;
			plan.mode = GPUCRYPT_CTR;
			if (all)
				test_suites(selftest, &engine_opencl, device, plan, cipher);
			else
				test_configuration(selftest, &engine_opencl, device, &plan, ENCRYPT);
		}
}

static void test_cpu(struct selftest *selftest, const struct cipher *cipher)
{
	struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };

	test_suites(selftest, &engine_cpu, NULL, plan, cipher);
	for (unsigned i = 0; i < cipher->n_instructions; i++) {
		plan.kernel.table = cipher->instructions[i].id;
		test_suites(selftest, &engine_cpu, NULL, plan, cipher);
	}
	for (unsigned f = 0; f < cipher->n_forms; f++) {
		plan.kernel.table = cipher->forms[f].id;
		test_suites(selftest, &engine_host, NULL, plan, cipher);
	}
}

int selftest_run(struct selftest_result *result, const struct gpucrypt_plan *plan, bool all, unsigned shard,
        unsigned n_shards, selftest_report *report, void *self)
{
	struct selftest selftest = {
		.result = result, .report = report, .self = self, .shard = shard, .n_shards = n_shards
	};
	struct gpucrypt_plan of_device = { .strict_device = true,
		.kernel = { .work_items = plan->kernel.work_items, .work_groups = plan->kernel.work_groups } };
	struct inventory inventory;

	memset(result, 0, sizeof(*result));
	if (n_shards == 0 || shard >= n_shards)
		return fail(GPUCRYPT_USAGE, "shard %u of %u: no such shard", shard, n_shards);
	inventory_take(&inventory);
	if (plan->device != 0 && inventory_choose(&inventory, plan->device) == NULL)
		return GPUCRYPT_DEVICE;
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		if (plan->device == 0)
			test_cpu(&selftest, *c);
		for (unsigned i = 0; i < inventory.n_devices; i++) {
			of_device.device = i + 1;
			if (inventory.devices[i].unusable[0] != '\0' || (plan->device != 0 && plan->device != i + 1))
				continue;
			if (!all)
				test_suites(&selftest, &engine_opencl, &inventory.devices[i], of_device, *c);
			test_placements(&selftest, &inventory.devices[i], of_device, *c, all);
		}
	}
	if (result->count[SELFTEST_FAILED] > 0)
		return fail(GPUCRYPT_DEVICE, "self-test: %u configurations failed", result->count[SELFTEST_FAILED]);
	return GPUCRYPT_OK;
}
