/* gcrypt bench: JSON of earlier runs, whole and damaged. */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/measured_bench.h"

static char *json_file(json_t *json)
{
	char *path = strdup("/tmp/test-bench-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(json_dumpfd(json, fd, 0), 0);
	close(fd);
	return path;
}

/* JSON that was read again prints, draws and becomes the same JSON. */
TEST(test_read)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine), again;
	json_t *json = bench_json(&bench), *json_again;
	char *path = json_file(json);
	void (*const prints[])(FILE *, const struct bench *) = { bench_print, bench_plot_script };

	assert_int_equal(bench_read(&again, path), GPUCRYPT_OK);
	json_again = bench_json(&again);
	assert_true(json_equal(json, json_again));
	for (int i = 0; i < 2; i++) {
		char *a = printed(&bench, prints[i]), *b = printed(&again, prints[i]);

		assert_string_equal(a, b);
		free(a);
		free(b);
	}
	unlink(path);
	free(path);
	json_decref(json);
	json_decref(json_again);
	bench_free(&again);
	bench_free(&bench);
	free(machine);
}

/* Members that may be missing, because earlier releases did not write them. */
static bool is_new(const char *name)
{
	return !strcmp(name, "together") || !strcmp(name, "busiest") || !strncmp(name, "vectors_", 8) ||
	       !strcmp(name, "core_clock_hz");
}

/* Without a member of an array's first row. */
static void read_without(const json_t *whole, const char *array, const char *name, int status)
{
	json_t *json = json_deep_copy(whole);
	struct bench bench;
	char *path;

	json_object_del(json_array_get(json_object_get(json, array), 0), name);
	path = json_file(json);
	fail_clear();
	assert_int_equal(bench_read(&bench, path), status);
	bench_free(&bench);
	json_decref(json);
	unlink(path);
	free(path);
}

/* A member that is missing, and one of another type, at every place of a row. */
TEST(test_read_damaged)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine), again;
	json_t *json;
	const char *const arrays[] = { "kernels", "cpu", "memory", "devices", "files" };
	char *nowhere;

	bench.kernels[1].plan.device = 2;
	nowhere = json_file(json = bench_json(&bench));
	assert_int_equal(bench_read(&again, nowhere), GPUCRYPT_CORRUPT);
	assert_non_null(strstr(gpucrypt_error(), "no device 1"));
	unlink(nowhere);
	free(nowhere);
	json_decref(json);
	bench_free(&again);
	bench.kernels[1].plan.device = 1;
	json = bench_json(&bench);
	for (int a = 0; a < 5; a++) /* one of each is quickly written */
		while (json_array_size(json_object_get(json, arrays[a])) > 1)
			json_array_remove(json_object_get(json, arrays[a]), 1);
	for (int a = 0; a < 5; a++) {
		json_t *row = json_array_get(json_object_get(json, arrays[a]), 0), *value;
		const char *name;
		void *next;

		json_object_foreach_safe(row, next, name, value)
		{
			bool derived = !strcmp(name, "of_bound") || !strcmp(name, "times_policy") ||
			               !strcmp(name, "bytes_per_s") || !strcmp(name, "number");
			char *copy = strdup(name), *path;

			json_incref(value);
			json_object_set_new(row, copy, json_object());
			path = json_file(json);
			fail_clear();
			assert_int_equal(bench_read(&again, path), derived ? GPUCRYPT_OK : GPUCRYPT_CORRUPT);
			bench_free(&again);
			json_object_set_new(row, copy, value);
			read_without(json, arrays[a], copy, derived || is_new(copy) ? GPUCRYPT_OK : GPUCRYPT_CORRUPT);
			unlink(path);
			free(path);
			free(copy);
		}
	}
	json_object_del(json, "files");
	json_object_del(json, "folder");
	nowhere = json_file(json);
	assert_int_equal(bench_read(&again, nowhere), GPUCRYPT_OK);
	unlink(nowhere);
	free(nowhere);
	bench_free(&again);
	fail_clear();
	json_decref(json);
	bench_free(&bench);
	free(machine);
}
