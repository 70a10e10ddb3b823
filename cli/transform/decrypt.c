#include "cli/transform/decrypt.h"

#include "cli/tree/compressed.h"
#include "gpucrypt/container/parts/verify.h"
#include "gpucrypt/container/range.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

static bool decrypts_part(const struct options *options)
{
	return !options->parsed.raw && (option_given(options, "offset") || option_given(options, "length"));
}

/* A damaged header copy is a failure of verify only: --verify-first ignores the damage, decryption warns of it. */
static int verify(struct source *source, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	struct report report;
	int status;

	if (source->size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: --verify-first reads it twice: a pipe has no start", source->name);
	status = container_decrypt(source, NULL, plan, secret, progress, &report);
	if (status != GPUCRYPT_OK && !report.payload_good)
		return status;
	fail_clear();
	return source_rewind(source);
}

int decrypt_input(struct source *source, unsigned content, struct sink *sink, const struct options *options,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report)
{
	struct decompression decompression;
	const struct range range = { options->raw_options.offset, options->raw_options.length };
	const struct part_number part = { options->part.index, options->part.count };
	int status = GPUCRYPT_OK;

	if (part.count > 0)
		return container_verify_part(source, &part, plan, secret, progress, report);
	if (decrypts_part(options))
		return container_range(source, sink, &range, plan, secret, progress, report);
	if (options->verify_first)
		status = verify(source, plan, secret, progress);
	if (status != GPUCRYPT_OK)
		return status;
	status = decompression_begin(&decompression, content, source->name, &sink);
	if (status == GPUCRYPT_OK)
		status = container_decrypt(source, sink, plan, secret, progress, report);
	return decompression_end(&decompression, status, report);
}
