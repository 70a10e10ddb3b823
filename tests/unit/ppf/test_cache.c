/* The cache folder: files in it are complete, and no temporary file is left. */
#include "tests/unit/cache_folder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/record/cache.h"

void test_set_up(void)
{
	make_cache_folder();
}

void test_tear_down(void)
{
	remove_cache_folder();
}

/* A file in the cache folder, written in 1970 if it is old. */
static void put(const char *name, bool old)
{
	const struct timespec early[2] = { { 1000, 0 }, { 1000, 0 } };
	char path[4096];
	int fd;

	assert_int_equal(cache_path(path, sizeof(path), name), GPUCRYPT_OK);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	close(fd);
	if (old)
		assert_int_equal(utimensat(AT_FDCWD, path, early, 0), 0);
}

static bool is_there(const char *name)
{
	char path[4096];

	assert_int_equal(cache_path(path, sizeof(path), name), GPUCRYPT_OK);
	return access(path, F_OK) == 0;
}

TEST(the_last_text_is_kept)
{
	char path[4096], *text;

	assert_int_equal(cache_keep("programs", "one"), GPUCRYPT_OK);
	assert_int_equal(cache_keep("programs", "two"), GPUCRYPT_OK);
	assert_int_equal(cache_path(path, sizeof(path), "programs"), GPUCRYPT_OK);
	text = file_text(path);
	assert_string_equal(text, "two");
	free(text);
}

/* Of writers that were killed, not of those that write now; and nothing else. */
TEST(leftovers_go)
{
	assert_int_equal(cache_keep("programs", "one"), GPUCRYPT_OK);
	put("inventory.json.a1b2c3", true);
	put("A_device-1.2.json.0f0f0f", true);
	put("programs.000000", false);
	put("inventory.json", true);
	put("notes.backup", true);
	put("A_device-580.159.json.backup", true);
	put("a.config", true);
	put("A_device-580.159.json", true);
	assert_int_equal(cache_keep("programs", "two"), GPUCRYPT_OK);
	assert_false(is_there("inventory.json.a1b2c3"));
	assert_false(is_there("A_device-1.2.json.0f0f0f"));
	assert_true(is_there("programs.000000"));
	assert_true(is_there("inventory.json"));
	assert_true(is_there("notes.backup"));
	assert_true(is_there("A_device-580.159.json.backup"));
	assert_true(is_there("a.config"));
	assert_true(is_there("A_device-580.159.json"));
}

static void assert_refused(void)
{
	assert_null(cache_text("programs"));
	assert_non_null(strstr(gpucrypt_error(), "cache not used"));
	fail_clear();
	assert_true(cache_refused());
	assert_int_equal(cache_keep("programs", "theirs"), GPUCRYPT_EXISTS);
	fail_clear();
	assert_true(is_there("programs.000000"));
}

/* Neither believed, written nor cleaned: a folder that other users can change. */
TEST(folders_of_others_are_refused)
{
	char path[4096], elsewhere[4096];

	assert_false(cache_refused());
	assert_null(cache_text("programs"));
	assert_string_equal(gpucrypt_error(), "");
	assert_int_equal(cache_keep("programs", "mine"), GPUCRYPT_OK);
	put("programs.000000", true);
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
	assert_int_equal(cache_keep("programs", "mine again"), GPUCRYPT_OK);
	assert_false(is_there("programs.000000"));
}
