#include "cli/transform/raw_mode.h"

#include <string.h>

#include "gpucrypt/status.h"

int raw_mode_crypt(struct source *source, struct sink *sink, const struct suite *suite,
        const struct gpucrypt_plan *plan, const struct options *options, const struct gpucrypt_secret *key,
        const struct gpucrypt_progress *progress, struct report *report)
{
	struct raw_options raw = options->raw_options;

	raw.key = key->bytes;
	raw.key_length = key->length;
	raw.have_iv = options->iv_hex.length > 0;
	raw.have_iv_start = option_given(options, "iv-start");
	memcpy(raw.iv, options->iv_hex.bytes, sizeof raw.iv);
	return sink ? raw_crypt(source, sink, suite, plan, &raw, progress, report) : raw_check(source, suite, &raw);
}
