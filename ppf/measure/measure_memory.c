/* Look-ups and loads in local, constant and global memory. */
#include <stddef.h>
#include <stdio.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define CHASE_STEPS     64
#define COALESCED_WORDS 128
#define COALESCED_BYTES (1u << 20) /* every load reads the first words, at most 32 bytes for each work-item */
#define LOOKUP_STEPS    64
#define HIDDEN_LOOKUPS  16
#define HIDING_STEPS    16 /* logic operations per look-up */
#define TABLE_WORDS     256

#define AT(member) .figure = offsetof(struct device_record, member), .table_words = TABLE_WORDS
#define LOCAL(launch, copies, stride, member)                                   \
	{                                                                       \
		"chase_local", CHASE_STEPS, launch, AT(member), copies, stride, \
	}
#define CONSTANT(step, member)                                                                  \
	{                                                                                       \
		"chase_constant", CHASE_STEPS, OVER_BATCHES, AT(curves[member]), .stride = step \
	}

static const struct chain_row memory_rows[] = {
	LOCAL(OVER_BATCHES, 1, 1, curves[RESOURCE_LOCAL_RANDOM]),
	LOCAL(ONE_GROUP, 1, 1, copies_cycles[0]),
	LOCAL(ONE_GROUP, 2, 1, copies_cycles[1]),
	LOCAL(ONE_GROUP, 4, 1, copies_cycles[2]),
	LOCAL(ONE_GROUP, 8, 1, copies_cycles[3]),
	LOCAL(ONE_GROUP, 16, 1, copies_cycles[4]),
	LOCAL(ONE_GROUP, 32, 1, copies_cycles[5]),
	LOCAL(ONE_GROUP, 64, 1, copies_cycles[6]),
	LOCAL(OVER_BATCHES, BANKS, 1, curves[RESOURCE_LOCAL_COPIES]),
	LOCAL(OVER_BATCHES, 1, 0, curves[RESOURCE_LOCAL_REGULAR]),
	CONSTANT(1, RESOURCE_CONSTANT),
	CONSTANT(0, RESOURCE_CONSTANT_REGULAR),
	{ "chase_global", CHASE_STEPS, OVER_WORDS, AT(global_random), .stride = 1 },
	{ "load_coalesced", COALESCED_WORDS, OVER_BATCHES,
	        .figure = offsetof(struct device_record, curves[RESOURCE_GLOBAL]), .zeros = COALESCED_BYTES },
	{ .kernel = NULL },
};
_Static_assert(MAX_COPIES_LOG2 == 6, "memory_rows has a row for each number of replicas");

int measure_memory(struct bench *bench, struct device_record *record)
{
	return measure_rows(bench, memory_rows, 1, bench_passes(bench), record);
}

/* The cycles of a look-up alone, of one among the steps of other operators, and among a few logic operations. */
struct lookup_chains {
	double look_up, look_up_in_logic, look_up_in_mul, look_up_in_both, look_up_balanced;
};

#define LOOKUP(name, steps)                                                                    \
	{                                                                                      \
#name, steps, ONE_GROUP, .figure = offsetof(struct lookup_chains, name),       \
		                         .gpu_only = offsetof(struct lookup_chains, name) != 0 \
	}

/* On a CPU the pipes cannot be distinguished. */
static const struct chain_row lookup_rows[] = {
	LOOKUP(look_up, LOOKUP_STEPS),
	LOOKUP(look_up_in_logic, HIDDEN_LOOKUPS),
	LOOKUP(look_up_in_mul, HIDDEN_LOOKUPS),
	LOOKUP(look_up_in_both, HIDDEN_LOOKUPS),
	LOOKUP(look_up_balanced, LOOKUP_STEPS),
	{ .kernel = NULL },
};

static int build_lookups(struct bench *bench, enum field_kind kind, unsigned copies)
{
	char options[192];
	size_t items, all;

	bench_launch(bench, bench->group_batches, &items, &all);
	snprintf(options, sizeof(options),
	        "-DLOOKUPS -DFIELD_KIND=%d -DTABLE_IN_LOCAL -DKEYS_IN_CONSTANT -DTABLE_WORDS=%u "
	        "-DCOPIES=%u -DWORK_ITEMS=%zu%s",
	        (int)kind, TABLE_WORDS, copies, items, bench->device->ptx ? " -DPTX" : "");
	return bench_build(bench, "word.cl table.cl bench.cl", NULL, options);
}

static double rest_cycles(double chain, double others)
{
	return chain > others ? chain - others : 0;
}

/* Derive the cost that a look-up adds to each stream of operators.  The XOR of the look-up counts as half of a logic
 * operation of three inputs. */
static void derive_costs(const struct device_record *record, const struct lookup_chains *chains, double *costs)
{
	double logic = record->fusion_cycles[FUSION_LOGIC], issue = record->issue_cycles;
	double mul = record->operator_cycles[OPERATOR_MUL];

	costs[LOOKUP_CYCLES] = chains->look_up;
	costs[LOOKUP_LOGIC] = rest_cycles(chains->look_up_in_logic, HIDING_STEPS * logic + logic / 2);
	costs[LOOKUP_MUL] = rest_cycles(chains->look_up_in_mul, HIDING_STEPS * mul);
	costs[LOOKUP_ISSUE] = rest_cycles(chains->look_up_in_both, HIDING_STEPS * 2 * issue + issue / 2);
}

int measure_lookups(struct bench *bench, struct device_record *record)
{
	static const unsigned copies[N_LOOKUP_PLACES] = { [LOOKUP_LOCAL] = 1, [LOOKUP_LOCAL_COPIES] = BANKS };
	struct lookup_chains chains[N_FIELDS][N_LOOKUP_PLACES] = { 0 };
	unsigned n_places = record->curves[RESOURCE_LOCAL_COPIES].n != 0 ? N_LOOKUP_PLACES : LOOKUP_LOCAL + 1;
	unsigned n = N_FIELDS * n_places;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < bench_passes(bench) * n && status == GPUCRYPT_OK; i++) {
		unsigned kind = i % n / n_places, place = i % n_places;

		status = build_lookups(bench, (enum field_kind)kind, copies[place])
		                 ?: measure_rows(bench, lookup_rows, 1, 1, &chains[kind][place]);
		derive_costs(record, &chains[kind][place], record->lookups[place][kind]);
	}
	record->balanced_cycles = chains[FIELD_BYTE][LOOKUP_LOCAL_COPIES].look_up_balanced;
	return status;
}
