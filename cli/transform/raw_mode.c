#include "cli/transform/raw_mode.h"

#include <string.h>

#include "gpucrypt/status.h"

/* Nothing is chosen here: who reads the result must know it all. */
int raw_mode_check(const struct options *options)
{
	const char *const explicit[] = { "cipher", "bits", "mode" };
	size_t iv_bytes = options->iv_hex.length, whole = sizeof options->raw_options.iv;

	for (size_t i = 0; i < sizeof explicit / sizeof *explicit; i++)
		if (!option_given(options, explicit[i]))
			return fail(GPUCRYPT_USAGE, "--raw: needs --cipher, --bits and --mode");
	if (options->plan.cipher == GPUCRYPT_CIPHER_AUTO)
		return fail(GPUCRYPT_USAGE, "--raw: needs a named cipher, not auto");
	if (!options->key_hex.length && !options->key_file)
		return fail(GPUCRYPT_USAGE, "--raw: needs --key-hex or --key-file");
	if (iv_bytes > 0 && iv_bytes != whole)
		return fail(GPUCRYPT_USAGE, "--iv-hex: needs %zu hexadecimal digits, not %zu", 2 * whole, 2 * iv_bytes);
	if (options->n_operands > 1)
		return fail(GPUCRYPT_USAGE, "--raw: never two inputs under one key and IV");
	return GPUCRYPT_OK;
}

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
