/* The dissertation's bounds. */
#include "ppf/model/internal.h"
#include "ppf/model/overlap.h"

void predict_thesis(struct thesis_prediction *p, const struct device_record *record, const struct profile *profile,
        const struct launch *launch)
{
	double items = (double)launch->kernel.work_groups * launch->kernel.work_items, batches_in_a_unit;

	p->n_batch = (double)launch->kernel.work_items / record->batch_items;
	p->n_iter = (double)launch->n_bytes / (launch_block_bytes(launch) * items);
	/* equation 6.4 */
	p->block_sa = device_record_full_cycles(record, RESOURCE_GLOBAL) * (profile->n_pt + profile->n_ct) +
	              device_record_full_cycles(record, RESOURCE_LOCAL_RANDOM) * profile->n_tbl +
	              device_record_full_cycles(record, RESOURCE_LOCAL_REGULAR) * profile->n_key;
	p->block_si = p->block_sa + device_record_full_cycles(record, RESOURCE_ARITHMETIC) * profile_n_inst(profile);
	/* equation 6.3 */
	batches_in_a_unit = p->n_iter * p->n_batch * launch->kernel.work_groups / record->compute_units;
	/* equation 6.2 */
	p->l_ker = record->launch_s * record->clock_hz;
	p->l_ld = curve_cycles(&record->table_load, launch->table_words);
	p->total_sa = p->l_ker + p->l_ld + p->block_sa * batches_in_a_unit;
	p->total_si = p->l_ker + p->l_ld + p->block_si * batches_in_a_unit;
}
