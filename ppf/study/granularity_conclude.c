/* Check the conclusions of section 4.5.2 of the dissertation against the measured values. */
#include <math.h>
#include <string.h>

#include "ppf/study/granularity.h"

static const struct placement policy = { 16, SPACE_LOCAL, SPACE_LOCAL, STATE_REGISTER };

static double value(const struct figure *figure, struct placement at)
{
	char row[48];

	return figure_y(figure, granularity_states[at.state], granularity_row(row, &at));
}

/* The fastest of a granularity (0: of all); NAN if there is none. */
static double fastest(const struct figure *figure, unsigned item_bytes, struct placement *where)
{
	double best = NAN;

	for (unsigned i = 0; i < N_PLACEMENTS; i++) {
		struct placement at = granularity_placement(i);
		double y = value(figure, at);
		if ((item_bytes != 0 && at.item_bytes != item_bytes) || isnan(y) || best >= y)
			continue;
		best = y;
		*where = at;
	}
	return best;
}

static void conclude_granularity(struct figure *figure)
{
	struct placement where;
	double whole = fastest(figure, 16, &where), eight = fastest(figure, 8, &where),
	       four = fastest(figure, 4, &where), one = fastest(figure, 1, &where);

	figure_conclude(figure, figure_greater(figure, whole, fmax(eight, fmax(four, one))),
	        "A whole block for each work-item is fastest: 27.9 Gbit/s, against 21.3 with 8 "
	        "bytes (0.76 of it), 20.1 with 4 (0.72) and 2.3 with 1 (0.08).",
	        "%.3g Gbit/s with 16 bytes, %.3g with 8 (%.2f of it), %.3g with 4 (%.2f), %.3g "
	        "with "
	        "1 (%.2f).",
	        whole, eight, eight / whole, four, four / whole, one, one / whole);
}

static void conclude_tables(struct figure *figure)
{
	struct placement at = { 16, SPACE_CONSTANT, SPACE_CONSTANT, STATE_REGISTER };
	double constant = value(figure, at), local;

	at.table = SPACE_LOCAL;
	local = value(figure, at);
	figure_conclude(figure, figure_greater(figure, local, constant),
	        "Tables belong in local memory: in constant memory, 4.0 instead of 27.3 Gbit/s "
	        "(local is 6.8 times as fast).",
	        "%.3g Gbit/s in constant memory, %.3g in local memory (%.2f times as fast).", constant, local,
	        local / constant);
}

/* Local over constant memory for the round keys, tables in local memory. */
static double key_ratio(const struct figure *figure, unsigned item_bytes, enum state state)
{
	struct placement at = { item_bytes, SPACE_LOCAL, SPACE_CONSTANT, state };
	double constant = value(figure, at);

	at.key = SPACE_LOCAL;
	return value(figure, at) / constant;
}

static void conclude_keys(struct figure *figure)
{
	double whole = key_ratio(figure, 16, STATE_REGISTER), eight = key_ratio(figure, 8, STATE_AOS),
	       four = key_ratio(figure, 4, STATE_AOS);
	enum verdict both = figure_greater(figure, 1, fmax(eight, four));

	figure_conclude(figure, figure_greater(figure, whole, 1),
	        "With a block for each work-item, round keys are a little faster in local memory "
	        "than in constant memory: 27.9 against 27.3 Gbit/s (1.02).",
	        "Local memory gives %.3f of what constant memory gives.", whole);
	figure_conclude(figure, isnan(eight) || isnan(four) ? VERDICT_OPEN : both,
	        "With 8 or 4 bytes for each work-item it is the other way round, since work-items "
	        "read different words of a round key and meet in banks.",
	        "Local memory gives %.3f of what constant memory gives with 8 bytes, %.3f with 4.", eight, four);
}

static void conclude_state(struct figure *figure)
{
	struct placement at = policy;
	double y[N_STATES], eight[N_STATES], four[N_STATES];

	for (unsigned s = 0; s < N_STATES; s++) {
		y[s] = value(figure, (struct placement){ 16, SPACE_LOCAL, SPACE_LOCAL, s });
		at.key = SPACE_CONSTANT, at.state = s;
		at.item_bytes = 8, eight[s] = value(figure, at);
		at.item_bytes = 4, four[s] = value(figure, at);
	}
	figure_conclude(figure, figure_greater(figure, y[STATE_REGISTER], fmax(y[STATE_AOS], y[STATE_SOA])),
	        "The state belongs in registers: 27.9 Gbit/s, against 23.7 (0.85) and 17.2 (0.62) "
	        "in "
	        "local memory.",
	        "%.3g Gbit/s in registers, %.3g (%.2f) as AoS and %.3g (%.2f) as SoA in local "
	        "memory.",
	        y[STATE_REGISTER], y[STATE_AOS], y[STATE_AOS] / y[STATE_REGISTER], y[STATE_SOA],
	        y[STATE_SOA] / y[STATE_REGISTER]);
	figure_conclude(figure,
	        figure_greater(figure, fmin(eight[STATE_AOS] / eight[STATE_SOA], four[STATE_AOS] / four[STATE_SOA]), 1),
	        "In local memory, an array of structures is faster than a structure of arrays, "
	        "whose "
	        "addresses take more instructions: 1.15 times with 8 bytes, 1.48 times with 4.",
	        "AoS gives %.2f times what SoA gives with 8 bytes, %.2f times with 4.",
	        eight[STATE_AOS] / eight[STATE_SOA], four[STATE_AOS] / four[STATE_SOA]);
}

static void conclude_policy(struct figure *figure)
{
	struct placement where = policy;
	double best = fastest(figure, 0, &where), y = value(figure, policy);
	char row[48];

	figure_conclude(figure, isnan(y) ? VERDICT_OPEN : verdict_of(figure_greater(figure, best, y) != VERDICT_HOLDS),
	        "The policy (a block for each work-item, tables and round keys in local memory, "
	        "the "
	        "state in registers) is the fastest of all variants.",
	        "It gives %.3g Gbit/s; the fastest (%s, state in %s) gives %.3g, %.3f of it.", y,
	        granularity_row(row, &where), granularity_states[where.state], best, best / y);
}

/* A single shape was tried where tuning means nothing. */
static void conclude_launch(struct figure *figure, const struct launch_shape *best, unsigned n_shapes)
{
	bool same = best->items == 512 && best->groups_per_unit == 3;

	figure_conclude(figure, n_shapes < 2 || best->items == 0 ? VERDICT_OPEN : verdict_of(same),
	        "The best launch is 3 work-groups for each compute unit (90 for 30), with 512 "
	        "work-items each.",
	        "%u for each compute unit with %u work-items, out of %u launches that were tried.",
	        best->groups_per_unit, best->items, n_shapes);
}

static void conclude_replicated(struct figure *figure)
{
	double one = figure_y(figure, PRODUCT_SERIES, PRODUCT_POLICY),
	       copies = figure_y(figure, PRODUCT_SERIES, PRODUCT_REPLICATED),
	       chosen = figure_y(figure, PRODUCT_SERIES, PRODUCT_CHOSEN);

	figure_conclude(figure, figure_greater(figure, one, copies),
	        "Look-ups are random, so conflicts of banks cannot be avoided: one copy of the "
	        "tables "
	        "in local memory is what can be had.",
	        "The product's kernel gives %.3g Gbit/s with one copy of four tables, %.3g (%.2f "
	        "times) with a copy of one table for each bank; what it chooses here gives %.3g.",
	        one, copies, copies / one, chosen);
}

void granularity_conclude(struct figure *figure, const struct launch_shape *best, unsigned n_shapes)
{
	conclude_granularity(figure);
	conclude_tables(figure);
	conclude_keys(figure);
	conclude_state(figure);
	conclude_policy(figure);
	conclude_launch(figure, best, n_shapes);
	conclude_replicated(figure);
}
