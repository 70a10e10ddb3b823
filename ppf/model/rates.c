#include "ppf/model/rates.h"

#include "gpucrypt/engine/opencl/engine_opencl.h"

double find_bottleneck(const struct cost costs[N_STAGES], double lane, enum cost_stage *bottleneck)
{
	enum cost_stage longest = STAGE_READ, of_lane = STAGE_IN;

	for (enum cost_stage s = STAGE_READ; s <= STAGE_CORES; s++)
		if (costs[s].period_s > costs[longest].period_s)
			longest = s;
	for (enum cost_stage s = STAGE_IN; s <= STAGE_OUT; s++)
		if (costs[s].alone_s > costs[of_lane].alone_s)
			of_lane = s;
	*bottleneck = lane > costs[longest].period_s ? of_lane : longest;
	return lane > costs[longest].period_s ? lane : costs[longest].period_s;
}

void rate_sum_up(struct rate *rate)
{
	enum cost_stage any;

	rate->core_s = 0;
	for (enum cost_stage s = STAGE_IN; s <= STAGE_TAG; s++)
		rate->core_s += rate->costs[s].core_s;
	rate->bytes_per_s = 1 / find_bottleneck(rate->costs, rate->lane_s, &any);
}

void share_cores(
        struct rate rates[], const struct machine *machine, const struct part *parts, unsigned n_parts, double around_s)
{
	double cores = machine->cpu_threads, busy = 0, left, most;

	for (unsigned i = 0; i < n_parts; i++)
		if (parts[i].device != NULL)
			busy += rates[i].bytes_per_s * (around_s + rates[i].core_s) +
			        (parts[i].device->record.is_cpu ? 0 : OPENCL_LANES);
	for (unsigned i = 0; i < n_parts && n_parts > 1; i++) {
		struct cost *cost = &rates[i].costs[STAGE_CPU];
		if (parts[i].device != NULL)
			continue;
		left = cores * parts[i].threads / (parts[i].threads + busy);
		left = cores - busy > left ? cores - busy : left;
		most = left / (around_s + rates[i].core_s);
		if (most < rates[i].bytes_per_s)
			cost->period_s = 1 / most, cost->alone_s = parts[i].threads / most;
		rate_sum_up(&rates[i]);
	}
}

void join_rates(struct cost costs[N_STAGES], double *lane_s, const struct rate rates[], unsigned n_parts)
{
	const struct rate *slowest = &rates[0];
	double sum = 0;

	for (unsigned i = 0; i < n_parts; i++) {
		sum += rates[i].bytes_per_s;
		if (rates[i].costs[STAGE_CPU].alone_s > slowest->costs[STAGE_CPU].alone_s)
			slowest = &rates[i];
	}
	for (unsigned i = 0; i < n_parts; i++) {
		double share = rates[i].bytes_per_s / sum;
		for (enum cost_stage s = STAGE_IN; s <= STAGE_TAG; s++) {
			double period = share * rates[i].costs[s].period_s;
			if (period > costs[s].period_s)
				costs[s].period_s = period;
			costs[s].core_s += share * rates[i].costs[s].core_s;
			costs[s].alone_s = slowest->costs[s].alone_s;
		}
		if (share * rates[i].lane_s > *lane_s)
			*lane_s = share * rates[i].lane_s;
	}
}

void hold_slots(struct cost *cpu, unsigned n_slots)
{
	double held = cpu->alone_s / n_slots;

	if (held > cpu->period_s)
		cpu->period_s = held;
}
