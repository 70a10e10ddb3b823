#include "gpucrypt/device/device.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Khronos cl_khr_icd: each *.icd in the folder holds the name of a driver's library. */
#define VENDORS "/etc/OpenCL/vendors"

/* NVIDIA's driver creates a context with one connection to a device in half the time of its default of eight
 * connections, and work in several queues overlaps as before (docs/performance.md). */
void icd_environment(void)
{
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
}

/* The list. */

static bool names_icd(const char *name)
{
	const char *end = strrchr(name, '.');

	return end != NULL && strcmp(end, ".icd") == 0;
}

static int is_icd(const struct dirent *entry)
{
	return names_icd(entry->d_name);
}

/* path names an ICD file, which holds the library's name, or the library itself.  A path that is too long is not
 * listed. */
static void add_driver(struct drivers *drivers, const char *path)
{
	struct driver *driver = &drivers->of[drivers->n];
	FILE *file = NULL;

	if (drivers->n == MAX_DRIVERS || strlen(path) >= sizeof(driver->icd))
		return;
	*driver = (struct driver){ .fault = "" };
	snprintf(driver->icd, sizeof(driver->icd), "%s", path);
	if (names_icd(path))
		file = fopen(path, "re");
	else
		snprintf(driver->library, sizeof(driver->library), "%s", path);
	if (file != NULL && fgets(driver->library, sizeof(driver->library), file) != NULL)
		driver->library[strcspn(driver->library, "\r\n")] = '\0';
	if (file != NULL)
		fclose(file);
	drivers->n++;
}

static void add_folder(struct drivers *drivers, const char *folder)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int n = scandir(folder, &entries, is_icd, alphasort);
	const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s%s%s", folder, slash, entries[i]->d_name);
		add_driver(drivers, path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static const char *variable(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : otherwise;
}

/* With ocl-icd, OCL_ICD_VENDORS can also name an ICD file, by its path or by its name in the default folder, or a
 * library. */
static void add_named(struct drivers *drivers, const char *name, const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	add_driver(drivers, names_icd(name) && strchr(name, '/') == NULL ? path : name);
}

/* Libraries that Khronos' loader loads without ICD files. */
static void add_libraries(struct drivers *drivers, const char *list)
{
	char path[sizeof(drivers->of->library)];

	for (size_t n; *list != '\0'; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		snprintf(path, sizeof(path), "%.*s", (int)n, list);
		if (n > 0)
			add_driver(drivers, path);
	}
}

void drivers_list(struct drivers *drivers)
{
	const char *folder = variable("OPENCL_VENDOR_PATH", VENDORS), *vendors = variable("OCL_ICD_VENDORS", folder);
	struct stat there;
	bool exists = stat(vendors, &there) == 0;

	drivers->n = 0;
	if (exists && S_ISDIR(there.st_mode))
		add_folder(drivers, vendors);
	else if (exists || strchr(vendors, '/') == NULL)
		add_named(drivers, vendors, folder);
	add_libraries(drivers, variable("OCL_ICD_FILENAMES", ""));
}

/* Faults. */

/* The ICD loader has opened the library already, if it could. */
static bool is_loadable(const struct driver *driver, char *text, size_t n)
{
	void *handle = driver->library[0] == '\0' ? NULL : dlopen(driver->library, RTLD_LAZY | RTLD_LOCAL);

	if (handle != NULL)
		dlclose(handle);
	else if (driver->library[0] == '\0')
		snprintf(text, n, "%s: names no library", driver->icd);
	else
		snprintf(text, n, "%s: %s", driver->icd, dlerror());
	return handle != NULL;
}

bool drivers_unloadable(const struct drivers *drivers, char *text, size_t n)
{
	unsigned i = 0;

	while (i < drivers->n && is_loadable(&drivers->of[i], text, n))
		i++;
	return i < drivers->n;
}

/* The loader. */

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

bool loader_open(void)
{
	char folder[VENDORS_NAME];
	unsigned n_good = 0;
	bool good;

	pthread_mutex_lock(&loader.mutex);
	for (unsigned i = 0; i < loader.drivers.n; i++)
		n_good += loader.drivers.of[i].fault[0] == '\0';
	good = loader.opened || n_good == loader.drivers.n;
	if (!good && n_good > 0 && vendors_make(folder, &loader.drivers)) {
		loader_open_folder(folder);
		vendors_remove(folder);
		good = true;
	}
	pthread_mutex_unlock(&loader.mutex);
	return good;
}
