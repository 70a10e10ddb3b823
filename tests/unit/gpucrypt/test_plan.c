/* Options of the library: by setter and by name. */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/engine/plan.h"

TEST(setters)
{
	struct gpucrypt_options *options = gpucrypt_options_create();
	const struct gpucrypt_plan *plan = &options->plan;

	assert_non_null(options);
	assert_memory_equal(plan, &(struct gpucrypt_plan){ 0 }, sizeof *plan);
	assert_ok(gpucrypt_options_set_cipher(options, GPUCRYPT_SC2000));
	assert_ok(gpucrypt_options_set_mode(options, GPUCRYPT_XTS));
	assert_ok(gpucrypt_options_set_key_bits(options, 192));
	assert_ok(gpucrypt_options_set_engine(options, GPUCRYPT_HYBRID));
	assert_ok(gpucrypt_options_set_device(options, 0));
	assert_ok(gpucrypt_options_set_threads(options, 3));
	assert_ok(gpucrypt_options_set_constant_time(options, 7));
	assert_ok(gpucrypt_options_set_sizes(options, 12, 19));
	assert_ok(gpucrypt_options_set_sparse(options, 1));
	assert_ok(gpucrypt_options_set_recheck(options, 0));
	assert_ok(gpucrypt_options_set_memory(options, UINT64_C(1) << 33));
	assert_true(plan->cipher == GPUCRYPT_SC2000 && plan->mode == GPUCRYPT_XTS && plan->key_bits == 192);
	assert_true(plan->engine == GPUCRYPT_HYBRID && plan->device == 1 && plan->threads == 3);
	assert_true(plan->constant_time && plan->chunk_log2 == 12 && plan->group_log2 == 19 && plan->sparse);
	assert_true(plan->recheck == GPUCRYPT_NO_RECHECK && plan->memory_bytes == UINT64_C(1) << 33);
	assert_ok(gpucrypt_options_set_recheck(options, 5));
	assert_int_equal(plan->recheck, 5);
	gpucrypt_options_free(options);
	gpucrypt_options_free(NULL);
}

TEST(names)
{
	static const char *const settings[][2] = { { "table", "11,10,11" }, { "table-space", "global" },
		{ "key-space", "argument" }, { "tags", "host" }, { "copies", "32" }, { "counters", "8" },
		{ "work-items", "768" }, { "work-groups", "132" }, { "portable", "1" }, { "or-cpu", "1" },
		{ "device", "4" }, { "recheck", "0" }, { "cipher", "aes" }, { "mode", "ecb" }, { "engine", "auto" } };
	const struct kernel_config want = { .table = TABLE_11_10_11,
		.table_space = MEMORY_GLOBAL,
		.key_space = MEMORY_ARGUMENT,
		.replicas = 32,
		.blocks_per_item = 8,
		.work_items = 768,
		.work_groups = 132,
		.portable = true };
	struct gpucrypt_options options = { .plan.engine = GPUCRYPT_CPU };
	const struct gpucrypt_plan *plan = &options.plan;

	for (size_t i = 0; i < N_OF(settings); i++)
		assert_ok(gpucrypt_options_set(&options, settings[i][0], settings[i][1]));
	assert_memory_equal(&plan->kernel, &want, offsetof(struct kernel_config, portable) + 1);
	assert_true(plan->tags == TAGS_ON_HOST && plan->or_cpu && plan->device == 5);
	assert_true(plan->recheck == GPUCRYPT_NO_RECHECK && plan->cipher == GPUCRYPT_AES);
	assert_true(plan->mode == GPUCRYPT_ECB && plan->engine == GPUCRYPT_ENGINE_AUTO);
}

TEST(refusals)
{
	static const char *const settings[][3] = { { "tables", "4", "unknown option 'tables'" },
		{ "cipher", "rot13", "unknown cipher 'rot13'" }, { "key-space", "global", "unknown key space" },
		{ "bits", "129", "cannot be 129" }, { "group-log2", "27", "cannot be 27" },
		{ "threads", "many", "not a number" }, { "threads", "-1", "not a number" },
		{ "threads", "", "not a number" }, { "threads", "3x", "not a number" },
		{ "threads", "4097", "cannot be 4097" }, { "memory", "99999999999999999999999", "not a number" },
		{ "sparse", "2", "cannot be 2" }, { "copies", "2048", "cannot be 2048" } };
	struct gpucrypt_options options = { .plan = { .cipher = GPUCRYPT_CAMELLIA, .chunk_log2 = 13 } };
	const struct gpucrypt_options before = options;

	for (size_t i = 0; i < N_OF(settings); i++) {
		assert_fails_about(
		        gpucrypt_options_set(&options, settings[i][0], settings[i][1]), GPUCRYPT_USAGE, settings[i][2]);
	}
	assert_status(gpucrypt_options_set_cipher(&options, 4), GPUCRYPT_USAGE);
	assert_status(gpucrypt_options_set_mode(&options, 256 + GPUCRYPT_CTR), GPUCRYPT_USAGE);
	assert_status(gpucrypt_options_set_engine(&options, 4), GPUCRYPT_USAGE);
	assert_status(gpucrypt_options_set_sizes(&options, 14, 28), GPUCRYPT_USAGE);
	assert_memory_equal(&options, &before, sizeof options);
}

/* A value found by name has this name. */
TEST(each_value_has_one_name)
{
	static const struct value_names *const all[] = { &cipher_names, &mode_names, &engine_names, &table_names,
		&table_space_names, &key_space_names, &tag_place_names };

	for (size_t i = 0; i < N_OF(all); i++)
		for (unsigned value = 0; value < all[i]->n_values; value++) {
			const char *name = value_name(all[i], value);
			unsigned again;

			if (name[0] == '\0')
				continue;
			assert_ok(value_parse(&again, all[i], name));
			assert_int_equal(again, value);
		}
	assert_string_equal(value_name(&engine_names, 99), "");
}
