/*
 * Chapter 4 of the dissertation: AES-128-ECB with 16, 8, 4 or 1 bytes of a block for each
 * work-item, and tables, round keys and the state where they can lie (tables 4.3, 4.6, 4.7,
 * figure 4.8).
 */
#include <string.h>

#include "ppf/study/figures.h"
#include "gpucrypt/status.h"
#include "ppf/study/granularity.h"
#include "ppf/study/product.h"
#include "ppf/study/variant.h"

static const char *const spaces[N_SPACES] = { "constant", "local" };
const char *const granularity_states[N_STATES] = { "registers", "local memory, AoS", "local memory, SoA" };

/* The dissertation's tables 4.6 and 4.7, GTX 280, Gbit/s. */
static const struct {
	struct placement placement;
	const char *name; /* there */
	double gigabits;
} printed[] = {
	{ { 16, 0, 0, 0 }, "16Bs-I", 4.0 },
	{ { 16, 1, 0, 0 }, "16Bs-II", 27.3 },
	{ { 16, 1, 1, 0 }, "16Bs-III", 27.9 },
	{ { 16, 1, 1, 1 }, "16Bs-IV", 23.7 },
	{ { 16, 1, 1, 2 }, "16Bs-V", 17.2 },
	{ { 8, 1, 0, 1 }, "8Bs-I", 21.3 },
	{ { 8, 1, 0, 2 }, "8Bs-III", 18.5 },
	{ { 4, 1, 0, 1 }, "4Bs-I", 20.1 },
	{ { 4, 1, 0, 2 }, "4Bs-III", 13.6 },
};

struct placement granularity_placement(unsigned i)
{
	static const unsigned item_bytes[N_GRANULARITIES] = { 16, 8, 4, 1 };

	return (struct placement){ item_bytes[i / (N_SPACES * N_SPACES * N_STATES)],
		i / (N_SPACES * N_STATES) % N_SPACES, i / N_STATES % N_SPACES, i % N_STATES };
}

const char *granularity_row(char text[48], const struct placement *at)
{
	snprintf(text, 48, "%u B, T %s, K %s", at->item_bytes, spaces[at->table], spaces[at->key]);
	return text;
}

const char *granularity_name(char text[64], const struct placement *at)
{
	char row[48];

	snprintf(text, 64, "%.35s, state in %s", granularity_row(row, at), granularity_states[at->state]);
	return text;
}

int granularity_run(
        struct ecb *ecb, struct figure *figure, const struct placement *at, double end_s, struct launch_shape *best)
{
	char row[48], name[64];
	double seconds = 0;
	int status = ecb_time(ecb, granularity_name(name, at), at, end_s, &seconds, best);

	if (seconds > 0)
		figure_bar(figure, granularity_states[at->state], granularity_row(row, at),
		        gigabits(ecb->n_bytes, seconds));
	return variant_note(figure, name, status);
}

static bool is_policy(const struct placement *at)
{
	return at->item_bytes == BLOCK_BYTES && at->table == SPACE_LOCAL && at->key == SPACE_LOCAL &&
	       at->state == STATE_REGISTER;
}

/* Each has its part of the time that is left; best: the launch of the policy's. */
static int run_variants(struct ecb *ecb, struct figure *figure, struct launch_shape *best)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < N_PLACEMENTS && status == GPUCRYPT_OK; i++) {
		const struct placement at = granularity_placement(i);
		struct launch_shape shape = { 0 };
		if (granularity_impossible(&at))
			continue;
		status = granularity_run(
		        ecb, figure, &at, host_seconds() + study_left_s(ecb->study) / (N_PLACEMENTS - i), &shape);
		if (is_policy(&at))
			*best = shape;
	}
	return status;
}

/* One line for each granularity: which of them it is does not matter. */
static void note_impossible(struct figure *figure)
{
	char name[64];

	for (unsigned i = 0; i < N_PLACEMENTS; i++) {
		const struct placement at = granularity_placement(i);
		if (!granularity_impossible(&at) || at.table != SPACE_CONSTANT || at.key != SPACE_CONSTANT)
			continue;
		snprintf(name, sizeof(name), "%u B, any place of T and K, state in %s", at.item_bytes,
		        granularity_states[at.state]);
		figure_note(figure, NOTE_IMPOSSIBLE, name,
		        "work-items that share a block exchange its state, and do not see each "
		        "other's registers");
	}
}

static void put_printed(struct figure *figure)
{
	char row[48], series[64];

	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
		const struct placement *at = &printed[i].placement;
		snprintf(series, sizeof(series), "GTX 280 (dissertation): %s", granularity_states[at->state]);
		figure_bar(figure, series, granularity_row(row, at), printed[i].gigabits);
		figure_mark_printed(figure, series);
	}
}

/* The product's own kernels: the policy, a table for each bank, and what gcrypt takes here. */
static int run_products(const struct ecb *ecb, struct figure *figure)
{
	const struct suite suite = { &cipher_aes, &modes[MODE_ECB], ECB_KEY_BYTES, ENCRYPT };
	const char *const names[] = { PRODUCT_POLICY, PRODUCT_REPLICATED, PRODUCT_CHOSEN };
	struct gpucrypt_plan plans[] = { { .kernel.table = TABLE_4 },
		{ .kernel = { .table = TABLE_1, .replicas = 32 } }, { 0 } };
	int status = product_choose(&plans[2], ecb->study, &suite, ecb->n_bytes);

	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]) && status == GPUCRYPT_OK; i++) {
		double seconds;
		status = variant_note(
		        figure, names[i], product_time(ecb->study, &suite, &plans[i], ecb->n_bytes, &seconds));
		if (seconds > 0)
			figure_bar(figure, PRODUCT_SERIES, names[i], gigabits(ecb->n_bytes, seconds));
	}
	return status;
}

int figure_granularity(struct study *study, struct figure *figure)
{
	struct launch_shape best = { 0 };
	struct ecb ecb;
	int status = ecb_open(&ecb, study);

	figure->bars = figure->log_y = true;
	snprintf(figure->x_label, sizeof(figure->x_label), "a work-item's bytes, tables (T), keys (K)");
	snprintf(figure->y_label, sizeof(figure->y_label), "Gbit/s");
	if (status == GPUCRYPT_OK)
		status = run_variants(&ecb, figure, &best);
	note_impossible(figure);
	if (status == GPUCRYPT_OK)
		status = run_products(&ecb, figure);
	ecb_close(&ecb);
	put_printed(figure);
	if (status == GPUCRYPT_OK)
		granularity_conclude(figure, &best, ecb_n_shapes(study->device));
	return status;
}
