/*
 * What must be undone when the program is stopped by a signal: a temporary file, and a terminal
 * without echo.  The handler uses async-signal-safe functions only and exits with 128 + N.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <termios.h>

/* Catch SIGHUP, SIGINT, SIGQUIT, SIGPIPE and SIGTERM unless they are ignored (nohup); ignore
 * SIGXFSZ, so that too long a file is an error of write(). */
void signals_install(void);

/* From now on this name in this folder is unlinked by the handler; one at a time. */
void signals_guard_file(int folder_fd, const char *name);
void signals_release_file(void);

/* From now on the handler restores these settings.  When the program is suspended (SIGTSTP) they
 * are restored as well, and after it goes on `silent` is set and prompt written again; prompt is
 * not owned. */
void signals_guard_terminal(
        int fd, const struct termios *saved, const struct termios *silent, const char *prompt);
void signals_release_terminal(void);

#endif
