#include "ppf/model/trace.h"

#define REMEMBERED 16

static bool same_case(const struct wavefronts *a, const struct wavefronts *b)
{
	return a->cipher == b->cipher && a->form == b->form && a->key_bytes == b->key_bytes &&
	       a->counters == b->counters && a->copies == b->copies && a->lanes == b->lanes && a->banks == b->banks;
}

double wavefronts(const struct cipher *cipher, const struct table_form *form, unsigned key_bytes, unsigned counters,
        unsigned copies, unsigned lanes, unsigned banks)
{
	static _Thread_local struct wavefronts remembered[REMEMBERED];
	static _Thread_local unsigned next;
	struct wavefronts wanted = { cipher->id, form->number, key_bytes, counters, copies, lanes, banks, 0 };

	for (const struct wavefronts *w = known_wavefronts; w->cipher != 0; w++)
		if (same_case(w, &wanted))
			return w->wavefronts;
	for (unsigned i = 0; i < REMEMBERED; i++)
		if (same_case(&remembered[i], &wanted))
			return remembered[i].wavefronts;
	wanted.wavefronts = trace_wavefronts(cipher, form, key_bytes, counters, copies, lanes, banks);
	remembered[next++ % REMEMBERED] = wanted;
	return wanted.wavefronts;
}
