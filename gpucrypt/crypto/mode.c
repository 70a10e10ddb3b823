#include "gpucrypt/crypto/mode.h"

const struct mode modes[N_MODES] = {
	[MODE_ECB] = {
		.number = MODE_ECB,
		.name = "ecb",
		.reference = "NIST SP 800-38A section 6.1",
		.sources = "ecb.cl",
		.slice_sources = "ecb_slice.cl",
		.id = 1,
		.n_keys = 1,
		.whole_blocks = true,
		.pads = true,
	},
	[MODE_CTR] = {
		.number = MODE_CTR,
		.name = "ctr",
		.reference = "NIST SP 800-38A section 6.5",
		.sources = "ctr.cl",
		.slice_sources = "ctr_slice.cl",
		.cached_sources = "ctr_cached.cl",
		.id = 2,
		.n_keys = 1,
		.encrypts_only = true,
		.takes_iv = true,
	},
	[MODE_XTS] = {
		.number = MODE_XTS,
		.name = "xts",
		.reference = "IEEE 1619-2007",
		.sources = "tweak.cl xts.cl",
		.slice_sources = "tweak.cl xts_slice.cl",
		.id = 3,
		.n_keys = 2,
		.whole_blocks = true,
		.has_tweaks = true,
	},
};

const struct mode *mode_by_id(unsigned id)
{
	for (unsigned i = 0; i < N_MODES; i++)
		if (modes[i].id == id)
			return &modes[i];
	return NULL;
}
