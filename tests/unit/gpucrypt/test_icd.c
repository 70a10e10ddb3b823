/* Installed OpenCL drivers: the environment that they get, and reports of broken ones. */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/device/device.h"

#define CONNECTIONS "CUDA_DEVICE_MAX_CONNECTIONS"

TEST(one_connection_if_nobody_says_otherwise)
{
	unsetenv(CONNECTIONS);
	icd_environment();
	assert_string_equal(getenv(CONNECTIONS), "1");
	setenv(CONNECTIONS, "8", 1);
	icd_environment();
	assert_string_equal(getenv(CONNECTIONS), "8");
}

static void register_driver(const char *folder, const char *name, const char *library)
{
	char path[80];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(library, file);
	fclose(file);
}

static void expect_drivers(const char *const *libraries, unsigned n)
{
	static struct drivers drivers;

	drivers_list(&drivers);
	assert_int_equal(drivers.n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(drivers.of[i].library, libraries[i]);
		assert_string_equal(drivers.of[i].fault, "");
	}
}

/* Loaders accept a folder, an ICD file, a library, or a list of libraries. */
TEST(registered_drivers_are_listed)
{
	char folder[] = "/tmp/test-icd-XXXXXX", command[64], file[64];

	assert_non_null(mkdtemp(folder));
	register_driver(folder, "b.icd", "libb.so.1\r\n");
	register_driver(folder, "a.icd", "/opt/a.so");
	register_driver(folder, "a.txt", "no-driver.so\n");
	setenv("OCL_ICD_VENDORS", folder, 1);
	expect_drivers((const char *const[]){ "/opt/a.so", "libb.so.1" }, 2);
	snprintf(file, sizeof file, "%s/b.icd", folder);
	setenv("OCL_ICD_VENDORS", file, 1);
	expect_drivers((const char *const[]){ "libb.so.1" }, 1);
	setenv("OPENCL_VENDOR_PATH", folder, 1);
	setenv("OCL_ICD_VENDORS", "a.icd", 1);
	expect_drivers((const char *const[]){ "/opt/a.so" }, 1);
	setenv("OCL_ICD_VENDORS", "libc.so", 1);
	expect_drivers((const char *const[]){ "libc.so" }, 1);
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	expect_drivers(NULL, 0);
	setenv("OCL_ICD_FILENAMES", "libd.so::/opt/e.so", 1);
	expect_drivers((const char *const[]){ "libd.so", "/opt/e.so" }, 2);
	unsetenv("OCL_ICD_FILENAMES");
	unsetenv("OPENCL_VENDOR_PATH");
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

TEST(the_first_fault_is_reported)
{
	static struct drivers drivers = { .n = 3,
		.of = { { "a.icd", "libc.so.6", "" }, { "b.icd", "libc.so.6", "" }, { "c.icd", "libc.so.6", "" } } };
	char text[300] = "";

	assert_false(loader_explain(text, sizeof text));
	assert_false(drivers_unloadable(&drivers, text, sizeof text));
	assert_string_equal(text, "");
	strcpy(drivers.of[2].library, "no-driver.so");
	assert_true(drivers_unloadable(&drivers, text, sizeof text));
	assert_non_null(strstr(text, "c.icd: ")); /* and what the C library says, in its own words */
	assert_non_null(strstr(text, "no-driver.so"));
	strcpy(drivers.of[1].library, "");
	assert_true(drivers_unloadable(&drivers, text, sizeof text));
	assert_string_equal(text, "b.icd: names no library");
	strcpy(drivers.of[1].fault, "it crashes");
	loader_set_drivers(&drivers);
	assert_ptr_equal(loader_left_out(NULL), &loader_drivers()->of[1]);
	assert_null(loader_left_out(loader_left_out(NULL)));
	assert_true(loader_explain(text, sizeof text));
	assert_string_equal(text, "driver b.icd is left out: it crashes");
}
