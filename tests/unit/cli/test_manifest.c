/* The text of a manifest, as gcrypt(5) describes it. */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#include "cli/manifest/manifest.h"

#define FIRST "{\"manifest\":1,\"time\":\"2026-11-25T12:00:00Z\",\"files\":"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define LINE(name, size, time)                                                  \
	"{" name ",\"container\":\"a.gcr\",\"size\":" size ",\"mtime\":\"" time \
	"\",\"ctime\":\"1.000000002\",\"digest\":\"" ZEROS "\"}\n"

static int parse(struct manifest *manifest, const char *text)
{
	int status;

	*manifest = (struct manifest){ 0 };
	status = manifest_parse(manifest, text, "m.gcm");
	if (status != GPUCRYPT_OK)
		assert_ptr_equal(strstr(gpucrypt_error(), "m.gcm: "), gpucrypt_error());
	return status;
}

TEST(records)
{
	struct manifest manifest, again;
	char *text, *same;

	assert_ok(parse(&manifest,
	        FIRST "3}\n" LINE("\"name\":\"b\",\"container_size\":20480", "7", "-3.000000001")
	                LINE("\"name\":\"?\",\"name_hex\":\"ff0a\"", "\"9007199254740993\"", "0.999999999")
	                        LINE("\"name\":\"a\\nb\"", "0", "5000000000.000000000")));
	assert_int_equal(manifest.n, 3);
	assert_string_equal(manifest.time, "2026-11-25T12:00:00Z");
	manifest_sort(&manifest);
	assert_string_equal(manifest.records[0].name, "a\nb");
	assert_string_equal(manifest.records[1].name, "b");
	assert_string_equal(manifest.records[2].name, "\xff\n");
	assert_true(manifest.records[0].mtime.tv_sec == 5000000000 && manifest.records[0].mtime.tv_nsec == 0);
	assert_true(manifest.records[1].mtime.tv_sec == -3 && manifest.records[1].mtime.tv_nsec == 1);
	assert_true(manifest.records[2].size_bytes == 9007199254740993 && manifest.records[2].ctime.tv_nsec == 2);
	assert_true(manifest.records[1].container_bytes == 20480 && manifest.records[0].container_bytes == 0);
	assert_ptr_equal(manifest_find(&manifest, "b"), &manifest.records[1]);
	assert_null(manifest_find(&manifest, "c"));

	text = manifest_format(&manifest);
	assert_ok(parse(&again, text));
	same = manifest_format(&again);
	assert_string_equal(text, same);
	free(text);
	free(same);
	manifest_free(&manifest);
	manifest_free(&again);
}

/* Of records with one name, the last one counts, however many there are. */
TEST(last_record)
{
	struct manifest manifest = { 0 };
	char name[] = "a", container[] = "a.gcr";

	manifest_sort(&manifest);
	assert_null(manifest_find(&manifest, "a"));
	for (unsigned i = 0; i < 1000; i++) {
		name[0] = (char)('a' + i % 3);
		manifest_add(
		        &manifest, &(struct manifest_record){ .name = name, .container = container, .size_bytes = i });
	}
	manifest_sort(&manifest);
	assert_int_equal(manifest.n, 3);
	assert_int_equal(manifest_find(&manifest, "a")->size_bytes, 999);
	assert_int_equal(manifest_find(&manifest, "b")->size_bytes, 997);
	assert_int_equal(manifest_find(&manifest, "c")->size_bytes, 998);
	assert_int_equal(manifest_find(&manifest, "c")->number, 2);
	manifest_free(&manifest);
}

TEST(refused)
{
	static const char *const corrupt[] = { "", "\n", "{}", "[]", FIRST "1}\n",
		FIRST "0}\n" LINE("\"name\":\"a\"", "1", "1.000000000"), FIRST "-1}\n", FIRST "1}\n\n",
		FIRST "1}\n" LINE("\"name\":\"\"", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":1", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\\u0000b\"", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name_hex\":\"6100\"", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name_hex\":\"6\"", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name_hex\":\"\"", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "-1", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "1.5", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "\"1x\"", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "\"18446744073709551616\"", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\",\"container_size\":-1", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\",\"container_size\":null", "1", "1.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "1", "1"), FIRST "1}\n" LINE("\"name\":\"a\"", "1", "1.00000000"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "1", "1.-00000001"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "1", "9223372036854775808.000000000"),
		FIRST "1}\n" LINE("\"name\":\"a\"", "1", "1.0000000000") };
	struct manifest manifest;

	for (size_t i = 0; i < N_OF(corrupt); i++) {
		if (parse(&manifest, corrupt[i]) != GPUCRYPT_CORRUPT)
			fail_msg("taken: %s", corrupt[i]);
		manifest_free(&manifest);
	}
	assert_status(parse(&manifest, "{\"manifest\":2,\"time\":\"\",\"files\":0}\n"), GPUCRYPT_UNKNOWN);
	assert_fails_about(
	        parse(&manifest, FIRST "0,\"part\":2,\"parts\":3,\"complete\":true,\"base\":\"" ZEROS "\"}\n"),
	        GPUCRYPT_UNKNOWN, "cannot read a part of a manifest, which an earlier release wrote");
	assert_ok(parse(&manifest, FIRST "0,\"base\":\"" ZEROS "\"}\n"));
	manifest_free(&manifest);
	assert_ok(parse(&manifest, FIRST "0}\n"));
	assert_int_equal(manifest.n, 0);
	manifest_free(&manifest);
}
