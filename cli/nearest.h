#ifndef NEAREST_H
#define NEAREST_H

/* Number of insertions, deletions and replacements of one character that turn one word into the
 * other (Levenshtein's distance), for "nearest: …" in messages. */
unsigned edit_distance(const char *a, const char *b);

#endif
