/* "nearest: …" in messages. */
#ifndef NEAREST_H
#define NEAREST_H

/* Number of insertions, deletions and replacements of one character that turn one word into the
 * other (Levenshtein's distance). */
unsigned edit_distance(const char *a, const char *b);

/* The word closest so far; starts as all zero. */
struct nearest {
	const char *word; /* NULL: none is close enough to have been meant */
	unsigned distance;
};

/* At most a third of the letters may differ; a word that given is the beginning of is closest. */
void nearest_try(struct nearest *nearest, const char *given, const char *word);

#endif
