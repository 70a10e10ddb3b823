/* An archive through the library's reader: whatever it is, and in whichever pieces it comes, each entry stays inside
 * the tree, in a directory that was there before, and its content inside its size.  The first two bytes are the length
 * of a piece. */
#include "tests/fuzz/input.h"

#include <sys/stat.h>

#include "gpucrypt/tree/tree_sink.h"

#define MAX_KNOWN 64

/* The entries so far, as far as there is room. */
struct model {
	char *paths[MAX_KNOWN];
	mode_t modes[MAX_KNOWN];
	unsigned n;
	bool full;
	uint64_t size, end; /* of the entry; behind its last content */
	uint64_t sum;       /* of all that was seen */
};

static mode_t mode_of(const struct model *model, const char *path, size_t length)
{
	for (unsigned i = model->n; i-- > 0;)
		if (strlen(model->paths[i]) == length && memcmp(model->paths[i], path, length) == 0)
			return model->modes[i];
	return 0;
}

/* Each directory on the way is one that was there before. */
static bool stays_inside(const struct model *model, const char *path)
{
	const char *part = path;

	for (const char *slash; (slash = strchr(part, '/')) != NULL; part = slash + 1) {
		MUST(slash > part && strncmp(part, "../", 3) != 0 && strncmp(part, "./", 2) != 0);
		MUST(model->full || S_ISDIR(mode_of(model, path, (size_t)(slash - path))));
	}
	return *part != '\0' && strcmp(part, "..") != 0;
}

static int check_entry(void *self, const struct gpucrypt_entry *entry)
{
	struct model *model = self;

	MUST(stays_inside(model, entry->path));
	MUST(!S_ISLNK(mode_of(model, entry->path, strlen(entry->path))));
	MUST((entry->link != NULL) == (entry->hard_link || S_ISLNK(entry->mode)));
	if (entry->hard_link)
		MUST(stays_inside(model, entry->link) && !S_ISLNK(mode_of(model, entry->link, strlen(entry->link))));
	MUST(S_ISREG(entry->mode) || entry->size == 0);
	MUST(entry->mtime_ns < 1000000000);
	model->full |= model->n == MAX_KNOWN;
	if (!model->full) {
		model->modes[model->n] = entry->mode;
		MUST((model->paths[model->n++] = strdup(entry->path)) != NULL);
	}
	model->size = entry->size;
	model->end = 0;
	model->sum = model->sum * 31 + entry->size + (uint64_t)entry->mtime_seconds + entry->mode;
	return 0;
}

static ssize_t check_content(void *self, const void *bytes, size_t n_bytes, uint64_t offset)
{
	struct model *model = self;

	MUST(n_bytes > 0 && offset >= model->end && offset + n_bytes <= model->size);
	for (size_t i = 0; i < n_bytes; i++)
		model->sum = model->sum * 31 + ((const uint8_t *)bytes)[i] + offset + i;
	model->end = offset + n_bytes;
	return (ssize_t)n_bytes;
}

static int read_pieces(struct model *model, const uint8_t *bytes, size_t n_bytes, size_t step)
{
	const struct gpucrypt_tree_sink to = { .entry = check_entry, .pwrite = check_content, .self = model };
	struct tree_sink sink;
	int status = GPUCRYPT_OK;

	tree_sink_open(&sink, &to);
	for (size_t n; status == GPUCRYPT_OK && n_bytes > 0; bytes += n, n_bytes -= n) {
		n = n_bytes < step ? n_bytes : step;
		status = sink.sink.write(&sink.sink, bytes, n, 0);
	}
	if (status == GPUCRYPT_OK)
		status = tree_sink_finish(&sink);
	tree_sink_close(&sink);
	for (unsigned i = 0; i < model->n; i++)
		free(model->paths[i]);
	fail_clear();
	return status;
}

/* Changes of a header are to reach what is behind the check of its sum. */
static void repair_sums(uint8_t *bytes, size_t n_bytes)
{
	for (size_t at = 0; at + sizeof(struct ustar) <= n_bytes; at += sizeof(struct ustar)) {
		struct ustar *header = (struct ustar *)(bytes + at);

		if (memcmp(header->magic, USTAR_MAGIC, sizeof header->magic) == 0)
			snprintf(header->checksum, sizeof header->checksum, "%06o", ustar_checksum(header));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	size_t step = take_pair(&input) + 1, n = input.n_bytes;
	struct model pieces = { 0 }, whole = { 0 };
	uint8_t *archive = malloc(n + 1);
	int status;

	MUST(archive != NULL);
	take(&input, archive, n);
	repair_sums(archive, n);
	status = read_pieces(&pieces, archive, n, step);
	MUST(read_pieces(&whole, archive, n, SIZE_MAX) == status);
	MUST(status != GPUCRYPT_OK || pieces.sum == whole.sum);
	free(archive);
	return 0;
}
