/*
 * What must be undone when the program ends before its work is done: a temporary file or folder,
 * and a terminal without echo.  The program may end by a signal (exit code 128 + N), by a fault or
 * abort() in it or in a library, or because a library calls exit() (exit code GPUCRYPT_OTHER).  See
 * docs/decisions/0001-libraries-that-exit.md.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>
#include <termios.h>

/*
 * Be stopped by every signal that asks for it (SIGINT, SIGTERM, SIGXCPU, …) unless it is ignored
 * (nohup), and ignore SIGXFSZ, so that too long a file is an error of write().  Called before any
 * other thread exists.  A thread of its own waits for all but SIGPIPE, which are blocked elsewhere:
 * drivers of OpenCL that contain LLVM install handlers instead of ours, one of which swallows
 * SIGQUIT.  Faults, abort() and exit() are caught too, in the thread where they happen.
 */
void signals_install(void);

/* Call before main() returns: a later exit() is expected and removes nothing. */
void signals_expect_exit(void);

/* What was blocked when the program started: for programs started by it. */
const sigset_t *signals_inherited_mask(void);

/* From now on this name in this folder is unlinked by the handler; two at a time. */
void signals_guard_file(int folder_fd, const char *name);
void signals_release_file(const char *name);

/* From now on the handler calls remove, which is async-signal-safe, for this folder; one folder at a time.  SIGPIPE is
 * ignored meanwhile. */
void signals_guard_tree(int folder_fd, const char *name, int (*remove)(int folder_fd, const char *name));
void signals_release_tree(void);

/* Around each change of what is guarded, be it made, written into (a tree), renamed or removed: a
 * signal does not end the program between the two.  Not to be nested. */
void signals_hold(void);
void signals_go_on(void);

/* If a signal is about to end the program, let it: its thread may have unlinked the file already. */
void signals_leave_stopping(void);

/* From now on the handler restores these settings.  When the program is suspended (SIGTSTP) they
 * are restored as well, and after it goes on `silent` is set and prompt written again; prompt is
 * not owned. */
void signals_guard_terminal(int fd, const struct termios *saved, const struct termios *silent, const char *prompt);
void signals_release_terminal(void);

/* Install the handlers of crashes again: LLVM, in OpenCL drivers, replaces them with handlers that return, after which
 * abort() ends the program without ours.  Cheap; call it before plaintext is written. */
void signals_keep(void);

#endif
