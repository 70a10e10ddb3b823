#include "ppf/model/writeback.h"

#include <stdio.h>

#define VM "/proc/sys/vm/dirty_background_"

/* Read a number in this format from the first line of a file; 0: there is no such number. */
static uint64_t number(const char *path, const char *format)
{
	FILE *file = fopen(path, "re");
	unsigned long long n = 0;
	char line[128];
	int found = 0;

	while (file != NULL && found != 1 && fgets(line, sizeof(line), file) != NULL)
		found = sscanf(line, format, &n);
	if (file != NULL)
		fclose(file);
	return found == 1 ? n : 0;
}

/* Linux, Documentation/admin-guide/sysctl/vm.rst: the limit is a number of bytes, or a percentage of the available
 * memory. */
uint64_t writeback_bytes(void)
{
	uint64_t bytes = number(VM "bytes", "%llu"), per_cent = number(VM "ratio", "%llu"),
	         available_kib = number("/proc/meminfo", "MemAvailable: %llu");

	if (bytes == 0)
		bytes = (available_kib << 10) / 100 * per_cent;
	return bytes == 0 ? UINT64_MAX : bytes;
}
