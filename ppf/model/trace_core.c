/*
 * A cipher core that records its look-ups.  The Makefile compiles this file once for each cipher and table form
 * with -DCORE_FILE="kernels/ciphers/aes/aes.cl" -DCACHED_FILE="kernels/ciphers/aes/aes_cached.cl" -DTABLE_FORM=1
 * -DTRACE_CORE=trace_aes_1.
 */
#include "gpucrypt/crypto/host_core.h"
#include "ppf/model/trace.h"

static _Thread_local struct trace *tracing;

static inline uint32_t look_up(const uint32_t *table, uint32_t entry)
{
	tracing->word[tracing->n++ % MAX_LOOKUPS] = entry;
	return table[entry];
}

#define LOOKUP(t, base, w, shift, bits) look_up(t, (base) + FIELD(w, shift, bits))
#include "kernels/common/table.cl"
#include CORE_FILE
#include CACHED_FILE

trace_core TRACE_CORE;
void TRACE_CORE(struct trace *trace, uint8_t bytes[16], bool counter, const struct round_keys *k, const uint32_t *t)
{
	const word low = FROM_BIG_ENDIAN((word)bytes[15]);
	const block *b = (const block *)bytes;
	word s[4] = { CIPHER_ORDER(b->x), CIPHER_ORDER(b->y), CIPHER_ORDER(b->z), CIPHER_ORDER(b->w) };

	word cached[CACHED_WORDS];

	tracing = trace;
	trace->n = trace->n_shared = 0;
	if (!counter) {
		encrypt_block(s, k, t);
		return;
	}
	s[3] ^= low;
	cache_counters(cached, s, k, t);
	trace->n_shared = trace->n;
	encrypt_counter(s, low, cached, k, t);
}
