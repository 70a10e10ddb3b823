/*
 * What a run left that was stopped, changed at some places: resumed, or gone on with in place, forwards or
 * backwards.  The first byte says which; each four that follow are a place (three bytes) and what is turned over there.
 * Nothing but the source's plaintext ever decrypts, and what is refused stays as it was.
 */
#include "tests/fuzz/compact.h"

#include <sys/stat.h>

#include "gpucrypt/container/start_record.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/in_place/in_place.h"
#include "gpucrypt/container/parts/parts.h"

#define GROUP    4096
#define N_BYTES  (3 * GROUP)
#define MAX_FILE (1 << 16)

/* A file in memory, as it was when the run was stopped. */
struct kept {
	int fd;
	uint8_t bytes[MAX_FILE];
	size_t n_bytes;
};

static struct kept plain, part, image, side, journal;
static uint8_t plaintext[N_BYTES];
static const struct gpucrypt_plan plan = {
	.engine = GPUCRYPT_CPU, .cipher = GPUCRYPT_AES, .threads = 1, .chunk_log2 = 12, .group_log2 = 12
};

struct limited_sink {
	struct sink sink, *file;
	uint64_t limit;
};

static int write_limited(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct limited_sink *limited = (struct limited_sink *)self;

	return offset >= limited->limit ? fail(GPUCRYPT_IO, "full")
	                                : limited->file->write(limited->file, bytes, n_bytes, offset);
}

static void put(const struct kept *kept)
{
	MUST(ftruncate(kept->fd, 0) == 0);
	MUST(pwrite(kept->fd, kept->bytes, kept->n_bytes, 0) == (ssize_t)kept->n_bytes);
	MUST(lseek(kept->fd, 0, SEEK_SET) == 0);
}

static void keep(struct kept *kept)
{
	ssize_t n = pread(kept->fd, kept->bytes, sizeof kept->bytes, 0);

	MUST(n >= 0);
	kept->n_bytes = (size_t)n;
}

static bool as_it_was(const struct kept *kept)
{
	static uint8_t now[MAX_FILE];

	return pread(kept->fd, now, sizeof now, 0) == (ssize_t)kept->n_bytes &&
	       memcmp(now, kept->bytes, kept->n_bytes) == 0;
}

/* Start the part file again if it cannot be continued, as cli/transform/parts.c does, but in the same file. */
static int start(struct source *source, struct source *begun)
{
	const struct start_parts one_run = { .count = 0 };
	struct authenticated_header header;
	const char *restart;
	int status = container_parts_check(&header, source, begun, &known_secret, one_run, &restart);

	if (status != GPUCRYPT_OK || restart == NULL)
		return status;
	MUST(ftruncate(begun->fd, 0) == 0);
	MUST(container_parts_start(source, begun, &plan, &known_secret, one_run, NULL) == GPUCRYPT_OK);
	return source_open(begun, begun->fd, begun->name);
}

static int resume(uint64_t limit)
{
	struct source source, begun;
	struct fd_sink file;
	struct limited_sink limited = { { .write = write_limited }, &file.sink, limit };
	struct report report;

	MUST(lseek(plain.fd, 0, SEEK_SET) == 0 && lseek(part.fd, 0, SEEK_SET) == 0);
	MUST(source_open(&source, plain.fd, "plain") == GPUCRYPT_OK);
	MUST(source_open(&begun, part.fd, "part") == GPUCRYPT_OK);
	MUST(fd_sink_open(&file, part.fd, "part") == GPUCRYPT_OK);
	fd_sink_allow_any_order(&file);
	return start(&source, &begun)
	               ?: container_part(&source, &begun, &limited.sink, &(struct part_number){ 0 }, 0, &plan,
	                          &known_secret, NULL, &report, NULL);
}

static int in_place(__typeof__(container_encrypt_in_place) *convert)
{
	struct source sources[3];
	const struct in_place files = { &sources[0], &sources[1], &sources[2],
		open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), false };
	struct gpucrypt_plan detached = plan;
	struct report report;
	int status;

	detached.mode = GPUCRYPT_XTS;
	detached.sector_log2 = 9;
	MUST(source_open(&sources[0], image.fd, "image") == GPUCRYPT_OK);
	MUST(source_open(&sources[1], side.fd, "side") == GPUCRYPT_OK);
	MUST(source_open(&sources[2], journal.fd, "journal") == GPUCRYPT_OK);
	status = convert(&files, &detached, &known_secret, NULL, &report);
	close(files.folder_fd);
	return status;
}

static int compare(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	(void)self;
	MUST(offset + n_bytes <= N_BYTES && memcmp(bytes, plaintext + offset, n_bytes) == 0);
	return GPUCRYPT_OK;
}

static bool decrypts(struct source *source)
{
	struct sink sink = { .write = compare };

	return succeeded(container_decrypt(source, &sink, &plan, &known_secret, NULL, NULL));
}

static void try_resume(void)
{
	struct source source;

	put(&part);
	if (!succeeded(resume(UINT64_MAX))) {
		MUST(as_it_was(&part));
		return;
	}
	MUST(lseek(part.fd, 0, SEEK_SET) == 0);
	MUST(source_open(&source, part.fd, "part") == GPUCRYPT_OK);
	MUST(decrypts(&source));
}

/* Bytes of the image that are plaintext yet are encrypted as they are: only the two others change. */
static void try_in_place(void)
{
	struct source sources[2];
	struct detached_source joined;

	put(&image);
	put(&side);
	put(&journal);
	if (!succeeded(in_place(container_encrypt_in_place))) {
		MUST(as_it_was(&image) && as_it_was(&journal));
		return;
	}
	MUST(source_open(&sources[0], side.fd, "side") == GPUCRYPT_OK);
	MUST(source_open(&sources[1], image.fd, "image") == GPUCRYPT_OK);
	MUST(detached_source_open(&joined, &sources[0], &sources[1]) == GPUCRYPT_OK);
	MUST(decrypts(&joined.source));
}

static void try_back(void)
{
	static uint8_t now[N_BYTES];

	put(&image);
	put(&side);
	put(&journal);
	if (!succeeded(in_place(container_decrypt_in_place))) {
		MUST(as_it_was(&image) && as_it_was(&journal));
		return;
	}
	MUST(pread(image.fd, now, sizeof now, 0) == N_BYTES && memcmp(now, plaintext, sizeof now) == 0);
}

static void stop_resuming(void)
{
	plain.fd = memfd_create("plain", MFD_CLOEXEC);
	part.fd = memfd_create("part", MFD_CLOEXEC);
	MUST(pwrite(plain.fd, plaintext, N_BYTES, 0) == N_BYTES);
	MUST(!succeeded(resume(PAGES_START + 2 * (PAGE_BYTES + GROUP))));
	keep(&part);
	MUST(part.n_bytes > PAGES_START);
}

/* Make the whole container, and the state before its last group: image and detached header without the group, and the
 * journal of the group before. */
static void stop_in_place(void)
{
	image.fd = memfd_create("image", MFD_CLOEXEC);
	side.fd = memfd_create("side", MFD_CLOEXEC);
	journal.fd = memfd_create("journal", MFD_CLOEXEC);
	MUST(pwrite(image.fd, plaintext, N_BYTES, 0) == N_BYTES);
	MUST(succeeded(in_place(container_encrypt_in_place)));
	keep(&image);
	keep(&side);
	memcpy(image.bytes + 2 * GROUP, plaintext + 2 * GROUP, GROUP);
	side.n_bytes = PAGES_START + 2 * PAGE_BYTES;
	memset(side.bytes + side.n_bytes, 0, PAGE_BYTES);
	keep(&journal);
	memcpy(journal.bytes + START_RECORD_BYTES, side.bytes + PAGES_START + PAGE_BYTES, PAGE_BYTES);
	memcpy(journal.bytes + START_RECORD_BYTES + PAGE_BYTES, image.bytes + GROUP, GROUP);
	journal.n_bytes = START_RECORD_BYTES + PAGE_BYTES + GROUP;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	for (unsigned i = 0; i < N_BYTES; i++)
		plaintext[i] = (uint8_t)(i * i >> 5);
	stop_resuming();
	stop_in_place();
	return 0;
}

/* Turned over for this input only; the length too. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	unsigned first = take_byte(&input), which = first % 3;
	struct kept *const files[] = { &part, &side, &journal }, *file = files[which];
	static struct kept before;

	before = *file;
	while (input.n_bytes >= 4) {
		size_t at = take_pair(&input) | (size_t)take_byte(&input) << 16;
		uint8_t turned = (uint8_t)take_byte(&input);

		if (at >= MAX_FILE) /* cut there, or longer */
			file->n_bytes = at % MAX_FILE;
		else
			file->bytes[at] ^= turned;
	}
	if (which == 0)
		try_resume();
	else if (first & 0x80)
		try_back();
	else
		try_in_place();
	*file = before;
	return 0;
}
