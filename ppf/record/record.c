/* Device records: figures looked up, and text read. */
#include "ppf/record/record.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"
#include "ppf/record/record_fields.h"

double curve_cycles(const struct curve *curve, double x)
{
	unsigned i = 1;

	if (curve->n == 0)
		return 0;
	if (x <= curve->x[0])
		return curve->cycles[0];
	while (i < curve->n && curve->x[i] < x)
		i++;
	if (i == curve->n)
		return curve->cycles[i - 1];
	return curve->cycles[i - 1] +
	       (curve->cycles[i] - curve->cycles[i - 1]) * (x - curve->x[i - 1]) / (curve->x[i] - curve->x[i - 1]);
}

double record_cycles(const struct record *record, enum resource resource, double batches)
{
	return curve_cycles(&record->curves[resource], batches);
}

double record_table_load_cycles(const struct record *record, unsigned table_words)
{
	return curve_cycles(&record->table_load, table_words);
}

void cpu_speed_name(char name[24], const char *cipher, unsigned bits, const char *mode, bool bitsliced)
{
	snprintf(name, 24, "%.8s-%u-%.3s%s", cipher, bits, mode, bitsliced ? "-" BITSLICED_NAME : "");
}

const struct cpu_speed *record_cpu_speed(const struct record *record, const char *suite)
{
	for (unsigned i = 0; i < record->n_cpu; i++)
		if (strcmp(record->cpu[i].suite, suite) == 0)
			return &record->cpu[i];
	return NULL;
}

/* Reading. */

struct reader {
	struct record *record;
	const json_t *root;
	const char *name; /* for messages */
};

static int wrong(const struct reader *reader, const struct field *field, const char *what)
{
	return fail(GPUCRYPT_CORRUPT, "%s: not a device record: %s%s%s %s", reader->name,
	        field->group == NULL ? "" : field->group, field->group == NULL ? "" : ".", field->name, what);
}

static bool figure(const json_t *json, double *value)
{
	*value = json_number_value(json);
	return json_is_number(json) && isfinite(*value) && *value >= 0;
}

static int read_text(const struct reader *reader, const struct field *field, const json_t *json)
{
	if (!json_is_string(json))
		return wrong(reader, field, "is not a text");
	if (json_string_length(json) >= field->size)
		return wrong(reader, field, "is too long");
	memcpy(field->at, json_string_value(json), json_string_length(json) + 1);
	/* It is printed: no control characters for the terminal. */
	for (char *c = field->at; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return GPUCRYPT_OK;
}

static int read_count(const struct reader *reader, const struct field *field, const json_t *json)
{
	json_int_t n = json_integer_value(json);

	if (!json_is_integer(json) || n < (field->required ? 1 : 0))
		return wrong(reader, field, "is not a count");
	if (field->type == FIELD_BYTES)
		*(uint64_t *)field->at = (uint64_t)n;
	else if (n <= INT_MAX)
		*(unsigned *)field->at = (unsigned)n;
	else
		return wrong(reader, field, "is too large");
	return GPUCRYPT_OK;
}

static int read_number(const struct reader *reader, const struct field *field, const json_t *json)
{
	double *value = field->at;

	if (!figure(json, value))
		return wrong(reader, field, "is not a number, or negative");
	if (field->required && *value <= 0)
		return wrong(reader, field, "is zero");
	return GPUCRYPT_OK;
}

static int read_curve(const struct reader *reader, const struct field *field, const json_t *json)
{
	struct curve *curve = field->at;

	if (!json_is_array(json) || json_array_size(json) < 1 || json_array_size(json) > MAX_CURVE_POINTS)
		return wrong(reader, field, "is not a list of 1 to 12 points");
	for (curve->n = 0; curve->n < json_array_size(json); curve->n++) {
		const json_t *point = json_array_get(json, curve->n);
		unsigned i = curve->n;
		if (json_array_size(point) != 2 || !figure(json_array_get(point, 0), &curve->x[i]) ||
		        !figure(json_array_get(point, 1), &curve->cycles[i]))
			return wrong(reader, field, "has a point that is not two figures, or negative");
		if (curve->x[i] <= (i == 0 ? 0 : curve->x[i - 1]))
			return wrong(reader, field, "is not ascending");
	}
	return GPUCRYPT_OK;
}

/* As cpu_speed_name() makes them: they are written without being looked at. */
static bool is_speed_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	return strlen(name) < sizeof(((struct cpu_speed *)0)->suite) && name[strspn(name, allowed)] == '\0';
}

static int read_speeds(const struct reader *reader, const struct field *field, const json_t *json)
{
	struct record *record = reader->record;
	const char *suite;
	json_t *pair;

	if (!json_is_object(json) || json_object_size(json) > MAX_CPU_SPEEDS)
		return wrong(reader, field, "is not an object of up to 32 speeds");
	json_object_foreach((json_t *)(uintptr_t)json, suite, pair)
	{
		struct cpu_speed *speed = &record->cpu[record->n_cpu++];
		if (!is_speed_name(suite))
			return wrong(reader, field, "has a speed of what is no suite");
		if (json_array_size(pair) != 2 || !figure(json_array_get(pair, 0), &speed->one_thread) ||
		        !figure(json_array_get(pair, 1), &speed->all_threads))
			return wrong(reader, field, "has a speed that is not two figures, or negative");
		snprintf(speed->suite, sizeof(speed->suite), "%s", suite);
	}
	return GPUCRYPT_OK;
}

static int read_field(void *self, const struct field *field)
{
	const struct reader *reader = self;
	const json_t *json = reader->root;

	if (field->group != NULL)
		json = json_object_get(json, field->group);
	json = json_object_get(json, field->name);
	if (json == NULL && field->later)
		return GPUCRYPT_OK;
	if (json == NULL)
		return wrong(reader, field, "is missing");
	if (json_is_null(json) && !field->required)
		return GPUCRYPT_OK; /* zero already */
	switch (field->type) {
	case FIELD_TEXT:
		return read_text(reader, field, json);
	case FIELD_FLAG:
		*(bool *)field->at = json_is_true(json);
		return json_is_boolean(json) ? GPUCRYPT_OK : wrong(reader, field, "is not true or false");
	case FIELD_COUNT:
	case FIELD_BYTES:
		return read_count(reader, field, json);
	case FIELD_NUMBER:
		return read_number(reader, field, json);
	case FIELD_CURVE:
		return read_curve(reader, field, json);
	default:
		return read_speeds(reader, field, json);
	}
}

static int read_root(struct record *record, json_t *root, const json_error_t *error, const char *name)
{
	struct reader reader = { record, root, name };
	const char *format = json_string_value(json_object_get(root, "format"));
	int status;

	memset(record, 0, sizeof(*record));
	if (root == NULL)
		return fail(GPUCRYPT_CORRUPT, "%s: not a device record: line %d: %s", name, error->line, error->text);
	if (format == NULL || strcmp(format, RECORD_FORMAT) != 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: not a device record: format is not \"%s\"", name, RECORD_FORMAT);
	else
		status = record_fields(record, read_field, &reader);
	json_decref(root);
	return status;
}

int record_parse(struct record *record, const char *text, const char *name)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	return read_root(record, root, &error, name);
}

int record_read(struct record *record, const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error;
	json_t *root;

	if (file == NULL)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", path, strerror(errno));
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
	fclose(file);
	return read_root(record, root, &error, path);
}
