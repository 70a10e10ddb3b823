/* Processes that share the work of this one.  Start them before the program has other threads or an OpenCL device. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <stdbool.h>

#define MAX_CHILDREN 256

/* Returns the process's exit code; standard output is flushed after it. */
typedef int child_work(void *self, unsigned number);

/* Start n of them.  A signal that ends this process ends them first, and its end ends them.  Returns how many were
 * started. */
unsigned children_start(unsigned n, child_work *work, void *self);

/* Wait for all. Every 0.1 s show(self), which may be NULL, is called. Returns how many did not end with exit code 0. */
unsigned children_wait(void (*show)(void *self), void *self);

/* End those that are left; returns whether there were any.  Async-signal-safe. */
bool children_end(void);

#endif
