#include "ppf/model/demand.h"

#include <stddef.h>

/* The number of instructions for the logic operators outside look-ups; the costs of look-ups include the extraction of
 * their fields.  Pairs of operators fuse on devices with logic instructions of three inputs. */
static double logic_instructions(const struct device_record *record, const struct profile *profile)
{
	double two = record->fusion_cycles[FUSION_LOGIC], one = record->operator_cycles[OPERATOR_LOGIC];

	if (two > 0 && two < 1.5 * one)
		return profile->logic_functions;
	return profile->operators[OPERATOR_LOGIC] - profile->field_operators[OPERATOR_LOGIC];
}

static void add_demand(
        struct demand *demand, const struct device_record *record, const struct profile *profile, double share)
{
	demand->n_tbl += share * profile->n_tbl;
	demand->n_key += share * (profile->keys_once ? profile->keys_once : profile->n_key);
	demand->left_shifts += share * profile->left_shifts;
	for (unsigned i = 0; i < N_TABLE_SIZES; i++)
		demand->lookups[i] += share * profile->lookups[i];
	demand->n_words += share * (profile->n_pt + profile->n_ct);
	for (int i = 0; i < N_OPERATORS; i++) {
		demand->operators[i] +=
		        share * (i == OPERATOR_LOGIC ? logic_instructions(record, profile)
		                                     : profile->operators[i] - profile->field_operators[i]);
		demand->halves[i] += share * profile->halves[i];
	}
	for (int kind = 0; kind < N_FIELDS; kind++)
		demand->fields[kind] += share * profile->fields[kind];
	demand->high_fields += share * profile->high_fields;
	demand->lookups_deep += share * profile->lookups_deep;
	demand->operators_deep += share * profile->operators_deep;
}

unsigned item_blocks(const struct launch *launch)
{
	return launch->item_blocks > 1 ? launch->item_blocks : 1;
}

static bool is_bitsliced(const struct launch *launch)
{
	return item_blocks(launch) > 1 && launch->shared == NULL;
}

/* In bitsliced kernels with keys in local memory, table.cl expands each key bit to a word when it copies the keys.  The
 * profile counts the shift, the AND and the subtraction of that expansion in the block. */
static void subtract_placing(struct demand *demand, const struct launch *launch)
{
	if (!is_bitsliced(launch) || launch->kernel.key_space != MEMORY_LOCAL)
		return;
	demand->operators[OPERATOR_SHIFT] -= demand->n_key;
	demand->operators[OPERATOR_LOGIC] -= demand->n_key;
	demand->operators[OPERATOR_ADD] -= demand->n_key;
}

struct demand demand_of(const struct device_record *record, const struct profile *profile, const struct launch *launch)
{
	struct demand demand = { 0 };

	add_demand(&demand, record, profile, 1);
	subtract_placing(&demand, launch);
	/* Tweaks are computed twice, because slices leave no registers for tweaks during the cipher (xts_slice.cl). */
	if (launch->mode)
		add_demand(&demand, record, launch->mode, launch->has_tweaks && item_blocks(launch) > 1 ? 2 : 1);
	if (launch->shared)
		add_demand(&demand, record, launch->shared, 1.0 / item_blocks(launch));
	return demand;
}

double demand_latency(const struct device_record *record, const struct demand *demand, double farther)
{
	double lookup = CHASE_CHAINS * (device_record_cycles(record, RESOURCE_LOCAL_COPIES, 1) + farther);

	return demand->lookups_deep * (lookup + record->operator_latency) +
	       demand->operators_deep * record->operator_latency;
}
