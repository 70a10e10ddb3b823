#include "gpucrypt/device/loader.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	pthread_mutex_t mutex; /* protects opened */
	struct drivers drivers;
	bool known;  /* loader_set_drivers() was called */
	bool opened; /* by loader_open_folder() */
} loader = { .mutex = PTHREAD_MUTEX_INITIALIZER };

void loader_set_drivers(const struct drivers *drivers)
{
	loader.drivers = *drivers;
	loader.known = true;
}

const struct drivers *loader_drivers(void)
{
	return loader.known ? &loader.drivers : NULL;
}

const struct driver *loader_left_out(const struct driver *before)
{
	const struct driver *driver = before != NULL ? before + 1 : loader.drivers.of,
	                    *end = loader.drivers.of + loader.drivers.n;

	while (driver < end && driver->fault[0] == '\0')
		driver++;
	return driver < end ? driver : NULL;
}

bool loader_explain(char *text, size_t n)
{
	const struct driver *driver = loader_left_out(NULL);

	if (driver != NULL)
		snprintf(text, n, "driver %s is left out: %s", driver->icd, driver->fault);
	return driver != NULL;
}

/* A folder of ICD files. */

static void icd_name(char name[VENDORS_NAME + 16], const char *folder, unsigned i)
{
	snprintf(name, VENDORS_NAME + 16, "%s%02u.icd", folder, i);
}

static bool write_icd(const char *folder, unsigned i, const char *library)
{
	char name[VENDORS_NAME + 16];
	FILE *file;
	bool good;

	icd_name(name, folder, i);
	file = fopen(name, "wex");
	good = file != NULL && fprintf(file, "%s\n", library) > 0;
	return file != NULL && fclose(file) == 0 && good;
}

bool vendors_make(char folder[VENDORS_NAME], const struct drivers *drivers)
{
	const char *temporary = getenv("TMPDIR");
	char name[VENDORS_NAME - 1];
	bool good = true;

	folder[0] = '\0';
	snprintf(name, sizeof(name), "%s/gcrypt-drivers-XXXXXX",
	        temporary != NULL && temporary[0] != '\0' ? temporary : P_tmpdir);
	if (mkdtemp(name) == NULL)
		return false;
	/* Releases of Khronos' loader until 2020 need the slash. */
	snprintf(folder, VENDORS_NAME, "%s/", name);
	for (unsigned i = 0; i < drivers->n && good; i++)
		good = drivers->of[i].fault[0] != '\0' || write_icd(folder, i, drivers->of[i].library);
	if (!good)
		vendors_remove(folder);
	return good;
}

void vendors_remove(char folder[VENDORS_NAME])
{
	char name[VENDORS_NAME + 16];

	for (unsigned i = 0; i < MAX_DRIVERS && folder[0] != '\0'; i++) {
		icd_name(name, folder, i);
		unlink(name);
	}
	rmdir(folder);
	folder[0] = '\0';
}

/* Opening. */

void loader_open_folder(const char *folder)
{
	static const char *const names[] = { "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES" };
	char *before[2];
	cl_uint n;

	for (int i = 0; i < 2; i++) {
		const char *value = getenv(names[i]);
		before[i] = value != NULL ? strdup(value) : NULL;
		unsetenv(names[i]);
	}
	setenv(names[0], folder, 1);
	clGetPlatformIDs(0, NULL, &n);
	unsetenv(names[0]);
	for (int i = 0; i < 2; i++) {
		if (before[i] != NULL)
			setenv(names[i], before[i], 1);
		free(before[i]);
	}
	loader.opened = true;
}

static bool has_good_driver(void)
{
	unsigned i = 0;

	while (i < loader.drivers.n && loader.drivers.of[i].fault[0] != '\0')
		i++;
	return i < loader.drivers.n;
}

bool loader_open(void)
{
	char folder[VENDORS_NAME];
	bool good;

	pthread_mutex_lock(&loader.mutex);
	good = loader.opened || loader_left_out(NULL) == NULL;
	if (!good && has_good_driver() && vendors_make(folder, &loader.drivers)) {
		loader_open_folder(folder);
		vendors_remove(folder);
		good = true;
	}
	pthread_mutex_unlock(&loader.mutex);
	return good;
}
