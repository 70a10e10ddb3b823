/* Device records as text: one member a line. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ppf/record/cache.h"
#include "gpucrypt/status.h"
#include "ppf/record/record.h"
#include "ppf/record/record_fields.h"

#define DIGITS JSON_REAL_PRECISION(9)

struct writer {
	const struct record *record;
	json_t *root; /* owned */
};

/* A figure; null if it was not measured. */
static json_t *figure_json(double value)
{
	return value > 0 && isfinite(value) ? json_real(value) : json_null();
}

/* Devices may name themselves in bytes that are not UTF-8: those become '?'. */
static json_t *text_json(const char *text)
{
	json_t *json = json_string(text);
	char ascii[160];

	if (json != NULL)
		return json;
	snprintf(ascii, sizeof(ascii), "%s", text);
	for (char *c = ascii; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	return json_string(ascii);
}

static json_t *curve_json(const struct curve *curve)
{
	json_t *points = curve->n == 0 ? json_null() : json_array();

	for (unsigned i = 0; i < curve->n; i++)
		json_array_append_new(points, json_pack("[f,f]", curve->x[i], curve->cycles[i]));
	return points;
}

static json_t *speeds_json(const struct record *record)
{
	json_t *speeds = json_object();

	for (unsigned i = 0; i < record->n_cpu; i++)
		json_object_set_new(speeds, record->cpu[i].suite,
		        json_pack("[f,f]", record->cpu[i].one_thread, record->cpu[i].all_threads));
	return speeds;
}

static json_t *field_json(const struct record *record, const struct field *field)
{
	switch (field->type) {
	case FIELD_TEXT:
		return text_json(field->at);
	case FIELD_FLAG:
		return json_boolean(*(const bool *)field->at);
	case FIELD_COUNT:
		return json_integer(*(const unsigned *)field->at);
	case FIELD_BYTES:
		return json_integer((json_int_t) * (const uint64_t *)field->at);
	case FIELD_NUMBER:
		return figure_json(*(const double *)field->at);
	case FIELD_CURVE:
		return curve_json(field->at);
	default:
		return speeds_json(record);
	}
}

static int write_field(void *self, const struct field *field)
{
	struct writer *writer = self;
	json_t *object = writer->root, *value = field_json(writer->record, field);

	if (field->group != NULL) {
		object = json_object_get(writer->root, field->group);
		if (object == NULL) {
			object = json_object();
			json_object_set_new(writer->root, field->group, object);
		}
	}
	if (value == NULL || json_object_set_new(object, field->name, value) != 0)
		return fail(GPUCRYPT_OTHER, "a device record cannot be written");
	return GPUCRYPT_OK;
}

/* A member a line; objects are opened, all else stands on its line. */
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
			json_dumpf(value, out, JSON_ENCODE_ANY | DIGITS);
		}
		separator = ",";
	}
}

char *record_text(const struct record *record)
{
	struct record copy = *record; /* fields are visited for reading and writing alike */
	struct writer writer = { &copy, json_pack("{s:s}", "format", RECORD_FORMAT) };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL || writer.root == NULL || record_fields(&copy, write_field, &writer) != GPUCRYPT_OK) {
		fail(GPUCRYPT_OTHER, "out of memory");
	} else {
		fputc('{', out);
		print_members(out, writer.root, "  ");
		fputs("\n}\n", out);
	}
	json_decref(writer.root);
	if (out != NULL && (fclose(out) != 0 || length == 0)) {
		free(text);
		text = NULL;
	}
	return text;
}

int record_write(const struct record *record, const char *path)
{
	char *text = record_text(record);
	int status = text == NULL ? GPUCRYPT_OTHER : file_write(path, text);

	free(text);
	return status;
}
