/*
 * Vector files over every implementation: the reference implementation in every table form, the CPU engine, and
 * every OpenCL device in the default form and in every form × placement.  One in
 * GCRYPT_TEST_ONE_IN of the placements and of the third-party vectors runs; then the bitsliced form skips iterated
 * vectors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/crypto/names.h"
#include "tests/unit/cmocka_all.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

#define SHARED_VECTORS "../shared/vectors"

struct vector {
	const struct cipher *cipher;
	const struct mode *mode;
	unsigned key_bytes, unit_bytes, iterations;
	uint8_t key[64], iv[16];
	size_t n_bytes;
	uint8_t *plain, *text;
};

struct vectors {
	struct vector *v;
	size_t n;
};

static unsigned long n_runs, n_device_runs, n_placements;

/* Reading. */

/* Work buffers are as long as the next multiple of 16 bytes. */
static uint8_t *unhex_new(const char *hex)
{
	uint8_t *bytes = calloc(1, strlen(hex) / 2 + 16);

	assert_non_null(bytes);
	from_hex(bytes, strlen(hex) / 2, hex);
	return bytes;
}

static void read_line(struct vectors *all, char *line)
{
	char *field[8], *rest = line;
	struct vector *v;
	unsigned mode;

	for (int i = 0; i < 8; i++) {
		field[i] = strtok_r(rest, " \n", &rest);
		assert_non_null(field[i]);
	}
	all->v = realloc(all->v, (all->n + 1) * sizeof(*all->v));
	assert_non_null(all->v);
	v = &all->v[all->n++];
	memset(v, 0, sizeof(*v));
	v->cipher = cipher_by_name(field[0]);
	assert_non_null(v->cipher);
	assert_ok(value_parse(&mode, &mode_names, field[1]));
	v->mode = mode_by_id(mode);
	from_hex(v->key, strlen(field[2]) / 2, field[2]);
	v->key_bytes = (unsigned)strlen(field[2]) / 2 / v->mode->n_keys;
	if (strcmp(field[3], "-") != 0)
		from_hex(v->iv, strlen(field[3]) / 2, field[3]);
	v->unit_bytes = (unsigned)atoi(field[4]);
	v->iterations = (unsigned)atoi(field[5]);
	v->n_bytes = strlen(field[6]) / 2;
	assert_int_equal(strlen(field[7]), 2 * v->n_bytes);
	v->plain = unhex_new(field[6]);
	v->text = unhex_new(field[7]);
}

/* One line in so many. */
static void read_vectors(struct vectors *all, FILE *file, unsigned long so_many)
{
	unsigned long n = 0;
	char *line = NULL;
	size_t size = 0;

	assert_non_null(file);
	while (getline(&line, &size, file) > 0)
		if (line[0] != '#' && n++ % so_many == 0)
			read_line(all, line);
	free(line);
}

static void free_vectors(struct vectors *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->v[i].plain);
		free(all->v[i].text);
	}
	free(all->v);
}

/* Running. */

static void run_vector(struct engine *engine, const struct vector *v)
{
	bool encrypt = engine->suite.direction == ENCRYPT;
	uint8_t *b = calloc(1, v->n_bytes + 16);
	struct work work = {
		.in = b, .out = b, .n_bytes = v->n_bytes, .key = v->key, .tweak_step = v->mode->has_tweaks
	};

	assert_non_null(b);
	while (v->unit_bytes >> work.unit_log2 > 1)
		work.unit_log2++;
	memcpy(work.iv, v->iv, 16);
	memcpy(b, encrypt ? v->plain : v->text, v->n_bytes);
	for (unsigned i = 0; i < v->iterations; i++)
		assert_ok(engine_crypt(engine, 0, &work));
	if (memcmp(b, encrypt ? v->text : v->plain, v->n_bytes) != 0)
		fail_msg("wrong answer from %s: %s %u %s", engine->description, v->cipher->name, 8 * v->key_bytes,
		        v->mode->name);
	free(b);
	n_runs++;
	n_device_runs += engine->class == &engine_opencl;
}

static bool in_suite(const struct vector *v, const struct suite *suite)
{
	return v->cipher == suite->cipher && v->mode == suite->mode && v->key_bytes == suite->key_bytes;
}

/* Is a single block cheap?  A launch is expensive, and so is a whole slice for one block. */
static bool runs_single_blocks(const struct engine_class *class, const struct gpucrypt_plan *plan)
{
	return class != &engine_opencl && (plan->kernel.table != TABLE_BITSLICED || test_one_in() == 1);
}

/* All vectors of a suite on one engine; iterated ones only where a block costs little. */
static void run_suite(const struct vectors *all, const struct engine_class *class, const struct suite *suite,
        const struct gpucrypt_plan *plan)
{
	struct gpucrypt_plan strict = *plan;
	struct engine *engine;
	bool any = false;

	for (size_t i = 0; i < all->n && !any; i++)
		any = in_suite(&all->v[i], suite);
	if (!any)
		return;
	strict.strict_device = true;
	assert_ok(engine_open_tested(&engine, class, suite, &strict, NULL));
	for (size_t i = 0; i < all->n; i++)
		if (in_suite(&all->v[i], suite) && (all->v[i].iterations == 1 || runs_single_blocks(class, plan)))
			run_vector(engine, &all->v[i]);
	engine_close(engine);
}

/* Call run_suite for each cipher × key size × mode × direction. */
static void run_suites(const struct vectors *all, const struct engine_class *class, struct gpucrypt_plan plan,
        const struct cipher *cipher)
{
	for (unsigned key_bytes = 16; key_bytes <= 32; key_bytes += 8)
		for (unsigned m = 0; m < N_MODES; m++)
			for (enum direction d = ENCRYPT; d <= DECRYPT; d++) {
				struct suite suite = { cipher, &modes[m], key_bytes, d };
				run_suite(all, class, &suite, &plan);
			}
}

static void run_host(const struct vectors *all)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		struct gpucrypt_plan plan = { .threads = 1 };
		run_suites(all, &engine_cpu, plan, *c);
		for (unsigned f = 0; f < (*c)->n_forms; f++) {
			plan.kernel.table = (*c)->forms[f].id;
			run_suites(all, &engine_host, plan, *c);
		}
	}
}

static void run_devices(const struct vectors *all)
{
	struct inventory inventory;

	inventory_take(&inventory);
	for (unsigned i = 0; i < inventory.n_devices; i++)
		for (const struct cipher *const *c = ciphers; *c != NULL; c++)
			if (inventory.devices[i].unusable[0] == '\0') {
				struct gpucrypt_plan plan = { .device = i + 1 };
				run_suites(all, &engine_opencl, plan, *c);
			}
}

/* The suite in one placement, if the device can hold it; of those one in so many. */
static void run_placed(const struct vectors *all, const struct device *device, const struct suite *suite,
        const struct gpucrypt_plan *plan)
{
	struct kernel_config kernel;

	if (n_placements++ % test_one_in() == 0 &&
	        kernel_config_complete(&kernel, suite, plan, device) == GPUCRYPT_OK &&
	        (plan->kernel.blocks_per_item == 0 || kernel.blocks_per_item > 1))
		run_suite(all, &engine_opencl, suite, plan);
}

/* One suite of each cipher in every form, table space and key space; and CTR with counters that share their
 * first rounds. */
static void run_placement(
        const struct vectors *all, const struct device *device, const struct cipher *cipher, struct gpucrypt_plan plan)
{
	static const enum memory_space spaces[] = { MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_GLOBAL };
	struct suite suite = { cipher, &modes[MODE_ECB], 16, ENCRYPT };

	for (int i = 0; i < 6; i++) {
		plan.kernel.table_space = spaces[i / 2];
		plan.kernel.key_space = spaces[i % 2];
		plan.kernel.replicas = i == 0 ? 4 : 1;
		run_placed(all, device, &suite, &plan);
	}
	suite.mode = &modes[MODE_CTR];
	plan = (struct gpucrypt_plan){
		.device = plan.device, .kernel.table = plan.kernel.table, .kernel.blocks_per_item = 8
	};
	run_placed(all, device, &suite, &plan);
}

static void run_placements(const struct vectors *all)
{
	struct inventory inventory;

	inventory_take(&inventory);
	for (unsigned i = 0; i < inventory.n_devices; i++)
		for (const struct cipher *const *c = ciphers; *c != NULL; c++)
			for (unsigned f = 0; f < (*c)->n_forms; f++) {
				struct gpucrypt_plan plan = { .device = i + 1, .kernel.table = (*c)->forms[f].id };
				if (inventory.devices[i].unusable[0] == '\0')
					run_placement(all, &inventory.devices[i], *c, plan);
			}
}

static size_t read_committed(struct vectors *all)
{
	char path[64];

	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		FILE *file;
		snprintf(path, sizeof(path), "tests/vectors/%s.vec", (*c)->name);
		file = fopen(path, "r");
		read_vectors(all, file, 1);
		fclose(file);
	}
	return all->n;
}

/* Returns 0 if the vectors are not installed. */
static size_t read_shared(struct vectors *all)
{
	size_t n = all->n;
	FILE *file;

	if (access(SHARED_VECTORS, R_OK) != 0)
		return 0;
	file = popen("python3 tests/vectors/convert.py " SHARED_VECTORS, "r");
	read_vectors(all, file, test_one_in());
	assert_int_equal(pclose(file), 0);
	return all->n - n;
}

static size_t n_shared;

/* All at once, because opening an engine takes longest. */
TEST(test_every_vector)
{
	struct vectors all = { 0 };
	size_t n_committed = read_committed(&all);
	unsigned long n_suites;

	n_shared = read_shared(&all);
	run_host(&all);
	run_devices(&all);
	n_suites = n_device_runs;
	run_placements(&all);
	assert_true(n_device_runs > n_suites);
	print_message("%zu vectors of the standards and %zu of others: %lu cases run, %lu of them on devices\n",
	        n_committed, n_shared, n_runs, n_device_runs);
	assert_true(n_committed > 0 && n_device_runs > all.n); /* PoCL must be installed */
	free_vectors(&all);
}

TEST(test_shared_vectors_are_there)
{
	if (n_shared == 0) {
		print_message(SHARED_VECTORS " is not there: 0 cases run\n");
		skip();
	}
}
