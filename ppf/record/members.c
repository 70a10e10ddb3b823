#include "ppf/record/members.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/record/cache.h"

/* A single value, or one element of an array. */
struct place {
	const struct member *member;
	void *at;
	const char *name;
	bool required, optional;
};

/* Find element i.  made has room for a generated name.  Returns false if the member has no such element. */
static bool find_place(
        struct place *place, const void *of, const struct member *member, unsigned i, char made[MEMBER_NAME])
{
	size_t element_bytes = member->type == MEMBER_COUNT   ? sizeof(unsigned)
	                       : member->type == MEMBER_CURVE ? sizeof(struct curve)
	                                                      : sizeof(double);

	if (i >= (member->n == 0 ? 1 : member->n) || (member->name_of != NULL && !member->name_of(made, i)))
		return false;
	*place = (struct place){ .member = member,
		.at = (char *)(uintptr_t)of + member->offset + i * element_bytes,
		.name = member->name_of != NULL ? made
		        : member->names != NULL ? member->names[i]
		                                : member->name,
		.required = (member->required >> i & 1) != 0,
		.optional = (member->optional >> i & 1) != 0 };
	return true;
}

/* Reading. */

/* The file name and kind of object, for messages. */
struct text_origin {
	const char *what, *name;
};

static int reject(const struct text_origin *origin, const struct place *place, const char *why)
{
	const char *group = place->member->group;

	return fail(GPUCRYPT_CORRUPT, "%s: not a %s: %s%s%s %s", origin->name, origin->what, group ? group : "",
	        group ? "." : "", place->name, why);
}

static bool is_figure(const json_t *json, double *value)
{
	*value = json_number_value(json);
	return json_is_number(json) && isfinite(*value) && *value >= 0;
}

static const char *read_text(const struct place *place, const json_t *json)
{
	if (!json_is_string(json))
		return "is not a text";
	if (json_string_length(json) >= place->member->size)
		return "is too long";
	memcpy(place->at, json_string_value(json), json_string_length(json) + 1);
	/* Control characters must not reach the terminal. */
	for (char *c = place->at; *c != '\0' && place->member->type == MEMBER_TEXT; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return NULL;
}

static const char *read_count(const struct place *place, const json_t *json)
{
	json_int_t n = json_integer_value(json);

	if (!json_is_integer(json) || n < (place->required ? 1 : 0))
		return "is not a count";
	if (place->member->type == MEMBER_BYTES)
		*(uint64_t *)place->at = (uint64_t)n;
	else if (n <= INT_MAX)
		*(unsigned *)place->at = (unsigned)n;
	else
		return "is too large";
	return NULL;
}

static const char *read_number(const struct place *place, const json_t *json)
{
	double *value = place->at;

	if (!is_figure(json, value))
		return "is not a number, or negative";
	return place->required && *value <= 0 ? "is zero" : NULL;
}

static const char *read_curve(const struct place *place, const json_t *json)
{
	struct curve *curve = place->at;

	if (!json_is_array(json) || json_array_size(json) < 1 || json_array_size(json) > MAX_CURVE_POINTS)
		return "is not a list of 1 to 12 points";
	for (curve->n = 0; curve->n < json_array_size(json); curve->n++) {
		const json_t *point = json_array_get(json, curve->n);
		unsigned i = curve->n;
		if (json_array_size(point) != 2 || !is_figure(json_array_get(point, 0), &curve->x[i]) ||
		        !is_figure(json_array_get(point, 1), &curve->cycles[i]))
			return "has a point that is not two numbers, or negative";
		if (curve->x[i] <= (i == 0 ? 0 : curve->x[i - 1]))
			return "is not ascending";
	}
	return NULL;
}

/* Names are printed unchanged, so only names in the form of cpu_speed_name() are accepted. */
static bool is_speed_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	return strlen(name) < sizeof(((struct cpu_speed *)0)->suite) && name[strspn(name, allowed)] == '\0';
}

static const char *read_speeds(const struct place *place, const json_t *json)
{
	struct cpu_speeds *speeds = place->at;
	const char *suite;
	json_t *pair;

	if (!json_is_object(json) || json_object_size(json) > MAX_CPU_SPEEDS)
		return "is not an object of up to 64 speeds";
	json_object_foreach((json_t *)(uintptr_t)json, suite, pair)
	{
		struct cpu_speed *speed = &speeds->of[speeds->n++];
		if (!is_speed_name(suite))
			return "has a member whose name is no suite";
		if (json_array_size(pair) != 2 || !is_figure(json_array_get(pair, 0), &speed->pace.one_thread) ||
		        !is_figure(json_array_get(pair, 1), &speed->pace.all_threads))
			return "has a speed that is not two numbers, or negative";
		memcpy(speed->suite, suite, strlen(suite) + 1);
	}
	return NULL;
}

static const char *read_value(const struct place *place, const json_t *json)
{
	switch (place->member->type) {
	case MEMBER_TEXT:
	case MEMBER_EXACT:
		return read_text(place, json);
	case MEMBER_FLAG:
		*(bool *)place->at = json_is_true(json);
		return json_is_boolean(json) ? NULL : "is not true or false";
	case MEMBER_COUNT:
	case MEMBER_BYTES:
		return read_count(place, json);
	case MEMBER_NUMBER:
		return read_number(place, json);
	case MEMBER_CURVE:
		return read_curve(place, json);
	default:
		return read_speeds(place, json);
	}
}

static int read_place(const struct text_origin *origin, const struct place *place, const json_t *json)
{
	const char *why = NULL;

	if (place->member->group != NULL)
		json = json_object_get(json, place->member->group);
	json = json_object_get(json, place->name);
	if (json == NULL)
		why = place->optional ? NULL : "is missing";
	else if (!json_is_null(json) || place->required)
		why = read_value(place, json);
	return why == NULL ? GPUCRYPT_OK : reject(origin, place, why);
}

int members_load(json_t **root, const char *what, const char *text, const char *name)
{
	char *read = text == NULL ? file_text(name) : NULL;
	json_error_t error;

	*root = NULL;
	if (text == NULL && read == NULL)
		return GPUCRYPT_IO;
	*root = json_loads(text != NULL ? text : read, JSON_REJECT_DUPLICATES, &error);
	free(read);
	return *root != NULL ? GPUCRYPT_OK
	                     : fail(GPUCRYPT_CORRUPT, "%s: not a %s: line %d: %s", name, what, error.line, error.text);
}

int members_read(void *of, const struct member_table *table, const json_t *json, const char *name)
{
	const struct text_origin origin = { table->what, name };
	char made[MEMBER_NAME];
	struct place place;
	int status = GPUCRYPT_OK;

	memset(of, 0, table->size);
	for (const struct member *m = table->members; m < table->members + table->n; m++)
		for (unsigned i = 0; status == GPUCRYPT_OK && find_place(&place, of, m, i, made); i++)
			status = read_place(&origin, &place, json);
	return status;
}

/* Writing. */

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

static json_t *speeds_json(const struct cpu_speeds *speeds)
{
	json_t *json = json_object();

	for (const struct cpu_speed *s = speeds->of; s < speeds->of + speeds->n; s++)
		json_object_set_new(json, s->suite, json_pack("[f,f]", s->pace.one_thread, s->pace.all_threads));
	return json;
}

static json_t *value_json(enum member_type type, const void *at)
{
	double number;
	uint64_t bytes;

	switch (type) {
	case MEMBER_TEXT:
		return text_json(at);
	case MEMBER_EXACT:
		return json_string(at);
	case MEMBER_FLAG:
		return json_boolean(*(const bool *)at);
	case MEMBER_COUNT:
		return json_integer(*(const unsigned *)at);
	case MEMBER_BYTES:
		bytes = *(const uint64_t *)at;
		return json_integer(bytes < INT64_MAX ? (json_int_t)bytes : INT64_MAX);
	case MEMBER_NUMBER:
		number = *(const double *)at;
		return number > 0 && isfinite(number) ? json_real(number) : json_null();
	case MEMBER_CURVE:
		return curve_json(at);
	default:
		return speeds_json(at);
	}
}

static int write_place(const struct place *place, json_t *json)
{
	const char *group = place->member->group;
	json_t *object = group == NULL ? json : json_object_get(json, group);

	if (object == NULL) {
		object = json_object();
		json_object_set_new(json, group, object);
	}
	return json_object_set_new(object, place->name, value_json(place->member->type, place->at));
}

int members_write(const void *of, const struct member_table *table, json_t *json)
{
	char made[MEMBER_NAME];
	struct place place;
	int failures = 0;

	for (const struct member *m = table->members; m < table->members + table->n; m++)
		for (unsigned i = 0; find_place(&place, of, m, i, made); i++)
			failures += write_place(&place, json) != 0;
	return failures == 0 ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "a %s cannot be written as JSON", table->what);
}

/* Curves and speeds. */

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

void cpu_speed_name(char name[CPU_SPEED_NAME], const struct suite *suite, const char *form)
{
	snprintf(name, CPU_SPEED_NAME, "%.8s-%u-%.3s%s%.12s", suite->cipher->name, 8 * suite->key_bytes,
	        suite->mode->name, form != NULL ? "-" : "", form != NULL ? form : "");
}

const struct cpu_speed *cpu_speed_find(const struct cpu_speeds *speeds, const char *suite)
{
	for (unsigned i = 0; i < speeds->n; i++)
		if (strcmp(speeds->of[i].suite, suite) == 0)
			return &speeds->of[i];
	return NULL;
}

bool measured_suite(struct suite *suite, unsigned i)
{
	const struct cipher *const *cipher = ciphers;

	for (unsigned n = i / 4; n > 0 && *cipher != NULL; n--)
		cipher++;
	*suite = (struct suite){ *cipher, &modes[i % 4 < 2 ? MODE_CTR : MODE_XTS], i % 2 ? 32 : 16, ENCRYPT };
	return *cipher != NULL;
}

bool measured_suite_covers(const struct suite *measured, const struct suite *suite)
{
	return measured->cipher == suite->cipher && measured->mode->has_tweaks == suite->mode->has_tweaks &&
	       (measured->key_bytes == suite->key_bytes || suite->key_bytes == 24);
}
