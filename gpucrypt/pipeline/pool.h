/* Threads that share the parts of a task with whoever brings it. */
#ifndef POOL_H
#define POOL_H

struct pool;

typedef void pool_part(void *job, unsigned part);

/* So many threads, or as many as can be started; NULL: there is no memory. */
struct pool *pool_open(unsigned n_threads);

/* run(job, 0 … n_parts − 1), once each, by the pool's threads and the caller's; returns when all are
 * done.  For any number of callers at once; who came first is helped first. */
void pool_run(struct pool *pool, pool_part *run, void *job, unsigned n_parts);

/* While nobody is in pool_run(); NULL is fine. */
void pool_close(struct pool *pool);

#endif
