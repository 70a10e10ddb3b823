/* Files of a tree asked for before they are read: while one is encrypted, storage brings the next
 * ones. */
#ifndef BUNDLE_AHEAD_H
#define BUNDLE_AHEAD_H

struct ahead;

/* A thread that walks the tree that fd is of in the order of walk.h.  NULL where there can be none:
 * then all is as before, but slower.  fd is only copied. */
struct ahead *ahead_open(int fd);

/* The reader comes to one more name.  NULL is fine, in both. */
void ahead_follow(struct ahead *ahead);

void ahead_close(struct ahead *ahead);

#endif
