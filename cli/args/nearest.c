#include "cli/args/nearest.h"

#include <stdbool.h>
#include <string.h>

#define MAX_WORD 63

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The usual dynamic programme, one row at a time; longer words are cut. */
unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[MAX_WORD + 1];
	size_t n_a = strnlen(a, MAX_WORD), n_b = strnlen(b, MAX_WORD);

	for (unsigned j = 0; j <= n_b; j++)
		row[j] = j;
	for (unsigned i = 1; i <= n_a; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= n_b; j++) {
			unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
		}
	}
	return row[n_b];
}

void nearest_try(struct nearest *nearest, const char *given, const char *word)
{
	size_t length = strlen(given);
	bool completed = length > 1 && !strncmp(given, word, length);
	unsigned distance = completed ? 0 : edit_distance(given, word);

	if (distance <= length / 3 && (!nearest->word || distance < nearest->distance))
		*nearest = (struct nearest){ word, distance };
}
