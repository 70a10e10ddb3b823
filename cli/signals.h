/*
 * What must be undone when the program is stopped by a signal: a temporary file, and a terminal
 * without echo.  This is done with async-signal-safe functions only; the exit code is 128 + N.
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
 * SIGQUIT.
 */
void signals_install(void);

/* What was blocked when the program started: for programs started by it. */
const sigset_t *signals_inherited_mask(void);

/* From now on this name in this folder is unlinked by the handler; two at a time. */
void signals_guard_file(int folder_fd, const char *name);
void signals_release_file(const char *name);

/* The same for a folder with all that is in it; one at a time.  Whoever changes the tree does so between
 * signals_hold() and signals_go_on(), in which the program does not end; so is the folder renamed and
 * released.  SIGPIPE is ignored meanwhile: only a thread can remove a tree, no handler. */
void signals_guard_tree(int folder_fd, const char *name);
void signals_release_tree(void);
void signals_hold(void);
void signals_go_on(void);

/* If a signal is about to end the program, let it: its thread may have unlinked the file already. */
void signals_leave_stopping(void);

/* From now on the handler restores these settings.  When the program is suspended (SIGTSTP) they
 * are restored as well, and after it goes on `silent` is set and prompt written again; prompt is
 * not owned. */
void signals_guard_terminal(
        int fd, const struct termios *saved, const struct termios *silent, const char *prompt);
void signals_release_terminal(void);

#endif
