#include "ppf/model/scalars.h"

#include <math.h>

/* Bytes of a line of the caches of x86-64 and of most 64-bit Arm processors.  The blocks of a work-item are a grid
 * apart, so that no two of them share a line. */
#define CACHE_LINE 64

/* The cycles that a look-up takes longer than in the measured table, because a larger one lies in slower caches. */
static double farther_cycles(const struct device_record *record, unsigned table_words, unsigned copies)
{
	double farther = curve_cycles(&record->global_random, (double)table_words * copies) -
	                 curve_cycles(&record->global_random, (double)MEASURED_WORDS * copies);

	return farther > 0 ? farther : 0;
}

/* A load whose address does not depend on data counts as one instruction; so does an operator on 64 bits. */
static double instruction_cycles(const struct device_record *record, const struct demand *demand, unsigned copies)
{
	enum lookup_place place = copies > 1 ? LOOKUP_LOCAL_COPIES : LOOKUP_LOCAL;
	double cycles = (demand->n_key + demand->n_words) * record->issue_cycles;

	for (int i = 0; i < N_OPERATORS; i++)
		cycles += (demand->operators[i] - demand->halves[i]) * record->operator_cycles[i];
	for (int kind = 0; kind < N_FIELDS; kind++)
		cycles += demand->fields[kind] * record->lookups[place][kind][LOOKUP_CYCLES];
	return cycles;
}

void scalars_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct demand *demand,
        const struct launch *launch)
{
	unsigned copies = launch->kernel.replicas;
	double farther = farther_cycles(record, launch->table_words, copies),
	       lines = ceil(launch_block_bytes(launch) / CACHE_LINE);

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_ISSUE] = instruction_cycles(record, demand, copies) + demand->n_tbl * farther;
	cycles[BOUND_LATENCY] = demand_latency(record, demand, farther);
	cycles[BOUND_GLOBAL] = lines * device_record_cycles(record, RESOURCE_STREAM, record->max_batches);
}
