/* The cache: its file is complete, no value is lost, and no temporary file is left. */
#include "tests/unit/cache_folder.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ppf/record/cache.h"

EACH_TEST_HAS_A_CACHE_FOLDER

static char path[4096 + 4];

static json_t *value_of(const char *key)
{
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note), *value = json_incref(json_object_get(cache, key));

	json_decref(cache);
	assert_string_equal(note, "");
	return value;
}

static void assert_value(const char *key, int expected)
{
	json_t *value = value_of(key);

	assert_status(json_integer_value(value), expected);
	json_decref(value);
}

TEST(the_last_value_of_each_member_is_kept)
{
	assert_ok(cache_set("one", json_integer(1)));
	assert_ok(cache_set("two", json_integer(5)));
	assert_ok(cache_set("two", json_integer(2)));
	assert_value("one", 1);
	assert_value("two", 2);
	assert_null(value_of("three"));
}

/* Processes that write at the same time lose nothing of each other. */
TEST(writers_take_turns)
{
	enum { WRITERS = 4, MEMBERS = 25 };
	char key[32];

	for (int i = 0; i < WRITERS; i++)
		if (fork() == 0) {
			int failures = 0;

			for (int n = 0; n < MEMBERS; n++) {
				snprintf(key, sizeof key, "%d-%d", i, n);
				failures += cache_set(key, json_integer(n)) != GPUCRYPT_OK;
			}
			_exit(failures != 0);
		}
	for (int i = 0, status; i < WRITERS; i++)
		assert_true(wait(&status) > 0 && status == 0);
	for (int i = 0; i < WRITERS * MEMBERS; i++) {
		snprintf(key, sizeof key, "%d-%d", i / MEMBERS, i % MEMBERS);
		assert_value(key, i % MEMBERS);
	}
	assert_ok(cache_path(path, 4096));
	strcat(path, ".new");
	assert_int_equal(access(path, F_OK), -1);
}

/* A damaged file is noted, and replaced. */
TEST(damage_costs_the_old_values_only)
{
	static const char *const texts[] = { "", "{", "[]", "{}", "{\"format\": \"gcrypt\", \"one\": 1}" };

	for (size_t i = 0; i < N_OF(texts); i++) {
		char note[CACHE_NOTE] = "";

		assert_ok(cache_set("one", json_integer(1)));
		assert_ok(cache_path(path, 4096));
		assert_ok(file_write(path, texts[i]));
		assert_null(cache_read(note));
		assert_non_null(strstr(note, "damaged"));
		assert_ok(cache_set("two", json_integer(2)));
		assert_value("two", 2);
		assert_null(value_of("one"));
	}
}
