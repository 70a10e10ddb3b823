#include "gpucrypt/keys/public_key.h"

#include <string.h>

#include "gpucrypt/keys/ssh_key.h"

static const char *find(const char *at, const char *end, const char *text)
{
	return at < end ? memmem(at, (size_t)(end - at), text, strlen(text)) : NULL;
}

/* Find the dashes at which the next PEM block begins, however many dashes there are. Text that only resembles a PEM
 * block is not skipped: parsing rejects it. */
static const char *next_block(const char *at, const char *end)
{
	const char *begin = find(at, end, "-BEGIN ");

	while (begin != NULL && begin > at && begin[-1] == '-')
		begin--;
	return begin != NULL ? begin : end;
}

struct key_text key_text_of(const char *text, size_t length)
{
	const char *end = text + length, *block = next_block(text, end);

	return (struct key_text){ .at = text, .end = end, .block = block, .has_blocks = block < end, .line = 1 };
}

static const char *after_line(const char *at, const char *end)
{
	const char *newline = find(at, end, "\n");

	return newline != NULL ? newline + 1 : end;
}

/* A block ends with its END line, if it has one, else where the next block begins. */
static const char *block_end(struct key_text *text)
{
	const char *block = text->block, *last;

	text->block = next_block(find(block, text->end, "B"), text->end);
	last = find(block, text->block, "-----END ");
	return last != NULL ? after_line(last, text->block) : text->block;
}

bool key_text_next(struct key_piece *piece, struct key_text *text)
{
	bool found = false;

	while (!found && text->at < text->end) {
		const char *from = text->at, *to;

		*piece = (struct key_piece){ .text = from, .line = text->line, .block = from == text->block };
		to = piece->block ? block_end(text) : after_line(from, text->block);
		piece->n = (size_t)(to - from);
		piece->private_block = piece->block && find(from, after_line(from, to), "PRIVATE KEY") != NULL;
		found = piece->block ||
		        (!ssh_line_empty(from, piece->n) && (!text->has_blocks || ssh_public_line(from, piece->n)));
		for (text->at = to; (from = find(from, to, "\n")) != NULL; from++)
			text->line++;
	}
	return found;
}
