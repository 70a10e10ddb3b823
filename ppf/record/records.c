/* Records as text, with one member per line. */
#include "ppf/record/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/record/builtin.h"

enum { PART_DEVICE, PART_HOST, PART_STORAGE, N_PARTS };

/* A text with a device record may also hold the host and storage records. */
static const char *const formats[N_PARTS] = { "gcrypt device record 2", "gcrypt host record 1",
	"gcrypt storage record 1" };

static const struct member_table *const tables[N_PARTS] = { &device_record_members, &host_record_members,
	&storage_record_members };

static void list_parts(void *parts[N_PARTS], const struct records *records)
{
	parts[PART_DEVICE] = records->device;
	parts[PART_HOST] = records->host;
	parts[PART_STORAGE] = records->storage;
}

/* Reading. */

static int read_part(void *part, int kind, const json_t *root, const char *name)
{
	const char *format = json_string_value(json_object_get(root, "format"));

	if (format == NULL || (strcmp(format, formats[kind]) != 0 && strcmp(format, formats[PART_DEVICE]) != 0))
		return fail(GPUCRYPT_CORRUPT, "%s: not a %s: format is not \"%s\"", name, tables[kind]->what,
		        formats[kind]);
	return members_read(part, tables[kind], root, name);
}

int records_parse(const struct records *records, const char *text, const char *name)
{
	void *parts[N_PARTS];
	json_t *root;
	int status;

	list_parts(parts, records);
	status = members_load(&root, tables[parts[PART_DEVICE] ? PART_DEVICE : PART_HOST], text, name);
	for (int i = 0; i < N_PARTS && status == GPUCRYPT_OK; i++)
		if (parts[i] != NULL)
			status = read_part(parts[i], i, root, name);
	json_decref(root);
	return status;
}

const char *records_builtin(const char *name)
{
	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++)
		if (strcmp(b->name, name) == 0)
			return b->text;
	return NULL;
}

/* Writing. */

static void print_members(FILE *out, json_t *object, const char *indent)
{
	const char *name, *separator = "";
	json_t *value;

	json_object_foreach(object, name, value)
	{
		fprintf(out, "%s\n%s\"%s\": ", separator, indent, name);
		if (json_is_object(value)) {
			fputc('{', out);
			print_members(out, value, "    ");
			fprintf(out, "\n%s}", indent);
		} else {
			json_dumpf(value, out, JSON_ENCODE_ANY | RECORD_DIGITS);
		}
		separator = ",";
	}
}

static int add_parts(json_t *root, const struct records *records)
{
	void *parts[N_PARTS];
	int status = GPUCRYPT_OK;

	list_parts(parts, records);
	for (int i = 0; i < N_PARTS && status == GPUCRYPT_OK; i++) {
		if (parts[i] == NULL)
			continue;
		if (json_object_size(root) == 0)
			json_object_set_new(root, "format", json_string(formats[i]));
		status = members_write(parts[i], tables[i], root);
	}
	return status;
}

char *records_text(const struct records *records)
{
	json_t *root = json_object();
	char *text = NULL;
	size_t length;
	FILE *out = add_parts(root, records) == GPUCRYPT_OK ? open_memstream(&text, &length) : NULL;

	if (out != NULL) {
		fputc('{', out);
		print_members(out, root, "  ");
		fputs("\n}\n", out);
	}
	json_decref(root);
	if (out != NULL && fclose(out) == 0)
		return text;
	free(text);
	fail(GPUCRYPT_OTHER, "out of memory");
	return NULL;
}

int records_write(const struct records *records, const char *path)
{
	char *text = records_text(records);
	int status = text == NULL ? GPUCRYPT_OTHER : file_write(path, text);

	free(text);
	return status;
}
