#include "ppf/analysis/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ppf/analysis/count.h"
#include "gpucrypt/status.h"
#include "ppf/isolate.h"

struct outcome {
	struct profile profile;
	struct memory_list memory;
};

static void check_set(const char *const *set)
{
	for (; set != NULL && *set != NULL; set++) {
		const char *value = strchr(*set, '=');
		char *end = NULL;

		if (value != NULL && value > *set && value[1] != '\0')
			strtoll(value + 1, &end, 0);
		if (end == NULL || *end != '\0')
			isolate_end(fail(GPUCRYPT_USAGE, "--set: %s: not NAME=INTEGER", *set));
	}
}

/* Does the setting NAME=VALUE have this name?  A dot in NAME also matches an arrow. */
static bool is_named(const char *setting, const char *name)
{
	char a[256], b[256];

	dot_members(a, sizeof a, setting);
	dot_members(b, sizeof b, name);
	return strncmp(a, b, strlen(b)) == 0 && a[strlen(b)] == '=';
}

int setting_find(const char *const *set, const char *name, int64_t *bits)
{
	const char *arrow = strrchr(name, '>'), *dot = strrchr(name, '.'),
	           *last = !arrow && !dot ? name : (dot > arrow ? dot : arrow) + 1;

	for (int i = 0; set && set[i]; i++) {
		if (!is_named(set[i], name) && !is_named(set[i], last))
			continue;
		*bits = (int64_t)strtoll(strchr(set[i], '=') + 1, NULL, 0);
		return i;
	}
	return -1;
}

/* A name that nothing has is a mistake. */
static void check_set_used(const struct counter *counter)
{
	const char *const *set = counter->analysis->set;

	for (unsigned i = 0; set != NULL && set[i] != NULL && i < 64; i++)
		if ((counter->set_used >> i & 1) == 0)
			isolate_end(fail(GPUCRYPT_USAGE,
			        "--set: %s: no integer parameter or member of this name is read", set[i]));
}

/* FILE:FUNCTION; a long path loses its first folders. */
static void name_profile(struct profile *profile, const struct analysis *analysis)
{
	const size_t room = sizeof profile->name - sizeof ".../:";
	const char *file = analysis->file, *slash;

	while (strlen(file) + strlen(analysis->function) > room && (slash = strchr(file, '/')))
		file = slash + 1;
	snprintf(profile->name, sizeof profile->name, "%s%s:%s", file == analysis->file ? "" : ".../", file,
	        analysis->function);
}

static void analyze_isolated(void *result, const void *request)
{
	const struct analysis *analysis = request;
	struct counter counter = { .analysis = analysis, .values.as_written = !analysis->by_value };
	struct outcome *outcome = result;
	struct unit unit = { 0 };

	check_set(analysis->set);
	unit_read(&unit, analysis);
	run_entry(&counter, &unit);
	check_set_used(&counter);
	profile_count(&outcome->profile, &outcome->memory, &counter);
	name_profile(&outcome->profile, analysis);
}

int analyze(struct profile *profile, const struct analysis *analysis)
{
	struct outcome outcome = { 0 };
	int status = source_isolate(analysis->file, analyze_isolated, analysis, &outcome, sizeof outcome);

	if (status != GPUCRYPT_OK)
		return status;
	*profile = outcome.profile;
	if (analysis->memory != NULL)
		*analysis->memory = outcome.memory;
	return GPUCRYPT_OK;
}
