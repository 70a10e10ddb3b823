/* Find the fastest rows by comparing their times. */
#include <stddef.h>

#include "cli/advise/advise.h"

/* SC2000 is advised only to those who named it. */
static bool takes_part(
        const struct advice *advice, const struct advice_row *row, const struct cipher *cipher, unsigned bits)
{
	const struct suite *suite = &row->choice.suite;

	if (8 * suite->key_bytes != bits || row->failed || row->seconds.least <= 0)
		return false;
	return cipher ? suite->cipher == cipher : !suite->cipher->only_named || advice->sc2000;
}

/* The row that takes least, of those whose time is over `above`. */
static const struct advice_row *fastest(
        const struct advice *advice, const struct cipher *cipher, unsigned bits, double above)
{
	const struct advice_row *best = NULL;

	for (const struct advice_row *row = advice->rows; row < advice->rows + advice->n_rows; row++)
		if (takes_part(advice, row, cipher, bits) && row->seconds.least > above &&
		        (!best || row->seconds.least < best->seconds.least))
			best = row;
	return best;
}

/* A row ties with the best one if half of its runs took no longer, or if the predictions differ by less than their
 * error. */
static double equal_limit(const struct advice *advice, const struct advice_row *best)
{
	return advice->measured ? best->seconds.middle : best->seconds.most;
}

void advise_verdict(struct verdict *verdict, const struct advice *advice, const struct cipher *cipher, unsigned bits)
{
	const struct advice_row *best = fastest(advice, cipher, bits, -1);

	*verdict = (struct verdict){ 0 };
	if (!best)
		return;
	verdict->equal[verdict->n_equal++] = best;
	for (const struct advice_row *row = advice->rows; row < advice->rows + advice->n_rows; row++)
		if (row != best && takes_part(advice, row, cipher, bits) &&
		        row->seconds.least <= equal_limit(advice, best) && verdict->n_equal < MAX_ADVICE_EQUAL)
			verdict->equal[verdict->n_equal++] = row;
	verdict->next = fastest(advice, cipher, bits, equal_limit(advice, best));
	if (verdict->next)
		verdict->factor = verdict->next->seconds.least / best->seconds.least;
}
