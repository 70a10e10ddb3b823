/* Manifests.  What parses is written to a text that parses to the same records.  The first byte says whether it has to
 * be part 2 of 3. */
#include "tests/fuzz/input.h"

#include "cli/manifest/manifest.h"

static char *rewrite(const char *text, struct shard part)
{
	struct manifest manifest = { .part = part };
	char *written = NULL;

	if (succeeded(manifest_parse(&manifest, text, "fuzz"))) {
		manifest_sort(&manifest);
		for (size_t i = 0; i < manifest.n; i++)
			MUST(manifest_find(&manifest, manifest.records[i].name) == &manifest.records[i]);
		written = manifest_format(&manifest);
		MUST(written != NULL);
	}
	manifest_free(&manifest);
	return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	const struct shard part = take_byte(&input) & 1 ? (struct shard){ 2, 3 } : (struct shard){ 0 };
	char *text = take_text(&input), *written = rewrite(text, part), *again = NULL;

	if (written) {
		again = rewrite(written, part);
		MUST(again != NULL && strcmp(written, again) == 0);
	}
	free(text);
	free(written);
	free(again);
	return 0;
}
