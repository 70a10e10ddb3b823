/* Which record stands for a device: the cache, then what is built in. */
#include <ctype.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ppf/record/builtin.h"
#include "ppf/record/cache.h"
#include "gpucrypt/status.h"
#include "ppf/record/record.h"
#include "ppf/model/slices.h"
#include "ppf/model/trials.h"

/* What stands for a device that nothing is known about. */
#define DEFAULT_CPU "cpu"
#define DEFAULT_GPU "h200"

const char *record_builtin(const char *short_name)
{
	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++)
		if (strcmp(b->name, short_name) == 0)
			return b->text;
	return NULL;
}

/* "NVIDIA H200", "580.159.03" → NVIDIA_H200-580.159.03.json */
static void file_name(char *text, size_t n, const char *name, const char *driver)
{
	snprintf(text, n, "%s-%s.json", name, driver);
	for (char *c = text; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
			*c = '_';
}

/* Whether the cache has a good record; if there is a bad one, the record's note says so. */
bool record_cached(struct record *record, const char *name, const char *driver)
{
	const char *libcrypto = OpenSSL_version(OPENSSL_VERSION_STRING);
	char path[4096], has[192], wanted[192], *text;
	bool good;

	file_name(wanted, sizeof(wanted), name, driver);
	memset(record, 0, sizeof(*record));
	text = cache_text(wanted);
	good = text != NULL && cache_path(path, sizeof(path), wanted) == GPUCRYPT_OK &&
	       record_parse(record, text, path) == GPUCRYPT_OK;
	free(text);
	if (!good) {
		snprintf(record->note, sizeof(record->note), "%s", gpucrypt_error());
		fail_clear();
		return false;
	}
	file_name(has, sizeof(has), record->name, record->driver);
	if (strcmp(has, wanted) != 0)
		snprintf(record->note, sizeof(record->note), "%.60s: of another device or driver: %.60s", wanted, has);
	else if (strcmp(record->libcrypto, libcrypto) != 0)
		snprintf(record->note, sizeof(record->note), "%.60s: measured with libcrypto %s, not with %.20s",
		        wanted, *record->libcrypto != '\0' ? record->libcrypto : "of an earlier release", libcrypto);
	return *record->note == '\0';
}

bool record_cached_device(struct record *record, const char *name, const char *driver)
{
	if (!record_cached(record, name, driver))
		return false;
	if (!record->is_cpu || slices_are_measured(record) || trials_are_measured(record))
		return true;
	snprintf(record->note, sizeof(record->note), "%.60s: its record has no figures of vectors", name);
	return false;
}

/* How well a built-in record stands for a device; 0: not at all.  "NVIDIA" and "NVIDIA Corporation"
 * are the same. */
static int fitness(const struct builtin_record *builtin, const struct record *record, const char *name,
        const char *vendor, bool is_cpu)
{
	bool is_default = strcmp(builtin->name, is_cpu ? DEFAULT_CPU : DEFAULT_GPU) == 0;

	if (record->is_cpu != is_cpu)
		return 0;
	if (strcasecmp(record->name, name) == 0)
		return 6;
	if (strncasecmp(record->vendor, vendor, strcspn(record->vendor, " ")) == 0)
		return 4 + is_default;
	return 1 + is_default;
}

static bool find_builtin(struct record *record, const char *name, const char *vendor, bool is_cpu)
{
	struct record read;
	int best = 0;

	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++) {
		int fits = record_parse(&read, b->text, b->name) == GPUCRYPT_OK
		                   ? fitness(b, &read, name, vendor, is_cpu)
		                   : 0;
		if (fits > best) {
			best = fits;
			*record = read;
		}
	}
	return best > 0;
}

int record_find(
        struct record *record, const char *name, const char *vendor, const char *driver, bool is_cpu, bool *fresh)
{
	char note[sizeof(record->note)];

	*fresh = record_cached_device(record, name, driver);
	if (*fresh)
		return GPUCRYPT_OK;
	memcpy(note, record->note, sizeof(note));
	if (!find_builtin(record, name, vendor, is_cpu))
		return fail(GPUCRYPT_OTHER, "%s: no device record fits", name);
	memcpy(record->note, note, sizeof(note));
	return GPUCRYPT_OK;
}

int record_keep(const struct record *record)
{
	char file[192], *text = record_text(record);
	int status;

	file_name(file, sizeof(file), record->name, record->driver);
	status = text == NULL ? GPUCRYPT_OTHER : cache_keep(file, text);
	free(text);
	return status;
}
