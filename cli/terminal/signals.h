/*
 * Clean-up when the program ends before its work is done: temporary files or folders are removed, and the terminal's
 * echo is restored. The program may end by a signal (exit code 128 + N), by a fault or abort() in the program or in a
 * library, or because a library calls exit() (exit code GPUCRYPT_OTHER). See docs/decisions/0001-libraries-that-
 * exit.md.
 */
#ifndef CLI_TERMINAL_SIGNALS_H
#define CLI_TERMINAL_SIGNALS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <termios.h>

/*
 * Install the handlers. Every signal that asks the program to end (SIGINT, SIGTERM, SIGXCPU, …) does so unless it is
 * ignored (nohup); SIGXFSZ is ignored, so that write() fails for a file that is too long. Call this before any other
 * thread exists. A separate thread waits for all of these signals but SIGPIPE, and all other threads block them: OpenCL
 * drivers that contain LLVM install handlers of their own, one of which swallows SIGQUIT. Faults, abort() and exit()
 * are handled in the thread where they happen.
 */
void signals_install(void);

/* Call in a child process, which inherits handlers and masks but no threads. */
void signals_after_fork(void);

/* The line of progress on a terminal is there, or is not: a signal clears it. */
void signals_guard_line(bool there);

/* Call before main() returns: a later exit() is expected and removes nothing. */
void signals_expect_exit(void);

/* End the program in the same way, with a text on standard error and the exit code GPUCRYPT_OTHER. */
_Noreturn void signals_exit(const char *text);

/* The signal mask from the program's start, for programs that it starts. */
const sigset_t *signals_inherited_mask(void);

/* From now on the handler unlinks this name in this folder; or calls remove for it, which is async-signal-safe, and
 * SIGPIPE is ignored meanwhile.  Two names at a time, or one with remove. */
void signals_guard(int folder_fd, const char *name, int (*remove)(int folder_fd, const char *name));
void signals_release(const char *name);

/* Enclose each change of a guarded entry (create, write into a tree, rename, remove): no signal ends the program
 * between the two calls. The calls do not nest. */
void signals_hold(void);
void signals_go_on(void);

/* If a signal is about to end the program, let it: its thread may have unlinked the file already. */
void signals_leave_stopping(void);

/* From now on the handler restores the settings `saved`. When the program is suspended (SIGTSTP) they are restored too,
 * and when it continues, `silent` is set and prompt is written again; prompt is not owned. */
void signals_guard_terminal(int fd, const struct termios *saved, const struct termios *silent, const char *prompt);
void signals_release_terminal(void);

/* Install the handlers of crashes again: LLVM, in OpenCL drivers, replaces them with handlers that return, after which
 * abort() ends the program without ours.  Cheap; call it before plaintext is written. */
void signals_keep(void);

/* Processes that share the work of this one.  Start them before the program has other threads or an OpenCL device. */

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
