/* Threads that call OpenCL drivers for threads that wait with a deadline: a call of a driver may never return. */
#ifndef GPUCRYPT_ENGINE_OPENCL_DRIVER_THREAD_H
#define GPUCRYPT_ENGINE_OPENCL_DRIVER_THREAD_H

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

#endif
