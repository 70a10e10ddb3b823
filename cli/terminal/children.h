/* Processes that share the work of this one.  Start them before the program has other threads or an OpenCL device. */
#ifndef CLI_TERMINAL_CHILDREN_H
#define CLI_TERMINAL_CHILDREN_H

#include <stdatomic.h>
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

/* A run that ends in order when a signal asks for its end: it does not take the next file, and records what is done. */

/* From now on the first signal sets *flag, and the program ends when the run calls orderly_end_reached(), or after a
 * second. */
void orderly_end_request(atomic_bool *flag);

/* The run has ended: *flag is not used any more.  Does not return if a signal was received. */
void orderly_end_reached(void);

/* In the thread that waits for signals: set the flag, and wait for the run's end, for a second at most, and for another
 * one after children were ended. */
void orderly_end_await(void);

#endif
