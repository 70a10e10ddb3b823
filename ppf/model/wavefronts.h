/* What trace_wavefronts() finds, without its milliseconds: traced by the build for the usual cases. */
#ifndef WAVEFRONTS_H
#define WAVEFRONTS_H

#include "gpucrypt/crypto/cipher.h"

struct wavefronts {
	unsigned cipher; /* its number in a container; 0: the end */
	int form;
	unsigned key_bytes, counters, copies, lanes, banks;
	double wavefronts;
};

/* Made by gen/wavefronts.c. */
extern const struct wavefronts known_wavefronts[];

/* As trace_wavefronts(), which does what the build did not; the last few are remembered. */
double wavefronts(const struct cipher *cipher, const struct table_form *form, unsigned key_bytes, unsigned counters,
        unsigned copies, unsigned lanes, unsigned banks);

#endif
