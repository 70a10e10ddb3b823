#include "ppf/model/trace.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/bytes.h"

#define MAX_LANES 64
#define SAMPLES   64 /* warps that are traced, each with a different key */

/* The Makefile defines TRACE_CORES as X(aes_1) X(aes_4) … from its list of cores. */
#define X(name) extern trace_core trace_##name;
TRACE_CORES
#undef X

static const struct {
	const char *name;
	trace_core *run;
} cores[] = {
#define X(name) { #name, trace_##name },
	TRACE_CORES
#undef X
};

static trace_core *find_core(const struct cipher *cipher, const struct table_form *form)
{
	char name[32];

	snprintf(name, sizeof name, "%s_%d", cipher->name, form->number);
	for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
		if (!strcmp(cores[i].name, name))
			return cores[i].run;
	return NULL;
}

/* The maximum number of distinct words in one bank; the bank reads these words one after another. */
static unsigned conflicts(const struct trace *lanes, unsigned n_lanes, unsigned lookup, unsigned copies, unsigned banks)
{
	unsigned in_bank[MAX_LANES] = { 0 }, most = 0;

	for (unsigned i = 0; i < n_lanes; i++) {
		uint32_t word = lanes[i].word[lookup] * copies + i % copies;
		bool seen = false;
		for (unsigned j = 0; j < i && !seen; j++)
			seen = word == lanes[j].word[lookup] * copies + j % copies;
		if (!seen && ++in_bank[word % banks] > most)
			most = in_bank[word % banks];
	}
	return most;
}

/* Fill with bytes that are the same in every run (a linear congruential generator). */
static void fill_bytes(uint8_t *bytes, size_t n, uint32_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(*seed >> 24);
	}
}

double trace_wavefronts(const struct cipher *cipher, const struct table_form *form, unsigned key_bytes,
        unsigned counters, unsigned copies, unsigned lanes, unsigned banks)
{
	static _Thread_local struct trace traces[MAX_LANES];
	trace_core *core = find_core(cipher, form);
	double sum = 0;
	uint32_t seed = 1;

	if (core == NULL || lanes > MAX_LANES || banks > MAX_LANES || banks == 0)
		return 0;
	for (unsigned sample = 0; sample < SAMPLES; sample++) {
		struct round_keys keys;
		uint8_t key[32], block[16];
		fill_bytes(key, sizeof key, &seed);
		fill_bytes(block, sizeof block, &seed);
		cipher_expand(cipher, &keys, key, key_bytes, ENCRYPT);
		for (unsigned i = 0; i < lanes; i++) {
			if (counters)
				store_be32(block + 12, sample * lanes + i);
			else
				fill_bytes(block, sizeof block, &seed);
			core(&traces[i], block, counters > 1, &keys, form->table[ENCRYPT]);
		}
		for (unsigned lookup = 0; lookup < traces[0].n; lookup++)
			sum += conflicts(traces, lanes, lookup, copies, banks) /
			       (lookup < traces[0].n_shared ? (double)counters : 1);
	}
	return sum / SAMPLES;
}
