/* Manifests.  An input that parses is formatted; the new text parses to the same records, and its MAC holds until any
 * byte of the text is changed.  The first byte of an input is not used. */
#include "tests/fuzz/input.h"

#include "cli/manifest/manifest.h"

static char *rewrite(const char *text)
{
	struct manifest manifest = { 0 };
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

/* A header whose slot 0 the secret opens, and the copy of it. */
static struct authenticated_header header;
static const struct gpucrypt_secret secret = {
	.type = GPUCRYPT_KEY_FILE, .bytes = (const uint8_t[32]){ 1 }, .length = 32
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const uint8_t file_key[FILE_KEY_BYTES] = { 2 };

	(void)argc, (void)argv;
	header.header = (struct header){ .version = 1,
		.cipher_id = 1,
		.key_bytes = 32,
		.mode_id = 2,
		.tag_id = 1,
		.chunk_log2 = 17,
		.group_log2 = 23,
		.sequence = 1 };
	MUST(key_slot_make(&header.header.slots[0], &secret, file_key, header.header.file_salt, 0) == GPUCRYPT_OK);
	MUST(header_encode(header.bytes, &header.header) == GPUCRYPT_OK);
	header.opener = &secret;
	return 0;
}

static bool is_bound(const char *text)
{
	char *copy = strdup(text);
	bool bound;

	MUST(copy != NULL);
	bound = manifest_mac_holds(copy, &header);
	free(copy);
	return bound;
}

/* text: with room for the MAC; at: offset of the byte to change. */
static void check_mac(char *text, unsigned at, unsigned change)
{
	MUST(!is_bound(text));
	MUST(manifest_mac_set(text, header.bytes, &secret) == GPUCRYPT_OK);
	MUST(is_bound(text));
	text[at % strlen(text)] ^= (char)change;
	MUST(is_bound(text) == (change == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes + (n_bytes > 0), n_bytes - (n_bytes > 0) };
	unsigned at = n_bytes > 2 ? bytes[n_bytes - 1] | bytes[n_bytes / 2] << 8 : 0, change = n_bytes & 255;
	char *text = take_text(&input), *written = rewrite(text), *again = NULL;

	MUST(!is_bound(text));
	if (written) {
		again = rewrite(written);
		MUST(again != NULL && strcmp(written, again) == 0);
		check_mac(written, at, change);
	}
	free(text);
	free(written);
	free(again);
	return 0;
}
