/* A run that ends in order when a signal asks for its end: it does not take the next file, and records what is done. */
#ifndef ORDERLY_END_H
#define ORDERLY_END_H

#include <stdatomic.h>

/* From now on the first signal sets *flag, and the program ends when the run calls orderly_end_reached(), or after a
 * second. */
void orderly_end_request(atomic_bool *flag);

/* The run is over: *flag is not used any more.  Does not return if a signal has come. */
void orderly_end_reached(void);

/* In a child process: a signal that has come is its parent's. */
void orderly_end_after_fork(void);

/* In the thread that waits for signals: set the flag, and wait for the run's end, for a second at most, and for another
 * one after children were ended. */
void orderly_end_await(void);

#endif
