#include "ppf/record/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

#define TABLE_FORMAT "gcrypt device figures 1"
#define EMPTY_TABLE  "{ \"format\": \"" TABLE_FORMAT "\", \"figures\": {} }"
#define MAX_RULE     160
#define MAX_FIGURE   1e18

/* A record that is being derived. */
struct derivation {
	json_t *rules;
	json_t *known, *origins; /* for each figure its number, and its origin */
	json_t *record;
	const char *like; /* built-in record for the figures that have no rule; NULL: none */
};

/* Figures by name; the first origin of a figure counts. */

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text != NULL ? text : "";
}

/* Set a figure; takes ownership of value and origin.  A name is GROUP.NAME or NAME, as in messages about records. */
static void set_figure(struct derivation *d, const char *name, json_t *value, json_t *origin)
{
	const char *dot = strchr(name, '.');
	char group[MEMBER_NAME] = "";

	snprintf(group, sizeof(group), "%.*s", dot != NULL ? (int)(dot - name) : 0, name);
	json_object_set_new(d->origins, name, origin);
	if (json_is_number(value))
		json_object_set(d->known, name, value);
	json_object_set_new(
	        dot != NULL ? json_object_get(d->record, group) : d->record, dot != NULL ? dot + 1 : name, value);
}

/* Counts are integers in records. */
static json_t *number_json(double value)
{
	return value == floor(value) ? json_integer((json_int_t)value) : json_real(value);
}

static bool give_figure(struct derivation *d, const char *name, double value, const char *source)
{
	if (!(value > 0 && value <= MAX_FIGURE) || json_object_get(json_object_get(d->rules, "figures"), name) == NULL)
		return false;
	if (json_object_get(d->known, name) == NULL)
		set_figure(d, name, number_json(value), json_sprintf("given: %s", source));
	return true;
}

/* Rules.  A rule is a product or quotient of names and numbers, or the largest of several, with "max" between them. */

/* Returns false if a name is not known. */
static bool evaluate(double *value, const char *rule, const json_t *known)
{
	char text[MAX_RULE], *rest = NULL, *end;
	double largest = 0, product = 1;
	bool divides = false;

	snprintf(text, sizeof(text), "%s", rule);
	for (char *token = strtok_r(text, " ", &rest); token != NULL; token = strtok_r(NULL, " ", &rest)) {
		const json_t *figure = json_object_get(known, token);
		double factor = figure != NULL ? json_number_value(figure) : strtod(token, &end);

		if (strcmp(token, "max") == 0) {
			largest = fmax(largest, product);
			product = 1;
			divides = false;
		} else if (strcmp(token, "/") == 0 || strcmp(token, "*") == 0) {
			divides = *token == '/';
		} else if (figure == NULL && *end != '\0') {
			return false;
		} else {
			product = divides ? product / factor : product * factor;
		}
	}
	*value = fmax(largest, product);
	return isfinite(*value) && *value <= MAX_FIGURE;
}

/* The value of a rule, or a curve if the rule has batches or words; NULL: a figure is not known. */
static json_t *rule_value(const char *rule, json_t *known)
{
	bool of_batches = strstr(rule, "/ batches") != NULL, of_words = strstr(rule, "words") != NULL, good = true;
	double value = 0, last = of_batches ? json_number_value(json_object_get(known, "max_batches"))
	                         : of_words ? 65536
	                                    : 1;
	json_t *points = json_array();

	for (uint64_t x = of_words ? 256 : 1; (double)x <= last && good; x *= 2) {
		json_object_set_new(known, of_words ? "words" : "batches", json_real((double)x));
		good = evaluate(&value, rule, known);
		json_array_append_new(points, json_pack("[f,f]", (double)x, value));
	}
	if (good && (of_batches || of_words))
		return points;
	json_decref(points);
	return good ? number_json(value) : NULL;
}

static void apply_rules(struct derivation *d)
{
	size_t i;
	json_t *rule;

	json_array_foreach(json_object_get(d->rules, "rules"), i, rule)
	{
		const char *field = text_of(rule, "field"), *from = text_of(rule, "from");
		bool assumed = json_is_true(json_object_get(rule, "assumed")),
		     applies = json_object_get(d->origins, field) == NULL && !(assumed && d->like);
		json_t *value = applies ? rule_value(from, d->known) : NULL;

		if (value != NULL)
			set_figure(d, field, value,
			        json_sprintf(
			                "%s: %s (%s)", assumed ? "assumed" : "derived", from, text_of(rule, "source")));
	}
}

/* Tables. */

/* Begin the record with all members of the record that the table names as `like`, or with empty members. */
static int take_base(struct derivation *d, const char *name)
{
	const char *text = d->like != NULL ? records_builtin(d->like) : NULL;
	struct device_record base = { .derived = false };

	if (d->like != NULL && text == NULL)
		return fail(GPUCRYPT_CORRUPT, "%s: like: %.40s: no built-in record", name, d->like);
	if (text != NULL && device_record_parse(&base, text, d->like) == GPUCRYPT_OK) {
		json_object_set_new(d->origins, "all others", json_sprintf("as on %s: %s", base.name, base.source));
		json_object_set_new(d->known, "max_batches", json_integer(base.max_batches));
		json_object_set_new(d->known, "batch_items", json_integer(base.batch_items));
	}
	snprintf(base.source, sizeof(base.source), "derived from published figures, never measured");
	base.derived = true;
	return members_write(&base, &device_record_members, d->record);
}

static void take_texts(struct derivation *d, const json_t *from, const char *name, const char *vendor)
{
	const char *const names[] = { name, vendor, "driver" };
	static const char *const members[] = { "name", "vendor", "driver" };

	for (int i = 0; i < 3; i++)
		if (json_is_string(json_object_get(from, names[i])))
			json_object_set(d->record, members[i], json_object_get(from, names[i]));
}

static int take_table(struct derivation *d, const json_t *table, const char *name)
{
	json_t *figures = json_object_get(table, "figures"), *pair;
	const char *figure, *source;
	double value;
	int status;

	if (strcmp(text_of(table, "format"), TABLE_FORMAT) != 0 || !json_is_object(figures))
		return fail(GPUCRYPT_CORRUPT, "%s: not a table of figures: format is not \"" TABLE_FORMAT "\"", name);
	d->like = json_string_value(json_object_get(table, "like"));
	status = take_base(d, name);
	json_object_foreach(figures, figure, pair)
	{
		bool good = json_unpack(pair, "[F,s]", &value, &source) == 0 && give_figure(d, figure, value, source);

		if (status == GPUCRYPT_OK && !good)
			status = fail(GPUCRYPT_CORRUPT,
			        "%s: figures.%.40s: not a figure of rules.json with [number, source]", name, figure);
	}
	return status;
}

#define CLPEAK "result of clpeak"

/* Results of clpeak: include/common/result_store.h of github.com/krrishnarraj/clpeak, format version 2.  JSON lists
 * devices, with properties, and entries; the entries of one back end and device are a run.  XML becomes such JSON. */

/* An attribute of the tag at this place, as it is written: entities are not replaced. */
static json_t *attribute(const char *tag, const char *name)
{
	const char *end = tag + strcspn(tag, ">"), *at;
	char wanted[24];

	snprintf(wanted, sizeof(wanted), " %s=\"", name);
	at = memmem(tag, (size_t)(end - tag), wanted, strlen(wanted));
	at = at != NULL ? at + strlen(wanted) : end;
	return json_stringn(at, at < end ? strcspn(at, "\"") : 0) ?: json_string("");
}

/* Returns NULL if no run has a value. */
static json_t *clpeak_of_xml(const char *text)
{
	json_t *devices = json_array(), *entries = json_array(), *run = NULL, *test = NULL;
	const char *value;

	for (const char *at = strchr(text, '<'); at != NULL; at = strchr(at + 1, '<')) {
		if (strncmp(at, "<run ", 5) == 0) {
			run = json_pack("{s:o, s:o, s:o, s:o, s:[]}", "backend", attribute(at, "backend"), "platform",
			        attribute(at, "platform"), "device", attribute(at, "device"), "driver",
			        attribute(at, "driver"), "props");
			json_array_append_new(devices, run);
		} else if (strncmp(at, "<prop ", 6) == 0) {
			json_array_append_new(json_object_get(run, "props"),
			        json_pack("{s:o, s:o}", "k", attribute(at, "name"), "v", attribute(at, "value")));
		} else if (strncmp(at, "<test ", 6) == 0) {
			json_decref(test);
			test = json_pack("{s:o, s:o}", "test", attribute(at, "name"), "unit", attribute(at, "unit"));
		} else if (strncmp(at, "<metric ", 8) == 0 && run != NULL && test != NULL) {
			json_t *entry = json_copy(run);

			value = at + strcspn(at, ">");
			json_object_update(entry, test);
			json_object_set_new(entry, "metric", attribute(at, "name"));
			json_object_set_new(entry, "value", json_real(*value != '\0' ? strtod(value + 1, NULL) : 0));
			json_array_append_new(entries, entry);
		}
	}
	json_decref(test);
	return json_pack("{s:i, s:o, s:o}", "format_version", 2, "devices", devices, "entries", entries);
}

static bool same_run(const json_t *a, const json_t *b)
{
	return strcmp(text_of(a, "backend"), text_of(b, "backend")) == 0 &&
	       strcmp(text_of(a, "device"), text_of(b, "device")) == 0;
}

/* The first run by OpenCL, or else the first one. */
static const json_t *find_run(const json_t *entries)
{
	size_t i = 0;

	while (i < json_array_size(entries) && strcmp(text_of(json_array_get(entries, i), "backend"), "OpenCL") != 0)
		i++;
	return json_array_get(entries, i < json_array_size(entries) ? i : 0);
}

/* The best value of the metrics of a row's test, or the number that begins a property, such as "1410 MHz"; 0: none. */
static double run_value(const json_t *file, const json_t *run, const json_t *row)
{
	const char *metric = text_of(row, "metric");
	double best = 0;
	size_t i, j;
	json_t *at, *property;

	json_array_foreach(json_object_get(file, "entries"), i, at)
	{
		if (same_run(at, run) && strcmp(text_of(at, "test"), text_of(row, "test")) == 0 &&
		        strcmp(text_of(at, "unit"), text_of(row, "unit")) == 0 &&
		        (*metric == '\0' || strcmp(text_of(at, "metric"), metric) == 0))
			best = fmax(best, json_number_value(json_object_get(at, "value")));
	}
	json_array_foreach(json_object_get(file, "devices"), i, at)
	{
		json_array_foreach(json_object_get(at, "props"), j, property)
		{
			if (same_run(at, run) && strcmp(text_of(property, "k"), text_of(row, "property")) == 0)
				best = strtod(text_of(property, "v"), NULL);
		}
	}
	return best;
}

static int take_clpeak(struct derivation *d, const json_t *file, const char *name)
{
	const json_t *run = find_run(json_object_get(file, "entries"));
	char source[128];
	size_t i;
	json_t *row;

	if (json_integer_value(json_object_get(file, "format_version")) != 2 || run == NULL)
		return fail(GPUCRYPT_CORRUPT, "%s: not a " CLPEAK ": format_version is not 2, or no entries", name);
	take_texts(d, run, "device", "platform");
	json_array_foreach(json_object_get(d->rules, "clpeak"), i, row)
	{
		snprintf(source, sizeof(source), "clpeak, %s%s", text_of(row, "test"), text_of(row, "property"));
		give_figure(d, text_of(row, "figure"),
		        run_value(file, run, row) * json_number_value(json_object_get(row, "factor")), source);
	}
	return GPUCRYPT_OK;
}

/* The complete record. */

/* Check the figures that differ from device to device: no rule gives them, or only a rule that needs other figures. */
static int check_needed(const struct derivation *d, const char *name)
{
	static const char *const needed[] = { "clock_hz", "compute_units", "global_bytes_per_s", "logic_per_clock" };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) - (d->like != NULL); i++)
		if (json_object_get(d->known, needed[i]) == NULL)
			return fail(GPUCRYPT_CORRUPT, "%s: the figure %s is missing", name, needed[i]);
	return GPUCRYPT_OK;
}

/* Check the record by reading it as if it were from a file, and write it again. */
static int complete_record(struct derivation *d, const char *name)
{
	struct device_record record;
	int status;

	apply_rules(d);
	status = check_needed(d, name) ?: members_read(&record, &device_record_members, d->record, name);
	if (status != GPUCRYPT_OK)
		return status;
	json_object_clear(d->record);
	status = records_json(d->record, &(struct records){ .device = &record });
	json_object_set(d->record, "origins", d->origins);
	return status;
}

int record_derive(char **text, const char *table_path, const char *clpeak_path)
{
	struct derivation d = { .known = json_object(), .origins = json_object(), .record = json_object() };
	const char *name = table_path != NULL ? table_path : clpeak_path;
	json_t *table = NULL, *clpeak = NULL;
	int status = members_load(&d.rules, "list of rules", derivation_rules[0].text, derivation_rules[0].name)
	        ?: members_load(&table, "table of figures", table_path == NULL ? EMPTY_TABLE : NULL, table_path)
	        ?: take_table(&d, table, name);

	if (status == GPUCRYPT_OK && clpeak_path != NULL) {
		char *text_of_file = file_text(clpeak_path);

		if (text_of_file == NULL)
			status = GPUCRYPT_IO;
		else if (*text_of_file == '<')
			clpeak = clpeak_of_xml(text_of_file);
		else
			status = members_load(&clpeak, CLPEAK, text_of_file, clpeak_path);
		free(text_of_file);
		status = status ?: take_clpeak(&d, clpeak, clpeak_path);
	}
	take_texts(&d, table, "name", "vendor");
	status = status ?: complete_record(&d, name);
	*text = status == GPUCRYPT_OK ? members_text(d.record) : NULL;
	json_decref(d.rules);
	json_decref(d.known);
	json_decref(d.origins);
	json_decref(d.record);
	json_decref(table);
	json_decref(clpeak);
	return status == GPUCRYPT_OK && *text == NULL ? GPUCRYPT_OTHER : status;
}
