/* The cache: its file is complete, no value is lost, and no temporary file is left. */
#include "tests/unit/cache_folder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ppf/record/cache.h"

EACH_TEST_HAS_A_CACHE_FOLDER

/* The path of a file beside that of the cache; "" is the cache itself. */
static const char *beside(const char *end)
{
	static char path[4096 + 32];

	assert_ok(cache_path(path, 4096));
	strcat(path, end);
	return path;
}

static void put(const char *end)
{
	int fd = open(beside(end), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static bool is_there(const char *end)
{
	return access(beside(end), F_OK) == 0;
}

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
	assert_false(is_there(".new"));
}

/* The temporary file of a writer that was killed is used again; no other file is touched. */
TEST(leftovers_go)
{
	assert_ok(cache_set("one", json_integer(1)));
	put(".new");
	put(".backup");
	assert_ok(cache_set("two", json_integer(2)));
	assert_false(is_there(".new"));
	assert_true(is_there(".backup"));
	assert_value("one", 1);
}

/* A damaged file is noted, and replaced. */
TEST(damage_costs_the_old_values_only)
{
	static const char *const texts[] = { "", "{", "[]", "{}", "{\"format\": \"gcrypt\", \"one\": 1}" };

	for (size_t i = 0; i < N_OF(texts); i++) {
		char note[CACHE_NOTE] = "";

		assert_ok(cache_set("one", json_integer(1)));
		assert_ok(file_write(beside(""), texts[i]));
		assert_null(cache_read(note));
		assert_non_null(strstr(note, "damaged"));
		assert_ok(cache_set("two", json_integer(2)));
		assert_value("two", 2);
		assert_null(value_of("one"));
	}
}

static void assert_refused(void)
{
	char note[CACHE_NOTE] = "";

	assert_null(cache_read(note));
	assert_non_null(strstr(note, "cache not used"));
	assert_true(cache_refused());
	assert_status(cache_set("one", json_integer(7)), GPUCRYPT_EXISTS);
	assert_true(is_there(".new"));
}

/* Neither believed, written nor cleaned: a folder that other users can change. */
TEST(folders_of_others_are_refused)
{
	char path[4096], elsewhere[4096];

	assert_false(cache_refused());
	assert_null(value_of("one"));
	assert_ok(cache_set("one", json_integer(1)));
	put(".new");
	snprintf(path, sizeof(path), "%s/gcrypt", cache_folder);
	assert_int_equal(chmod(path, 0770), 0);
	assert_refused();
	assert_int_equal(chmod(path, 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_refused();
		assert_int_equal(chown(path, 0, 0), 0);
	}
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", cache_folder);
	assert_int_equal(rename(path, elsewhere), 0);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_refused();
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rename(elsewhere, path), 0);
	assert_false(cache_refused());
	assert_value("one", 1);
	assert_ok(cache_set("two", json_integer(2)));
	assert_false(is_there(".new"));
}
