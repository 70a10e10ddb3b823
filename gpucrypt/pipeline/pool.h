/* Threads that work on the parts of a task together with the thread that submits it. */
#ifndef GPUCRYPT_PIPELINE_POOL_H
#define GPUCRYPT_PIPELINE_POOL_H

struct pool;

typedef void pool_part(void *job, unsigned part);

/* Start the given number of threads, or as many as possible; NULL: out of memory. */
struct pool *pool_open(unsigned n_threads);

/* Call run(job, part) once for each part, in the pool's threads and the caller's; returns when all calls have.  Several
 * threads may call it at once; the pool's threads help the first one first.  pool NULL: all in the caller's. */
void pool_run(struct pool *pool, pool_part *run, void *job, unsigned n_parts);

/* Do not call this during pool_run(). NULL is allowed. */
void pool_close(struct pool *pool);

#endif
