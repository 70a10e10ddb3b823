/* Records: text and back, damage, look-up. */
#include "tests/unit/cache_folder.h"

#include <openssl/crypto.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ppf/record/records.h"

void program_set_up(void)
{
	make_cache_folder();
}

void program_tear_down(void)
{
	remove_cache_folder();
}

/* The text with its first `from` replaced; freed by the caller. */
static char *changed(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *result;

	assert_non_null(at);
	assert_true(asprintf(&result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return result;
}

TEST(builtins_are_the_dissertations)
{
	struct device_record r;

	assert_ok(device_record_parse(&r, records_builtin("gtx580"), "gtx580"));
	assert_int_equal(r.compute_units, 16);
	assert_int_equal(r.max_batches, 32);
	assert_true(device_record_cycles(&r, RESOURCE_LOCAL_RANDOM, 32) == 6.5);
	assert_true(device_record_cycles(&r, RESOURCE_LOCAL_REGULAR, 32) == 3.1);
	assert_true(device_record_cycles(&r, RESOURCE_GLOBAL, 32) == 22.6);
	assert_true(device_record_cycles(&r, RESOURCE_ARITHMETIC, 32) == 1.0);
	assert_true(device_record_cycles(&r, RESOURCE_ARITHMETIC, 1) > 10);
	assert_true(curve_cycles(&r.table_load, 1024) == 30000);
	assert_true(curve_cycles(&r.table_load, 5120) == 40000);
	assert_int_equal((int)(r.launch_s * r.clock_hz + 0.5), 20000);
	assert_ok(device_record_parse(&r, records_builtin("gtx280"), "gtx280"));
	assert_int_equal(r.compute_units, 30);
	assert_true(device_record_cycles(&r, RESOURCE_GLOBAL, 16) == 162.4);
	assert_int_equal((int)(r.launch_s * r.clock_hz + 0.5), 7000);
	assert_ok(device_record_parse(&r, records_builtin("h200"), "h200"));
	assert_ok(device_record_parse(&r, records_builtin("cpu"), "cpu"));
	assert_true(r.is_cpu);
	assert_null(records_builtin("gtx1"));
}

TEST(curves_are_linear_between_points_and_flat_beyond)
{
	const struct curve curve = { 3, { 1, 2, 8 }, { 10, 6, 3 } };
	const struct curve none = { 0 };

	assert_true(curve_cycles(&curve, 0.5) == 10);
	assert_true(curve_cycles(&curve, 1.5) == 8);
	assert_true(curve_cycles(&curve, 2) == 6);
	assert_true(curve_cycles(&curve, 5) == 4.5);
	assert_true(curve_cycles(&curve, 64) == 3);
	assert_true(curve_cycles(&none, 1) == 0);
}

struct all_records {
	struct device_record device;
	struct host_record host;
	struct storage_record storage;
};

static int parse_all(struct all_records *all, const char *text, const char *name)
{
	return records_parse(&(struct records){ &all->device, &all->host, &all->storage }, text, name);
}

static char *text_of(struct all_records *all)
{
	char *text = records_text(&(struct records){ &all->device, &all->host, &all->storage });

	assert_non_null(text);
	return text;
}

TEST(text_and_back_is_the_same)
{
	static const char *const names[] = { "gtx580", "gtx280", "h100", "h200", "cpu" };

	for (size_t i = 0; i < N_OF(names); i++) {
		struct all_records a, b;
		char *text, *again;
		assert_ok(parse_all(&a, records_builtin(names[i]), "a"));
		text = text_of(&a);
		assert_ok(parse_all(&b, text, "b"));
		again = text_of(&b);
		assert_string_equal(text, again);
		assert_int_equal(a.host.cpu.n, b.host.cpu.n);
		assert_string_equal(a.device.name, b.device.name);
		free(text);
		free(again);
	}
}

/* Each by itself, and no record where another one is wanted. */
TEST(records_stand_alone)
{
	struct all_records a, b;
	char *text;

	assert_ok(parse_all(&a, records_builtin("h200"), "a"));
	text = records_text(&(struct records){ .host = &a.host });
	assert_ok(records_parse(&(struct records){ .host = &b.host }, text, "b"));
	assert_memory_equal(&a.host, &b.host, sizeof(a.host));
	assert_status(records_parse(&(struct records){ .device = &b.device }, text, "b"), GPUCRYPT_CORRUPT);
	free(text);
	text = records_text(&(struct records){ .storage = &a.storage });
	assert_ok(records_parse(&(struct records){ .storage = &b.storage }, text, "b"));
	assert_memory_equal(&a.storage, &b.storage, sizeof(a.storage));
	assert_status(records_parse(&(struct records){ .host = &b.host }, text, "b"), GPUCRYPT_CORRUPT);
	free(text);
	text = records_text(&(struct records){ .device = &a.device });
	assert_status(records_parse(&(struct records){ .storage = &b.storage }, text, "b"), GPUCRYPT_CORRUPT);
	free(text);
}

/* Texts that are not records, and the expected messages. */
TEST(damaged_text_is_refused_with_one_line)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{ "\"clock_hz\": 1544000000.0", "\"clock_hz\": -1", "clock_hz" },
		{ "\"clock_hz\": 1544000000.0", "\"clock_hz\": null", "clock_hz" },
		{ "\"clock_hz\": 1544000000.0", "\"clock_hz\": 0", "clock_hz" },
		{ "\"clock_hz\": 1544000000.0", "\"clock_hz\": NaN", "line" },
		{ "\"clock_hz\": 1544000000.0", "\"clock_hz\": 1e999", "line" },
		{ "\"clock_hz\": 1544000000.0", "\"clock_hz\": \"fast\"", "clock_hz" },
		{ "\"clock_hz\"", "\"clock\"", "clock_hz is missing" },
		{ "\"compute_units\": 16", "\"compute_units\": 1.5", "compute_units" },
		{ "\"compute_units\": 16", "\"compute_units\": 0", "compute_units" },
		{ "\"compute_units\": 16", "\"compute_units\": 99999999999", "compute_units" },
		{ "\"is_cpu\": false", "\"is_cpu\": 0", "is_cpu" },
		{ "\"name\": \"GeForce", "\"name\": [], \"x\": \"", "name" },
		{ "[1.0, 117.0], [2.0, 58.5]", "[2.0, 58.5], [1.0, 117.0]", "curves.local_random is not ascending" },
		{ "[1.0, 117.0], [2.0, 58.5]", "[1.0, 117.0], [1.0, 58.5]", "not ascending" },
		{ "[1.0, 117.0]", "[0, 117.0]", "not ascending" },
		{ "[1.0, 117.0]", "[1.0, -117.0]", "local_random" },
		{ "[1.0, 117.0]", "[1.0]", "local_random" },
		{ "\"mul\": 2.0", "\"mul\": -2.0", "operator_cycles.mul" },
		{ "\"mul\": 2.0", "\"mul\": true", "operator_cycles.mul" },
		{ "\"operator_cycles\": {", "\"operators\": {", "operator_cycles" },
		{ "\"cpu\": {}", "\"cpu\": { \"aes-128-ctr\": [1e9, -1] }", "cpu" },
		{ "\"cpu\": {}", "\"cpu\": { \"aes-128-ctr\\n\": [1e9, 1e9] }", "cpu" },
		{ "\"cpu\": {}", "\"cpu\": { \"aes-128-ctr-none-and-more-than-fits\": [1e9, 1e9] }", "cpu" },
		{ "gcrypt device record 2", "gcrypt device record 1", "format" },
		{ "\"banks\": 32", "\"banks\": 32, \"banks\": 32", "line" },
		{ "}\n}", "}\n", "line" },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		struct all_records all;
		char *text = changed(records_builtin("gtx580"), cases[i].from, cases[i].to);
		assert_fails_about(parse_all(&all, text, "x.json"), GPUCRYPT_CORRUPT, "x.json: ");
		assert_non_null(strstr(gpucrypt_error(), cases[i].says));
		assert_null(strchr(gpucrypt_error(), '\n'));
		free(text);
	}
}

static void write_records(const struct records *records, const char *path, int expected)
{
	char *text = records_text(records);

	assert_non_null(text);
	assert_status(file_write(path, text), expected);
	free(text);
}

TEST(files_are_read_and_written)
{
	struct device_record record, again;
	const struct records records = { .device = &record }, others = { .device = &again };
	char path[128];

	assert_ok(device_record_parse(&record, records_builtin("gtx280"), "a"));
	snprintf(path, sizeof(path), "%s/r.json", cache_folder);
	assert_status(records_parse(&others, NULL, path), GPUCRYPT_IO);
	write_records(&records, path, GPUCRYPT_OK);
	assert_ok(records_parse(&others, NULL, path));
	assert_string_equal(again.name, "GeForce GTX 280");
	write_records(&records, "/nonexistent/r.json", GPUCRYPT_IO);
}

/* A record as measured on a device of this name and driver. */
static void keep(const char *name, const char *driver)
{
	struct device_record record;

	assert_ok(device_record_parse(&record, records_builtin("gtx580"), "a"));
	snprintf(record.name, sizeof(record.name), "%s", name);
	snprintf(record.driver, sizeof(record.driver), "%s", driver);
	assert_ok(records_keep(&(struct records){ .device = &record }, NULL));
}

static char note[CACHE_NOTE];

static int find(
        struct device_record *record, const char *name, const char *vendor, const char *driver, bool cpu, bool *fresh)
{
	struct device device = { .cpu = cpu };
	json_t *cache;
	int status;

	note[0] = '\0';
	cache = cache_read(note);
	snprintf(device.name, sizeof(device.name), "%s", name);
	snprintf(device.vendor, sizeof(device.vendor), "%s", vendor);
	snprintf(device.driver, sizeof(device.driver), "%s", driver);
	status = device_record_find(record, &device, cache, fresh, note);
	json_decref(cache);
	return status;
}

/* An existing file that is not regular is written, never replaced. */
TEST(a_fifo_stays_one)
{
	struct device_record record;
	struct stat there;
	char path[128], byte;
	int fd;

	snprintf(path, sizeof(path), "%s/fifo", cache_folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_NONBLOCK);
	assert_ok(device_record_parse(&record, records_builtin("cpu"), "cpu"));
	write_records(&(struct records){ .device = &record }, path, GPUCRYPT_OK);
	assert_int_equal(stat(path, &there), 0);
	assert_true(S_ISFIFO(there.st_mode));
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, '{');
	close(fd);
}

TEST(the_cache_is_keyed_by_device_and_driver)
{
	struct device_record r;
	struct stat st;
	char path[128];
	bool fresh;

	keep("Card/../1 é", "1.0");
	snprintf(path, sizeof(path), "%s/gcrypt", cache_folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_ok(find(&r, "Card/../1 é", "Maker", "1.0", false, &fresh));
	assert_true(fresh);
	assert_string_equal(note, "");
	assert_int_equal(r.compute_units, 16);
	assert_ok(find(&r, "Card/../1 é", "Maker", "1.1", false, &fresh));
	assert_false(fresh);
}

TEST(damaged_and_stale_records_are_passed_over_with_a_note)
{
	struct device_record r;
	bool fresh;

	keep("Card2", "1.0");
	assert_ok(cache_set("device-Card2-1.0", json_object()));
	assert_ok(find(&r, "Card2", "", "1.0", false, &fresh));
	assert_false(fresh);
	assert_non_null(strstr(note, "not a device record"));
	assert_ok(cache_set("device-Card2-1.0", json_loads(records_builtin("gtx580"), 0, NULL)));
	assert_ok(find(&r, "Card2", "", "1.0", false, &fresh));
	assert_false(fresh);
	assert_non_null(strstr(note, "another device"));
	assert_string_equal(gpucrypt_error(), "");
}

/* A CPU's record of before there were figures of its vectors is measured again; it can be read all the same. */
TEST(a_cpus_record_without_vectors_is_stale)
{
	char *text = changed(records_builtin("cpu"), "\"slice_words\": 16", "\"slice_words\": null");
	struct device_record r;
	bool fresh;

	assert_ok(device_record_parse(&r, text, "a"));
	free(text);
	assert_int_equal(r.slice_words, 0);
	assert_ok(records_keep(&(struct records){ .device = &r }, NULL));
	assert_ok(find(&r, r.name, r.vendor, r.driver, true, &fresh));
	assert_false(fresh);
	assert_non_null(strstr(note, "has no figures of vectors"));
	r.slice_words = 0;
	r.trials[1] = 3.5e9;
	assert_ok(records_keep(&(struct records){ .device = &r }, NULL));
	assert_ok(find(&r, r.name, r.vendor, r.driver, true, &fresh));
	assert_true(fresh);
	assert_float_equal(r.trials[1], 3.5e9, 0);
	r.slice_words = 8;
	assert_ok(records_keep(&(struct records){ .device = &r }, NULL));
	assert_ok(find(&r, r.name, r.vendor, r.driver, true, &fresh));
	assert_true(fresh);
	assert_int_equal(r.slice_words, 8);
	assert_string_equal(note, "");
}

TEST(hosts_and_file_systems_have_records_of_their_own)
{
	struct host_record host, other_host;
	struct storage_record storage, other_storage;
	json_t *cache;

	*note = '\0';
	assert_false(host_record_cached(&other_host, NULL, note));
	assert_ok(records_parse(
	        &(struct records){ .host = &host, .storage = &storage }, records_builtin("h200"), "h200"));
	host_record_set_code(&host);
	assert_ok(records_keep(&(struct records){ .host = &host }, NULL));
	assert_ok(records_keep(&(struct records){ .storage = &storage }, cache_folder));
	cache = cache_read(note);
	assert_true(host_record_cached(&other_host, cache, note));
	assert_true(other_host.tag.one_thread == host.tag.one_thread);
	assert_true(storage_record_cached(&other_storage, cache, cache_folder, note));
	assert_true(other_storage.write == storage.write);
	assert_false(storage_record_cached(&other_storage, cache, "/proc", note));
	json_decref(cache);
	assert_string_equal(note, "");
}

/* Products of words were timed by another chain before, which is not what the kernel does now. */
TEST(another_chains_products_are_not_taken)
{
	const char *now = records_builtin("h200");
	char *before = changed(now, "\"multiply_add\"", "\"wide\"");
	struct device_record r;

	assert_ok(device_record_parse(&r, now, "now"));
	assert_true(r.operator_cycles[OPERATOR_WIDE] > 0);
	assert_ok(device_record_parse(&r, before, "before"));
	assert_true(r.operator_cycles[OPERATOR_WIDE] == 0);
	assert_true(r.fusion_cycles[FUSION_CHAIN] > 0);
	free(before);
}

TEST(look_up_falls_back)
{
	struct device_record r;
	bool fresh;

	assert_ok(find(&r, "GeForce GTX 280", "NVIDIA", "9", false, &fresh));
	assert_string_equal(r.name, "GeForce GTX 280");
	assert_ok(find(&r, "NVIDIA H100 80GB HBM3", "NVIDIA Corporation", "9", false, &fresh));
	assert_true(strcmp(r.name, "NVIDIA H100 80GB HBM3") == 0 && r.global_bytes_per_s < 3e12);
	assert_ok(find(&r, "NVIDIA X1", "NVIDIA Corporation", "9", false, &fresh));
	assert_string_equal(r.name, "NVIDIA H200");
	assert_ok(find(&r, "Zeta", "Omega", "9", false, &fresh));
	assert_string_equal(r.name, "NVIDIA H200");
	assert_ok(find(&r, "Zeta", "Omega", "9", true, &fresh));
	assert_true(r.is_cpu);
	assert_false(fresh);
}
