#include "gpucrypt/crypto/mode.h"

#include "gpucrypt/gpucrypt.h"

#define X(NAME, text, standard, files, slice_files, cached_files, keys, ...) \
	[MODE_##NAME] = { .number = MODE_##NAME,                             \
		.name = #text,                                               \
		.reference = standard,                                       \
		.sources = files,                                            \
		.slice_sources = slice_files,                                \
		.cached_sources = cached_files,                              \
		.id = GPUCRYPT_##NAME,                                       \
		.n_keys = keys,                                              \
		__VA_ARGS__ },
const struct mode modes[N_MODES] = {
#include "kernels/modes.inc"
};
#undef X

const struct mode *mode_by_id(unsigned id)
{
	for (unsigned i = 0; i < N_MODES; i++)
		if (modes[i].id == id)
			return &modes[i];
	return NULL;
}
