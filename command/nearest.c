#include "command/program.h"

#include <string.h>

#define MAX_WORD 63

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* distance[i][j] is the distance of the first i characters of a and the first j of b; longer words are cut. */
unsigned edit_distance(const char *a, const char *b)
{
	unsigned distance[MAX_WORD + 1][MAX_WORD + 1];
	size_t n_a = strnlen(a, MAX_WORD), n_b = strnlen(b, MAX_WORD);

	for (unsigned i = 0; i <= n_a; i++)
		for (unsigned j = 0; j <= n_b; j++) {
			unsigned *at = &distance[i][j];

			*at = i + j;
			if (i > 0 && j > 0)
				*at = least(distance[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
				        1 + least(distance[i - 1][j], distance[i][j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) /* exchanged */
				*at = least(*at, distance[i - 2][j - 2] + 1);
		}
	return distance[n_a][n_b];
}

void nearest_try(struct nearest *nearest, const char *given, const char *word)
{
	size_t length = strlen(given), used = strlen(nearest->list);
	bool completed = length > 1 && !strncmp(given, word, length);
	unsigned distance = completed ? 0 : edit_distance(given, word);

	snprintf(nearest->list + used, sizeof nearest->list - used, "%s%s", used > 0 ? ", " : "", word);
	if (given[0] == word[0] && distance <= length / 3 && (!*nearest->word || distance < nearest->distance)) {
		snprintf(nearest->word, sizeof nearest->word, "%s", word);
		nearest->distance = distance;
	}
}

bool nearest_know(struct nearest *nearest, const char *word)
{
	size_t n = strlen(word);

	for (const struct hint *hint = program.hints; hint->words; hint++)
		for (const char *at = hint->words; *at; at += strcspn(at, " "), at += strspn(at, " "))
			if (strcspn(at, " ") == n && !memcmp(at, word, n))
				snprintf(nearest->hint, sizeof nearest->hint, ": %s", hint->text);
	return *nearest->hint;
}

const char *nearest_hint(struct nearest *nearest, const char *prefix)
{
	if (*nearest->word && !*nearest->hint)
		snprintf(nearest->hint, sizeof nearest->hint, ": nearest is %s%s", prefix, nearest->word);
	return nearest->hint;
}
