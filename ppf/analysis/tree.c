#include "ppf/analysis/tree.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpucrypt/status.h"

#define CHUNK_BYTES     (64u << 10)
#define MAX_ARENA_BYTES (256u << 20)

/* In the order of enum operation. */
const char *const operation_texts[] = { "", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">",
	"<=", ">=", "==", "!=", "&&", "||", ",", "=", "-", "+", "~", "!", "*", "&", "++", "--", "++", "--" };

struct chunk {
	struct chunk *next;
	size_t used, size, total; /* total: of all chunks up to this one */
	max_align_t bytes[];
};

void *unit_allocate(struct unit *unit, size_t n_bytes)
{
	struct chunk *chunk = unit->chunks;
	void *memory;

	n_bytes = (n_bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!chunk || chunk->size - chunk->used < n_bytes) {
		size_t size = n_bytes > CHUNK_BYTES ? n_bytes : CHUNK_BYTES;
		size_t total = size + (chunk ? chunk->total : 0);

		if (total > MAX_ARENA_BYTES || !(chunk = calloc(1, sizeof *chunk + size))) {
			fail(GPUCRYPT_OTHER, "out of memory: the source is too large");
			return NULL;
		}
		chunk->size = size;
		chunk->total = total;
		chunk->next = unit->chunks;
		unit->chunks = chunk;
	}
	memory = (char *)chunk->bytes + chunk->used;
	chunk->used += n_bytes;
	return memory;
}

void unit_free(struct unit *unit)
{
	while (unit->chunks) {
		struct chunk *next = unit->chunks->next;

		free(unit->chunks);
		unit->chunks = next;
	}
}

int fail_at(const struct node *node, int status, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return fail((enum gpucrypt_status)status, "%s:%u: %s", node->file, node->line, text);
}
