/* The proposal for a mistyped word in a message. */
#ifndef COMMAND_NEAREST_H
#define COMMAND_NEAREST_H

/* Number of insertions, deletions and replacements of one character, and exchanges of two neighbouring characters, that
 * turn one word into the other (optimal string alignment). */
unsigned edit_distance(const char *a, const char *b);

/* The word closest so far; starts as all zero. */
struct nearest {
	const char *word; /* NULL: none is close enough to have been meant */
	unsigned distance;
};

/* At most a third of the letters may differ, and not the first ("gpu" does not mean "cpu"); a word that given is the
 * beginning of is closest. */
void nearest_try(struct nearest *nearest, const char *given, const char *word);

#define NEAREST_HINT 96

/* ": nearest is PREFIXWORD", or "" without a word. */
const char *nearest_hint(char text[NEAREST_HINT], const struct nearest *nearest, const char *prefix);

#endif
