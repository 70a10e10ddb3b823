/* Names in an archive: whatever it is, standard output gets whole lines of what can be printed, or JSON.
 * The first byte says whether it is in zstd, and how it is listed. */
#include "tests/fuzz/input.h"

#include <jansson.h>

#include "cli/tree/bundle.h"
#include "gpucrypt/keys/header.h"

/* Control characters, which a terminal would obey. */
static bool printable(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n')
			return false;
	return n == 0 || text[n - 1] == '\n';
}

static bool lists(struct listing *listing, unsigned content, const uint8_t *bytes, size_t n_bytes)
{
	struct bundle_visitor visitor = listing_visitor(listing, NULL);
	struct bundle_sink sink;
	int status = libarchive_load("fuzz");

	MUST(status == GPUCRYPT_OK);
	status = bundle_sink_open(&sink, content, "fuzz", &visitor);
	if (status == GPUCRYPT_OK && n_bytes > 0)
		status = sink.handoff.sink.write(&sink.handoff.sink, bytes, n_bytes, 0);
	return succeeded(bundle_sink_close(&sink, status));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	unsigned how = take_byte(&input);
	struct listing listing = { .json = (how & 2) != 0, .verbose = (how & 4) != 0 };
	FILE *terminal = stdout;
	char *text = NULL;
	size_t n = 0;
	bool whole;

	stdout = open_memstream(&text, &n);
	MUST(stdout != NULL);
	whole = lists(&listing, how & 1 ? CONTENT_PAX_ZSTD : CONTENT_PAX, input.bytes, input.n_bytes);
	fclose(stdout);
	stdout = terminal;
	if (listing.json && whole) {
		json_t *json = json_loadb(text, n, 0, NULL);

		MUST(json != NULL);
		json_decref(json);
	} else if (!listing.json)
		MUST(printable(text, n));
	free(text);
	return 0;
}
