#include "cli/advise/advise_runs.h"

#include "gpucrypt/ascending.h"

/*
 * Extrapolate to the whole input from the fastest run over a part and the fastest run over a quarter of that part.
 * Start-up and the first use of memory cost the same for every size; the difference of the two runs is the cost of the
 * bytes.
 */
static double whole_seconds(const struct advice_runs *runs, uint64_t n_bytes)
{
	uint64_t part = runs->n_bytes, quarter = part / 4;
	double part_s = runs->seconds[0], quarter_s = runs->quarter_s[0];
	double byte_s = quarter_s < part_s ? (part_s - quarter_s) / (double)(part - quarter) : part_s / (double)part;

	return part_s + byte_s * (double)(n_bytes - part);
}

struct seconds_range advice_range(struct advice_runs *runs, uint64_t n_bytes)
{
	double least;

	sort_ascending(runs->seconds, ADVICE_RUNS);
	sort_ascending(runs->quarter_s, ADVICE_RUNS);
	least = runs->n_bytes < n_bytes ? whole_seconds(runs, n_bytes) : runs->seconds[0];
	return (struct seconds_range){ least, least * runs->seconds[ADVICE_RUNS / 2] / runs->seconds[0],
		least * runs->seconds[ADVICE_RUNS - 2] / runs->seconds[0] };
}
