/* The proposal for a mistyped word in a message. */
#ifndef COMMAND_NEAREST_H
#define COMMAND_NEAREST_H

#include <stdbool.h>

/* Number of insertions, deletions and replacements of one character, and exchanges of two neighbouring characters, that
 * turn one word into the other (optimal string alignment). */
unsigned edit_distance(const char *a, const char *b);

/* The words tried so far; starts as all zero. */
struct nearest {
	char word[48]; /* the closest word; "": no word is close enough to propose */
	unsigned distance;
	char list[192]; /* all words tried: "a, b, c" */
	char hint[160];
};

/* At most a third of the letters may differ, and not the first ("gpu" does not mean "cpu"); a word that given is the
 * beginning of is closest. */
void nearest_try(struct nearest *nearest, const char *given, const char *word);

/* Is the word in program.hints?  Then nearest_hint() returns the hint's text. */
bool nearest_know(struct nearest *nearest, const char *word);

/* ": " and the text of a hint, else ": nearest is PREFIXWORD" or ""; valid as long as *nearest. */
const char *nearest_hint(struct nearest *nearest, const char *prefix);

#endif
