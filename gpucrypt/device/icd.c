#include "gpucrypt/device/icd.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Khronos cl_khr_icd: each *.icd in the folder holds the name of a driver's library. */
#define VENDORS "/etc/OpenCL/vendors"

/* NVIDIA's driver creates a context with one connection to a device in half the time of its default of eight
 * connections, and work in several queues overlaps as before (docs/performance.md). */
void icd_environment(void)
{
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
}

static int is_icd(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return end != NULL && strcmp(end, ".icd") == 0;
}

/* The ICD loader has opened it already, if it could. */
static void try_library(const char *path, char *text, size_t n)
{
	FILE *file = fopen(path, "re");
	char library[256] = "";
	void *handle;

	if (file != NULL && fgets(library, sizeof(library), file) != NULL)
		library[strcspn(library, "\r\n")] = '\0';
	if (file != NULL)
		fclose(file);
	handle = library[0] == '\0' ? NULL : dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	if (library[0] == '\0')
		snprintf(text, n, "%s: names no library", path);
	else if (handle == NULL)
		snprintf(text, n, "%s: %s", path, dlerror());
	else
		dlclose(handle);
}

unsigned icd_fault(char *text, size_t n)
{
	const char *folder = getenv("OCL_ICD_VENDORS");
	struct dirent **entries;
	char path[PATH_MAX];
	int n_entries;

	text[0] = '\0';
	if (folder == NULL || folder[0] == '\0')
		folder = VENDORS;
	n_entries = scandir(folder, &entries, is_icd, alphasort);
	for (int i = 0; i < n_entries; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (text[0] == '\0')
			try_library(path, text, n);
		free(entries[i]);
	}
	if (n_entries >= 0)
		free(entries);
	return n_entries > 0 ? (unsigned)n_entries : 0;
}
