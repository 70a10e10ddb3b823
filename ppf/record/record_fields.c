#include "ppf/record/record_fields.h"

#include <stddef.h>
#include <stdio.h>

#include "gpucrypt/status.h"
#include "ppf/model/trials.h"

const char *const resource_names[N_RESOURCES] = { "local_random", "local_regular", "local_copies", "constant",
	"constant_regular", "global", "stream", "arithmetic" };
const char *const fusion_names[N_FUSIONS] = { "logic", "add", "chain" };

const char *const slice_operation_names[N_SLICE_OPERATIONS] = { "logic", "function", "shift", "key", "key_made", "move",
	"row" };

static const char *const lookup_names[N_LOOKUP_PLACES] = { "local", "local_copies" };
const char *const lookup_cost_names[N_LOOKUP_COSTS] = { "cycles", "logic", "mul", "issue" };

/* A field of struct record at a fixed place. */
struct row {
	const char *group, *name;
	enum field_type type;
	size_t offset, size;
	bool required;
};

#define AT(member)   offsetof(struct record, member)
#define TEXT(member) AT(member), sizeof(((struct record *)0)->member)

static const struct row rows[] = {
	{ NULL, "name", FIELD_TEXT, TEXT(name), true },
	{ NULL, "vendor", FIELD_TEXT, TEXT(vendor), true },
	{ NULL, "driver", FIELD_TEXT, TEXT(driver), true },
	{ NULL, "source", FIELD_TEXT, TEXT(source), true },
	{ NULL, "is_cpu", FIELD_FLAG, AT(is_cpu), 0, true },
	{ NULL, "clock_hz", FIELD_NUMBER, AT(clock_hz), 0, true },
	{ NULL, "clock_measured_hz", FIELD_NUMBER, AT(clock_measured_hz), 0, false },
	{ NULL, "compute_units", FIELD_COUNT, AT(compute_units), 0, true },
	{ NULL, "batch_items", FIELD_COUNT, AT(batch_items), 0, true },
	{ NULL, "max_batches", FIELD_COUNT, AT(max_batches), 0, true },
	{ NULL, "banks", FIELD_COUNT, AT(banks), 0, false },
	{ NULL, "local_bytes", FIELD_BYTES, AT(local_bytes), 0, true },
	{ NULL, "spread", FIELD_NUMBER, AT(spread), 0, false },
	{ NULL, "units_factor", FIELD_NUMBER, AT(units_factor), 0, false },
	{ NULL, "balanced_cycles", FIELD_NUMBER, AT(balanced_cycles), 0, false },
	{ NULL, "operator_latency", FIELD_NUMBER, AT(operator_latency), 0, false },
	{ NULL, "issue_cycles", FIELD_NUMBER, AT(issue_cycles), 0, false },
	{ NULL, "global_random", FIELD_CURVE, AT(global_random), 0, false },
	{ NULL, "table_load", FIELD_CURVE, AT(table_load), 0, false },
	{ NULL, "global_bytes_per_s", FIELD_NUMBER, AT(global_bytes_per_s), 0, false },
	{ NULL, "launch_s", FIELD_NUMBER, AT(launch_s), 0, false },
	{ NULL, "enqueue_s", FIELD_NUMBER, AT(enqueue_s), 0, false },
	{ NULL, "group_cycles", FIELD_NUMBER, AT(group_cycles), 0, false },
	{ NULL, "build_s", FIELD_NUMBER, AT(build_s), 0, false },
	{ NULL, "context_s", FIELD_NUMBER, AT(context_s), 0, false },
	{ "transfer", "pageable_in", FIELD_NUMBER, AT(transfer.pageable_in), 0, false },
	{ "transfer", "pageable_out", FIELD_NUMBER, AT(transfer.pageable_out), 0, false },
	{ "transfer", "pinned_in", FIELD_NUMBER, AT(transfer.pinned_in), 0, false },
	{ "transfer", "pinned_out", FIELD_NUMBER, AT(transfer.pinned_out), 0, false },
	{ "transfer", "pinned_both", FIELD_NUMBER, AT(transfer.pinned_both), 0, false },
	{ "transfer", "pinning", FIELD_NUMBER, AT(transfer.pinning), 0, false },
	{ "transfer", "tags", FIELD_NUMBER, AT(transfer.tags), 0, false },
	{ NULL, "cpu_threads", FIELD_COUNT, AT(cpu_threads), 0, false },
	{ NULL, "cpu", FIELD_SPEEDS, AT(cpu), 0, false },
	{ "tag", "one_thread", FIELD_NUMBER, AT(tag.one_thread), 0, false },
	{ "tag", "all_threads", FIELD_NUMBER, AT(tag.all_threads), 0, false },
	{ "copy", "one_thread", FIELD_NUMBER, AT(copy.one_thread), 0, false },
	{ "copy", "all_threads", FIELD_NUMBER, AT(copy.all_threads), 0, false },
	{ NULL, "run_s", FIELD_NUMBER, AT(run_s), 0, false },
	{ "storage", "read", FIELD_NUMBER, AT(read.one_thread), 0, false },
	{ "storage", "read_all_threads", FIELD_NUMBER, AT(read.all_threads), 0, false },
	{ "storage", "write", FIELD_NUMBER, AT(write_bytes_per_s), 0, false },
	{ "storage", "sync", FIELD_NUMBER, AT(sync_bytes_per_s), 0, false },
};

struct visitor {
	int (*visit)(void *self, const struct field *field);
	void *self;
	int status;
};

static void visit_one(struct visitor *v, const struct field *field)
{
	if (v->status == GPUCRYPT_OK)
		v->status = v->visit(v->self, field);
}

static void visit(struct visitor *v, const char *group, const char *name, enum field_type type, void *at, bool required)
{
	const struct field field = { group, name, type, at, 0, required, false };

	visit_one(v, &field);
}

static void visit_later(struct visitor *v, const char *group, const char *name, enum field_type type, void *at)
{
	const struct field field = { group, name, type, at, 0, false, true };

	visit_one(v, &field);
}

static void visit_trials(struct visitor *v, struct record *record)
{
	struct suite suite;
	char name[24];

	for (unsigned i = 0; trial_suite(&suite, i); i++) {
		cpu_speed_name(name, suite.cipher->name, 8 * suite.key_bytes, suite.mode->name, true);
		visit_later(v, "trials", name, FIELD_NUMBER, &record->trials[i]);
	}
}

/* The fields that go by a name each. */
static void visit_arrays(struct visitor *v, struct record *record)
{
	static const bool required[N_RESOURCES] = { [RESOURCE_LOCAL_RANDOM] = true,
		[RESOURCE_LOCAL_REGULAR] = true,
		[RESOURCE_GLOBAL] = true,
		[RESOURCE_ARITHMETIC] = true };
	const struct field libcrypto = { NULL, "libcrypto", FIELD_TEXT, record->libcrypto, sizeof(record->libcrypto),
		false, true };

	for (unsigned i = 0; i < N_RESOURCES; i++)
		visit(v, "curves", resource_names[i], FIELD_CURVE, &record->curves[i], required[i]);
	for (unsigned i = 0; i < OPERATOR_WIDE; i++)
		visit(v, "operator_cycles", operator_names[i], FIELD_NUMBER, &record->operator_cycles[i], false);
	for (unsigned i = 0; i < FUSION_CHAIN; i++)
		visit(v, "fusion_cycles", fusion_names[i], FIELD_NUMBER, &record->fusion_cycles[i], false);
	/* Not "wide", as in records of when another chain of products was timed. */
	visit_later(v, "operator_cycles", "multiply_add", FIELD_NUMBER, &record->operator_cycles[OPERATOR_WIDE]);
	visit_later(v, "fusion_cycles", fusion_names[FUSION_CHAIN], FIELD_NUMBER, &record->fusion_cycles[FUSION_CHAIN]);
	visit_trials(v, record);
	visit_later(v, NULL, "engine_s", FIELD_NUMBER, &record->engine_s);
	visit_later(v, NULL, "close_s", FIELD_NUMBER, &record->close_s);
	visit_later(v, NULL, "build_sliced_s", FIELD_NUMBER, &record->build_sliced_s);
	visit_one(v, &libcrypto);
	visit_later(v, NULL, "slice_words", FIELD_COUNT, &record->slice_words);
	for (unsigned i = 0; i < N_SLICE_OPERATIONS; i++)
		visit_later(v, "slice_cycles", slice_operation_names[i], FIELD_NUMBER, &record->slice_cycles[i]);
	for (unsigned i = 0; i <= MAX_COPIES_LOG2; i++) {
		char copies[12];
		snprintf(copies, sizeof(copies), "%u", 1u << i);
		visit(v, "copies_cycles", copies, FIELD_NUMBER, &record->copies_cycles[i], false);
	}
	for (unsigned i = 0; i < N_LOOKUP_PLACES * N_FIELDS * N_LOOKUP_COSTS; i++) {
		unsigned place = i / (N_FIELDS * N_LOOKUP_COSTS), kind = i / N_LOOKUP_COSTS % N_FIELDS,
		         cost = i % N_LOOKUP_COSTS;
		char name[48];
		snprintf(name, sizeof(name), "%s_%s_%s", lookup_names[place], field_names[kind],
		        lookup_cost_names[cost]);
		visit(v, "lookup_cycles", name, FIELD_NUMBER, &record->lookups[place][kind][cost], false);
	}
}

int record_fields(struct record *record, int (*visit_field)(void *self, const struct field *field), void *self)
{
	struct visitor v = { visit_field, self, GPUCRYPT_OK };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && v.status == GPUCRYPT_OK; i++) {
		const struct row *row = &rows[i];
		const struct field field = { row->group, row->name, row->type, (char *)record + row->offset, row->size,
			row->required, false };
		v.status = visit_field(self, &field);
	}
	visit_arrays(&v, record);
	return v.status;
}
