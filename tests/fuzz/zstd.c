/* Compressed files: bytes that decompress at once and in pieces give the same; and compressed bytes decompress
 * to the original.  The first bytes of the input choose the test and the size of the pieces. */
#include "tests/fuzz/input.h"

#include "cli/tree/bundle.h"
#include "gpucrypt/keys/header.h"

#define ROOM_BYTES ((size_t)1 << 20)

/* Receives decompressed bytes, with a limit: a frame of a few bytes may decompress to gigabytes. */
struct kept {
	struct sink sink; /* first: cast from it */
	uint8_t *bytes;
	size_t n;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	MUST(libarchive_load("fuzz") == GPUCRYPT_OK);
	return 0;
}

static int keep(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct kept *kept = (struct kept *)self;

	MUST(offset == kept->n);
	if (n_bytes > ROOM_BYTES - kept->n)
		return fail(GPUCRYPT_IO, "more than there is room for");
	memcpy(kept->bytes + kept->n, bytes, n_bytes);
	kept->n += n_bytes;
	return GPUCRYPT_OK;
}

static bool decompress(struct kept *kept, const uint8_t *bytes, size_t n_bytes, size_t piece)
{
	struct decompression decompression;
	struct report report = { 0 };
	struct sink *sink = &kept->sink;
	int status;

	kept->n = 0;
	status = decompression_begin(&decompression, CONTENT_BYTES_ZSTD, "fuzz", &sink);
	for (size_t at = 0; at < n_bytes && status == GPUCRYPT_OK; at += piece)
		status = sink->write(sink, bytes + at, n_bytes - at < piece ? n_bytes - at : piece, at);
	status = decompression_end(&decompression, status, &report);
	MUST(status != GPUCRYPT_OK || report.plaintext_bytes == kept->n);
	return succeeded(status);
}

static size_t compress(uint8_t *to, const uint8_t *bytes, size_t n_bytes)
{
	const struct bundle_terms terms = { .fd = -1, .name = "fuzz", .zstd_level = 1 };
	struct bundle *bundle;
	struct source source;
	size_t n = 0, got = 1;

	source_open_memory(&source, bytes, n_bytes, n_bytes);
	MUST(bundle_open(&bundle, &source, &terms) == GPUCRYPT_OK);
	for (; got > 0; n += got) {
		MUST(n < ROOM_BYTES);
		MUST(source_read(&source, to + n, ROOM_BYTES - n, &got) == GPUCRYPT_OK);
	}
	bundle_close(bundle);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static uint8_t rooms[3][ROOM_BYTES];
	struct kept whole = { { .write = keep }, rooms[0], 0 }, pieces = { { .write = keep }, rooms[1], 0 };
	struct fuzz_input input = { bytes, n_bytes };
	bool made = (take_byte(&input) & 1) != 0;
	size_t piece = 1 + take_pair(&input), n = input.n_bytes;
	const uint8_t *frames = input.bytes;
	bool good, in_pieces;

	if (made) {
		n = compress(rooms[2], input.bytes, input.n_bytes);
		frames = rooms[2];
	}
	good = decompress(&whole, frames, n, n + 1);
	in_pieces = decompress(&pieces, frames, n, piece);
	/* What libzstd notices in damaged frames, and in those of its versions before 0.8, depends on the pieces. */
	MUST(!good || !in_pieces || (whole.n == pieces.n && memcmp(rooms[0], rooms[1], whole.n) == 0));
	MUST(!made || (good && in_pieces && whole.n == input.n_bytes && memcmp(rooms[0], input.bytes, whole.n) == 0));
	return 0;
}
