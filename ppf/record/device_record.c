#include "ppf/record/device_record.h"

#include <stdio.h>

const char *const resource_names[N_RESOURCES] = { "local_random", "local_regular", "local_copies", "constant",
	"constant_regular", "global", "stream", "arithmetic" };

static const char *const fusion_names[N_FUSIONS] = { "logic", "add", "chain" };
static const char *const slice_names[N_SLICE_OPERATIONS] = { "logic", "function", "shift", "key", "key_made", "move",
	"row" };

/* The name is not "wide", because records of earlier releases use "wide" for a different chain of products. */
static bool make_operator_name(char name[MEMBER_NAME], unsigned i)
{
	snprintf(name, MEMBER_NAME, "%s", i == OPERATOR_WIDE ? "multiply_add" : operator_names[i]);
	return true;
}

static bool make_trial_name(char name[MEMBER_NAME], unsigned i)
{
	struct suite suite;

	if (!measured_suite(&suite, i))
		return false;
	cpu_speed_name(name, &suite, BITSLICED_NAME);
	return true;
}

/* For counts that double from one to the next: replicas, and words of a table. */
static bool make_power_name(char name[MEMBER_NAME], unsigned i)
{
	snprintf(name, MEMBER_NAME, "%u", 1u << i);
	return true;
}

static bool make_lookup_name(char name[MEMBER_NAME], unsigned i)
{
	static const char *const places[N_LOOKUP_PLACES] = { "local", "local_copies" };
	static const char *const costs[N_LOOKUP_COSTS] = { "cycles", "logic", "mul", "issue" };

	snprintf(name, MEMBER_NAME, "%s_%s_%s", places[i / (N_FIELDS * N_LOOKUP_COSTS)],
	        field_names[i / N_LOOKUP_COSTS % N_FIELDS], costs[i % N_LOOKUP_COSTS]);
	return true;
}

#define AT(member)           MEMBER_AT(struct device_record, member)
#define REQUIRED             .required = MEMBER_ALL
#define OPTIONAL             .optional = MEMBER_ALL
#define ROW(kind, member)    MEMBER_ROW(struct device_record, kind, member)
#define NUMBER(member)       ROW(MEMBER_NUMBER, member)
#define NEEDED(kind, member) MEMBER_ROW(struct device_record, kind, member, REQUIRED)
#define LATER_NUMBER(member) MEMBER_ROW(struct device_record, MEMBER_NUMBER, member, OPTIONAL)
#define TRANSFER(member)     MEMBER_GROUPED(struct device_record, transfer, member)

static const struct member members[] = {
	NEEDED(MEMBER_TEXT, name),
	NEEDED(MEMBER_TEXT, vendor),
	NEEDED(MEMBER_TEXT, driver),
	NEEDED(MEMBER_TEXT, source),
	NEEDED(MEMBER_FLAG, is_cpu),
	MEMBER_ROW(struct device_record, MEMBER_FLAG, derived, OPTIONAL),
	NEEDED(MEMBER_NUMBER, clock_hz),
	NEEDED(MEMBER_COUNT, compute_units),
	NEEDED(MEMBER_COUNT, batch_items),
	NEEDED(MEMBER_COUNT, max_batches),
	ROW(MEMBER_COUNT, banks),
	NEEDED(MEMBER_BYTES, local_bytes),
	NUMBER(spread),
	NUMBER(units_factor),
	NUMBER(balanced_cycles),
	NUMBER(operator_latency),
	NUMBER(issue_cycles),
	ROW(MEMBER_CURVE, global_random),
	ROW(MEMBER_CURVE, table_load),
	NUMBER(global_bytes_per_s),
	NUMBER(launch_s),
	NUMBER(enqueue_s),
	NUMBER(build_s),
	NUMBER(context_s),
	TRANSFER(pinned_in),
	TRANSFER(pinned_out),
	TRANSFER(pinned_both),
	TRANSFER(pinning),
	TRANSFER(tags),
	{ "curves", NULL, MEMBER_CURVE, AT(curves), MEMBER_ELEMENTS(resource_names),
	        .required = 1u << RESOURCE_LOCAL_RANDOM | 1u << RESOURCE_LOCAL_REGULAR | 1u << RESOURCE_GLOBAL |
	                    1u << RESOURCE_ARITHMETIC },
	{ "operator_cycles", NULL, MEMBER_NUMBER, AT(operator_cycles), .n = N_OPERATORS, .name_of = make_operator_name,
	        .optional = 1u << OPERATOR_WIDE },
	{ "turn_cycles", NULL, MEMBER_NUMBER, AT(turn_cycles), MEMBER_ELEMENTS(turn_names), OPTIONAL },
	LATER_NUMBER(carry_cycles),
	{ "slow_latencies", NULL, MEMBER_NUMBER, AT(slow_latencies), MEMBER_ELEMENTS(slow_names), OPTIONAL },
	{ "fusion_cycles", NULL, MEMBER_NUMBER, AT(fusion_cycles), MEMBER_ELEMENTS(fusion_names),
	        .optional = 1u << FUSION_CHAIN },
	{ "trials", NULL, MEMBER_NUMBER, AT(trials), .n = MAX_TRIALS, .name_of = make_trial_name, OPTIONAL },
	LATER_NUMBER(engine_s),
	LATER_NUMBER(close_s),
	LATER_NUMBER(build_sliced_s),
	{ NULL, "slice_words", MEMBER_COUNT, AT(slice_words), OPTIONAL },
	{ "slice_cycles", NULL, MEMBER_NUMBER, AT(slice_cycles), MEMBER_ELEMENTS(slice_names), OPTIONAL },
	{ "copies_cycles", NULL, MEMBER_NUMBER, AT(copies_cycles), .n = MAX_COPIES_LOG2 + 1,
	        .name_of = make_power_name },
	{ "lookup_cycles", NULL, MEMBER_NUMBER, AT(lookups), .n = N_LOOKUP_PLACES * N_FIELDS * N_LOOKUP_COSTS,
	        .name_of = make_lookup_name },
};

const struct member_table device_record_members = MEMBER_TABLE("device record", members, struct device_record);

double device_record_cycles(const struct device_record *record, enum resource resource, double batches)
{
	return curve_cycles(&record->curves[resource], batches);
}

double device_record_full_cycles(const struct device_record *record, enum resource resource)
{
	return curve_cycles(&record->curves[resource], record->max_batches);
}

bool device_record_has_slices(const struct device_record *record)
{
	return record->slice_words > 0 && record->slice_cycles[SLICE_FUNCTION] > 0 &&
	       record->slice_cycles[SLICE_KEY_MADE] > 0;
}

bool device_record_has_trials(const struct device_record *record)
{
	for (unsigned i = 0; i < MAX_TRIALS; i++)
		if (record->trials[i] > 0)
			return true;
	return false;
}

/* Lists of counts. */

#define PROFILE_AT(member) MEMBER_AT(struct profile, member)
#define COUNT(member)      MEMBER_ROW(struct profile, MEMBER_COUNT, member)

static const char *const register_names[N_REGISTER_FILES] = {
	[REGISTERS_16] = "registers_16", [REGISTERS_32] = "registers_32"
};

static const struct member profile_members[] = {
	COUNT(n_tbl),
	COUNT(n_key),
	{ "operators", NULL, MEMBER_COUNT, PROFILE_AT(operators), .n = N_OPERATORS, .names = operator_names },
	COUNT(n_pt),
	COUNT(n_ct),
	COUNT(casts),
	COUNT(block_bytes),
	{ NULL, "table_bytes", MEMBER_BYTES, PROFILE_AT(table_bytes) },
	{ "fields", NULL, MEMBER_COUNT, PROFILE_AT(fields), .n = N_FIELDS, .names = field_names },
	COUNT(high_fields),
	{ "field_operators", NULL, MEMBER_COUNT, PROFILE_AT(field_operators), .n = N_OPERATORS,
	        .names = operator_names },
	COUNT(logic_functions),
	{ "moves", NULL, MEMBER_COUNT, PROFILE_AT(moves), .n = N_REGISTER_FILES, .names = register_names },
	COUNT(lookups_deep),
	COUNT(operators_deep),
	{ "halves", NULL, MEMBER_COUNT, PROFILE_AT(halves), .n = N_OPERATORS, .names = operator_names },
	{ "turns", NULL, MEMBER_COUNT, PROFILE_AT(turns), MEMBER_ELEMENTS(turn_names), OPTIONAL },
	{ "slow_deep", NULL, MEMBER_COUNT, PROFILE_AT(slow_deep), MEMBER_ELEMENTS(slow_names), OPTIONAL },
	COUNT(left_shifts),
	COUNT(keys_once),
	{ "lookups", NULL, MEMBER_COUNT, PROFILE_AT(lookups), .n = N_TABLE_SIZES, .name_of = make_power_name },
};

static const struct member_table profile_table = MEMBER_TABLE("list of counts", profile_members, struct profile);

int profile_record_write(const struct profile *profile, json_t *object)
{
	return members_write(profile, &profile_table, object);
}

int profile_record_read(struct profile *profile, const char *path)
{
	json_t *root;
	int status = members_load(&root, profile_table.what, NULL, path)
	                     ?: members_read(profile, &profile_table, root, path);

	json_decref(root);
	snprintf(profile->name, sizeof profile->name, "%s", path);
	return status;
}
