#include "gpucrypt/tree/tree_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

static int start_entry(struct tree_source *self, const struct gpucrypt_entry *entry)
{
	int status = entry_admit(&self->rules, entry, GPUCRYPT_USAGE);

	if (status != GPUCRYPT_OK)
		return status;
	if (S_ISCHR(entry->mode) || S_ISBLK(entry->mode))
		return fail(GPUCRYPT_USAGE, "tree: '%.400s' is a device", entry->path);
	self->content_bytes = pax_content_bytes(entry);
	if (self->content_bytes > INT64_MAX)
		return fail(GPUCRYPT_USAGE, "tree: '%.400s' is longer than any file", entry->path);
	if (self->content_bytes > 0 && self->tree->read == NULL)
		return fail(
		        GPUCRYPT_USAGE, "tree: '%.400s' has content, and there is no callback to read it", entry->path);
	self->head_from = 0;
	self->head_end = pax_encode(self->head, entry);
	self->zero_bytes = pax_padding(self->content_bytes);
	return GPUCRYPT_OK;
}

static int next_entry(struct tree_source *self)
{
	struct gpucrypt_entry entry = { 0 };
	int more = self->tree->next(self->tree->self, &entry);

	if (more > 0)
		return start_entry(self, &entry);
	if (more < 0)
		return fail_errno("tree", "cannot be listed");
	if (self->rules.names == NULL)
		return fail(GPUCRYPT_USAGE, "tree: has no entry: the first one is the directory '.'");
	self->ended = true;
	self->zero_bytes = 2 * PAX_BLOCK_BYTES;
	return GPUCRYPT_OK;
}

static int read_content(struct tree_source *self, uint8_t *bytes, size_t n_bytes, size_t *n)
{
	ssize_t got = self->tree->read(self->tree->self, bytes, n_bytes);

	*n = 0;
	if (got < 0)
		return errno == EINTR ? GPUCRYPT_OK : fail_errno("tree", "the content of an entry cannot be read");
	if (got == 0)
		return fail(GPUCRYPT_IO, "tree: the content of an entry is shorter than its size");
	if ((size_t)got > n_bytes)
		return fail(GPUCRYPT_USAGE, "tree: the callback returned more bytes than there is room for");
	*n = (size_t)got;
	self->content_bytes -= *n;
	return GPUCRYPT_OK;
}

static size_t smaller(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

/* Some of the next bytes; *n 0: an entry starts, or a call was interrupted. */
static int read_some(struct tree_source *self, uint8_t *bytes, size_t n_bytes, size_t *n)
{
	*n = smaller(self->head_end - self->head_from, n_bytes);
	if (*n > 0) {
		memcpy(bytes, self->head + self->head_from, *n);
		self->head_from += *n;
		return GPUCRYPT_OK;
	}
	if (self->content_bytes > 0)
		return read_content(self, bytes, smaller(self->content_bytes, n_bytes), n);
	*n = smaller(self->zero_bytes, n_bytes);
	if (*n == 0)
		return next_entry(self);
	memset(bytes, 0, *n);
	self->zero_bytes -= (unsigned)*n;
	return GPUCRYPT_OK;
}

static int read_tree(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct tree_source *self = source->state;
	int status = GPUCRYPT_OK;
	size_t n;

	for (*got = 0; status == GPUCRYPT_OK && *got < n_bytes && !(self->ended && self->zero_bytes == 0); *got += n)
		status = read_some(self, bytes + *got, n_bytes - *got, &n);
	return status;
}

void tree_source_open(struct tree_source *source, const struct gpucrypt_tree_source *tree)
{
	static const struct source_class class = { .read = read_tree, .in_order = true };

	*source = (struct tree_source){ .tree = tree };
	source->source = (struct source){ .class = &class,
		.fd = -1,
		.name = "tree",
		.size_bytes = UINT64_MAX,
		.content = CONTENT_PAX,
		.state = source };
}

void tree_source_close(struct tree_source *source)
{
	entry_rules_close(&source->rules);
	wipe(source->head, sizeof source->head);
}
