/* Says when the CPU is faster than a device only because of an instruction form. */
#include "cli/advise/advise.h"
#include "command/figure.h"
#include "ppf/model/rates.h"

/* The fastest row of the same suite on one device; NULL: none. */
static const struct advice_row *fastest_device(const struct advice *advice, const struct suite *suite)
{
	const struct advice_row *best = NULL;

	for (const struct advice_row *row = advice->rows; row < advice->rows + advice->n_rows; row++)
		if (row->choice.device && row->choice.suite.cipher == suite->cipher &&
		        row->choice.suite.key_bytes == suite->key_bytes && !row->failed && row->seconds.least > 0 &&
		        (!best || row->seconds.least < best->seconds.least))
			best = row;
	return best;
}

void advise_form_sentence(char text[256], const struct advice *advice, const struct advice_row *best)
{
	const struct suite *suite = &best->choice.suite;
	const struct instruction_form *form = cpu_form(suite, &best->choice.plan);
	const struct advice_row *device = fastest_device(advice, suite);
	double without = cpu_bytes_per_s_without_forms(advice->machine, suite);
	char engine[24], seconds[2][16];

	text[0] = '\0';
	if (best->choice.device || best->choice.n_parts > 0 || !form || !device || without <= 0 ||
	        (double)advice->n_bytes / without <= device->seconds.least)
		return;
	snprintf(text, 256,
	        " The CPU is faster than %s (%s s) because of the instruction form %s: without such forms, the CPU would "
	        "take at least %s s.",
	        advise_engine(engine, device), figure_text(seconds[0], device->seconds.least), form->name,
	        figure_text(seconds[1], (double)advice->n_bytes / without));
}
