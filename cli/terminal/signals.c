#include "cli/terminal/signals.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/gpucrypt.h"

static sigset_t inherited, awaited;

static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1,
	SIGUSR2 };

#define N_DEADLY (sizeof deadly / sizeof *deadly)

/* Signals of a crash: abort(), or a fault in the program or in a library. */
static struct {
	int number;
	const char *name;
	struct sigaction before;
} fatal[] = { { .number = SIGABRT, .name = "SIGABRT" }, { .number = SIGSEGV, .name = "SIGSEGV" },
	{ .number = SIGBUS, .name = "SIGBUS" }, { .number = SIGILL, .name = "SIGILL" },
	{ .number = SIGFPE, .name = "SIGFPE" }, { .number = SIGSYS, .name = "SIGSYS" },
	{ .number = SIGTRAP, .name = "SIGTRAP" } };

#define N_FATAL (sizeof fatal / sizeof *fatal)

#define N_TEMPORARIES 2 /* a detached container has two files */

/* Written before `guarded` is set and after it is cleared, so the handler sees them whole. */
static struct {
	volatile sig_atomic_t guarded;
	int folder_fd;
	char name[NAME_MAX + 1];
	int (*remove)(int folder_fd, const char *name); /* of a tree; NULL: a file */
} temporaries[N_TEMPORARIES];

static struct sigaction pipe_action; /* of SIGPIPE, when no tree is guarded */

/* A lock for changes of the guarded entries; `holding`: this thread has the lock. A signal handler waits for the lock,
 * and POSIX allows a handler only atomic variables, no mutex. */
static atomic_bool held;
static _Thread_local volatile sig_atomic_t holding;

/* Set by the first thread that ends the program: afterwards no other thread gets the lock. */
static atomic_bool stopping;
static _Thread_local volatile sig_atomic_t crashed; /* this thread: it does not wait for itself */

static struct {
	volatile sig_atomic_t guarded;
	int fd;
	struct termios saved, silent;
	const char *prompt;
} terminal;

static volatile sig_atomic_t line_there; /* of progress, on the terminal */
static pid_t process;                    /* that all this belongs to; not a copy of it made by fork() */
static pid_t parent;                     /* whose child it is by signals_after_fork(); else 0 */
static atomic_bool exit_expected;

static void wait_for_end(void)
{
	for (;;)
		pause();
}

static void wait_a_millisecond(void)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };

	nanosleep(&millisecond, NULL);
}

/* A thread that crashed, or that waits for a lock of such a thread, never releases `held`: after five seconds it is
 * ignored.  Async-signal-safe: clock_gettime() is. */
static void claim_guarded(void)
{
	struct timespec start, now;

	if (atomic_exchange(&stopping, true)) {
		if (holding)
			held = false;
		wait_for_end();
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (now = start; held && !holding && now.tv_sec - start.tv_sec < 5; clock_gettime(CLOCK_MONOTONIC, &now))
		wait_a_millisecond();
}

/* stdio's buffers may be locked. */
static void print(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* Async-signal-safe, as is all that it calls. */
static void clean_up(void)
{
	claim_guarded();
	children_end();
	if (line_there)
		print("\r\033[K");
	if (terminal.guarded)
		tcsetattr(terminal.fd, TCSANOW, &terminal.saved);
	for (int i = 0; i < N_TEMPORARIES; i++)
		if (temporaries[i].guarded && temporaries[i].remove)
			temporaries[i].remove(temporaries[i].folder_fd, temporaries[i].name);
		else if (temporaries[i].guarded)
			unlinkat(temporaries[i].folder_fd, temporaries[i].name, 0);
}

static void stop(int number)
{
	clean_up();
	_exit(128 + number);
}

/* A sanitizer's handler comes next, or the signal's default action, which ends the program; or this handler again, if
 * signals_keep() has just put it back. */
static void crash(int number)
{
	size_t i = 0;

	while (i + 1 < N_FATAL && fatal[i].number != number)
		i++;
	if (getpid() == process && !crashed) {
		crashed = true;
		clean_up();
		print("gcrypt: ");
		print(fatal[i].name);
		print(": gcrypt or a library that it uses crashed: temporary files are removed\n");
	}
	sigaction(number, &fatal[i].before, NULL);
	raise(number);
}

/* In place of libc's, for libraries too (the Makefile exports it): LLVM's handler of SIGABRT, which OpenCL drivers
 * bring, returns, and then libc's abort() would end the program without ours. */
__attribute__((visibility("default"))) _Noreturn void abort(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGABRT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	crash(SIGABRT);
	_exit(128 + SIGABRT);
}

/* No signal interrupts it: that of print() to a closed pipe would. */
void signals_exit(const char *text)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	clean_up();
	print(text);
	_exit(GPUCRYPT_OTHER);
}

/* libarchive ends the program when memory runs out, and LLVM when a disk is full. */
static void leave(void)
{
	if (!exit_expected && getpid() == process)
		signals_exit("gcrypt: a library ended the program (out of memory, or a full disk?): "
		             "temporary files are removed\n");
}

static void suspend(int number);

static void catch_suspend(void (*handler)(int))
{
	struct sigaction action = { .sa_flags = SA_RESTART };

	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, NULL);
}

/* Give the terminal back, really stop, and when the shell lets the program go on ask again. */
static void suspend(int number)
{
	int saved_errno = errno;
	sigset_t set;

	tcsetattr(terminal.fd, TCSANOW, &terminal.saved);
	catch_suspend(SIG_DFL);
	raise(number);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* stops here, until SIGCONT */
	catch_suspend(suspend);
	tcsetattr(terminal.fd, TCSAFLUSH, &terminal.silent);
	if (write(terminal.fd, terminal.prompt, strlen(terminal.prompt)) < 0)
		saved_errno = errno;
	errno = saved_errno;
}

/* The parent ends its children when it does not record any more what they do. */
static void *await(void *unused)
{
	const struct timespec interval = { .tv_nsec = 50000000 };
	siginfo_t info;
	int number;

	(void)unused;
	while ((number = sigtimedwait(&awaited, &info, &interval)) < 0)
		signals_keep();
	if (parent == 0 || info.si_pid != parent)
		orderly_end_await();
	stop(number);
	return NULL;
}

static struct sigaction crash_action(void)
{
	struct sigaction action = { .sa_handler = crash };

	sigfillset(&action.sa_mask);
	return action;
}

static void catch_fatal(void)
{
	const struct sigaction action = crash_action();

	process = getpid();
	for (size_t i = 0; i < N_FATAL; i++)
		sigaction(fatal[i].number, &action, &fatal[i].before);
	atexit(leave);
}

void signals_keep(void)
{
	const struct sigaction action = crash_action();
	struct sigaction now;

	for (size_t i = 0; i < N_FATAL && process != 0 && !stopping; i++)
		if (sigaction(fatal[i].number, NULL, &now) == 0 && now.sa_handler != crash)
			sigaction(fatal[i].number, &action, NULL);
}

void signals_expect_exit(void)
{
	exit_expected = true;
}

static void start_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, await, NULL) != 0)
		pthread_sigmask(SIG_SETMASK, &inherited, NULL); /* the handlers must do */
}

void signals_install(void)
{
	struct sigaction action = { .sa_handler = stop }, ignored = { .sa_handler = SIG_IGN }, old;

	catch_fatal();
	sigfillset(&action.sa_mask);
	sigemptyset(&ignored.sa_mask);
	sigemptyset(&awaited);
	for (size_t i = 0; i < N_DEADLY; i++)
		if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
			sigaction(deadly[i], &action, NULL);
			sigaddset(&awaited, deadly[i]);
		}
	/* Sent to the thread that writes, at once. */
	sigdelset(&awaited, SIGPIPE);
	sigaction(SIGXFSZ, &ignored, NULL);
	pthread_sigmask(SIG_BLOCK, &awaited, &inherited);
	start_thread();
}

/* A signal that came while the parent was in fork() ends the parent, which waits for this child. */
void signals_after_fork(void)
{
	if (stopping)
		_exit(GPUCRYPT_OTHER);
	parent = process;
	process = getpid();
	line_there = 0;
	start_thread();
}

void signals_guard_line(bool there)
{
	line_there = there;
}

const sigset_t *signals_inherited_mask(void)
{
	return &inherited;
}

void signals_guard(int folder_fd, const char *name, int (*remove)(int folder_fd, const char *name))
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	int i = temporaries[0].guarded ? 1 : 0;

	if (remove)
		sigaction(SIGPIPE, &ignored, &pipe_action);
	temporaries[i].folder_fd = folder_fd;
	temporaries[i].remove = remove;
	strncpy(temporaries[i].name, name, sizeof temporaries[i].name - 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	temporaries[i].guarded = 1;
}

void signals_leave_stopping(void)
{
	if (stopping)
		wait_for_end();
}

void signals_release(const char *name)
{
	for (int i = 0; i < N_TEMPORARIES; i++)
		if (temporaries[i].guarded && !strcmp(temporaries[i].name, name)) {
			temporaries[i].guarded = 0;
			if (temporaries[i].remove)
				sigaction(SIGPIPE, &pipe_action, NULL);
		}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void signals_hold(void)
{
	while (atomic_exchange(&held, true))
		wait_a_millisecond();
	holding = true;
	if (stopping) {
		signals_go_on();
		wait_for_end();
	}
}

void signals_go_on(void)
{
	holding = false;
	held = false;
}

void signals_guard_terminal(int fd, const struct termios *saved, const struct termios *silent, const char *prompt)
{
	struct sigaction old;

	terminal.fd = fd;
	terminal.saved = *saved;
	terminal.silent = *silent;
	terminal.prompt = prompt;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	terminal.guarded = 1;
	if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		catch_suspend(suspend);
}

void signals_release_terminal(void)
{
	struct sigaction old;

	if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler == suspend)
		catch_suspend(SIG_DFL);
	terminal.guarded = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
