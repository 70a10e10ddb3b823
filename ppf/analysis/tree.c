#include "ppf/analysis/tree.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpucrypt/status.h"
#include "ppf/isolate.h"

#define CHUNK_BYTES     (64u << 10)
#define MAX_ARENA_BYTES (256u << 20)

/* In the order of enum operation. */
const char *const operation_texts[] = { "", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">",
	"<=", ">=", "==", "!=", "&&", "||", ",", "=", "-", "+", "~", "!", "*", "&", "++", "--", "++", "--" };

static struct chunk {
	size_t used, size, total; /* total: of all chunks up to this one */
	max_align_t bytes[];
} * last;

void *tree_allocate(size_t n_bytes)
{
	struct chunk *chunk = last;
	void *memory;

	n_bytes = (n_bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!chunk || chunk->size - chunk->used < n_bytes) {
		size_t size = n_bytes > CHUNK_BYTES ? n_bytes : CHUNK_BYTES;
		size_t total = size + (chunk ? chunk->total : 0);

		if (total > MAX_ARENA_BYTES || !(chunk = calloc(1, sizeof *chunk + size)))
			isolate_end(fail(GPUCRYPT_OTHER, "out of memory: the source is too large"));
		chunk->size = size;
		chunk->total = total;
		last = chunk;
	}
	memory = (char *)chunk->bytes + chunk->used;
	chunk->used += n_bytes;
	return memory;
}

void *tree_array(size_t n, size_t n_bytes)
{
	void *array = calloc(n, n_bytes);

	if (!array)
		isolate_end(fail(GPUCRYPT_OTHER, "out of memory"));
	return array;
}

void *tree_grow(void *array, size_t n_bytes)
{
	void *grown = realloc(array, n_bytes);

	if (!grown)
		isolate_end(fail(GPUCRYPT_OTHER, "out of memory"));
	return grown;
}

void fail_at(const struct node *node, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	isolate_end(fail(GPUCRYPT_UNKNOWN, "%s:%u: %s", node->file, node->line, text));
}
