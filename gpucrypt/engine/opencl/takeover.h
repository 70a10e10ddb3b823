/*
 * engine_opencl: the bare OpenCL engine behind deadlines, and the CPU in its place once a device has failed.  Internal
 * to takeover.c, which decides, and device_session.c, which makes the calls.
 *
 * Threads of their own make the driver's calls, because a call may never return.  The device reads a work from its slot
 * and writes into a buffer of the lane, which is exchanged for the slot's when the result is there.  So the input of a
 * failed work is unchanged, and a device that is left never writes into a slot.  What the device and its threads may
 * still use is never released: the takeover, and the memory of engine_allocate().
 */
#ifndef GPUCRYPT_ENGINE_OPENCL_TAKEOVER_H
#define GPUCRYPT_ENGINE_OPENCL_TAKEOVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

enum half { HALF_DECRYPT, HALF_ENCRYPT, N_HALVES }; /* of a recryption; an engine alone does the second half */

/* A lane's thread, and all that the thread uses besides the work's input. */
struct lane {
	struct driver_thread *thread; /* NULL: not started, or lost in a call */
	struct engine *device;
	unsigned number;
	struct recryption work; /* the caller's, but for secrets, tags and the buffer of the result */
	uint8_t keys[N_HALVES][64], r[N_HALVES][TAG_BYTES], tags[N_HALVES][MAX_CHUNKS][TAG_BYTES];
	struct host_buffer result;
};

/* The device in one context. */
struct device_session {
	struct engine *device; /* bare, owned; NULL: not open */
	struct lane lanes[OPENCL_LANES];
};

/* In locked memory. */
struct takeover {
	struct engine engine; /* bare: of the first session */
	struct gpucrypt_plan plan;
	char name[96];                     /* of the device */
	double least_s;                    /* deadline of a work, at least */
	atomic_bool left;                  /* no call of the driver is made any more */
	struct device_session sessions[2]; /* the second one in place of a lost context */
	atomic_uint n_sessions; /* the last one is in use; in a recryption the same number for both engines */
	pthread_mutex_t calls_mutex;
	struct driver_thread *calls; /* calls outside of lanes, one at a time; NULL: not started, or lost in a call */
	pthread_mutex_t mutex;       /* protects the members below; held while a context is made again */
	struct engine *cpu;          /* opened when needed; owned, and the engine before it */
	size_t most_bytes;           /* the largest work so far, */
	double most_s;               /* and its time */
};

/* Threads that call OpenCL drivers for threads that wait with a deadline: a call of a driver may never return. */

struct driver_thread;

/*
 * Run run(argument) on *thread, which is started if it is NULL, and wait for its status, whose text is moved to the
 * calling thread.  GPUCRYPT_DEVICE, "NAME: no answer within N s", if it takes longer: *thread is NULL then, and
 * argument and all that the run uses must stay for good.  The same, if no thread can be started.
 */
int driver_thread_call(
        struct driver_thread **thread, int (*run)(void *argument), void *argument, double seconds, const char *name);

/* Wait until a thread without a call has ended; NULL is fine. */
void driver_thread_end(struct driver_thread *thread);

/* Open a session, if there is one before it in a new context and with the known answers. */
int device_session_open(struct takeover *takeover);

/* The session in use, of an open device. */
struct device_session *current_session(struct takeover *takeover);

/* Close the session in use, and release the buffers of all. */
void sessions_close(struct takeover *takeover);

/* Run a work on a lane, and take its result.  *late: the device did not answer. */
int device_session_work(
        struct takeover *takeover, struct lane *lane, struct recryption *job, double seconds, bool *late);

/* struct engine_class: lock and unlock. */
int device_session_lock(struct engine *engine, struct host_buffer *buffer, size_t n_bytes);
void device_session_unlock(struct engine *engine, struct host_buffer *buffer);

/* The device is left: it did not answer, or failed again.  fail() has the reason. */
void takeover_leave(struct takeover *takeover);

#endif
