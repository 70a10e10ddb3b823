/* Installed OpenCL drivers: the environment that they get, and reports of broken ones. */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/device/icd.h"

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

TEST(the_first_fault_is_told)
{
	char folder[] = "/tmp/test-icd-XXXXXX", command[64], text[300];

	assert_non_null(mkdtemp(folder));
	setenv("OCL_ICD_VENDORS", folder, 1);
	assert_int_equal(icd_fault(text, sizeof text), 0);
	assert_string_equal(text, "");
	register_driver(folder, "a.icd", "libc.so.6\n");
	register_driver(folder, "a.txt", "no-driver.so\n");
	assert_int_equal(icd_fault(text, sizeof text), 1);
	assert_string_equal(text, "");
	register_driver(folder, "b.icd", "\n");
	register_driver(folder, "c.icd", "no-driver.so\n");
	assert_int_equal(icd_fault(text, sizeof text), 3);
	assert_non_null(strstr(text, "b.icd: names no library"));
	register_driver(folder, "b.icd", "libc.so.6\n");
	assert_int_equal(icd_fault(text, sizeof text), 3);
	assert_non_null(strstr(text, "c.icd: ")); /* and what the C library says, in its own words */
	assert_non_null(strstr(text, "no-driver.so"));
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}
