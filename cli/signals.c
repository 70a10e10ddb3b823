#include "signals.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "remove_tree.h"

static sigset_t inherited, awaited;

static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGALRM, SIGVTALRM,
	SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2 };

#define N_DEADLY (sizeof deadly / sizeof *deadly)

#define N_TEMPORARIES 2 /* a detached container has two files */

/* Written before `guarded` is set and after it is cleared, so the handler sees them whole. */
static struct {
	volatile sig_atomic_t guarded;
	int folder_fd;
	char name[NAME_MAX + 1];
} temporaries[N_TEMPORARIES];

/* Of everything here but the mutex: who has it. */
static pthread_mutex_t tree_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int folder_fd; /* -1: there is none */
	char name[NAME_MAX + 1];
	struct sigaction pipe_action; /* of SIGPIPE, without a tree */
} tree = { .folder_fd = -1 };

static struct {
	volatile sig_atomic_t guarded;
	int fd;
	struct termios saved, silent;
	const char *prompt;
} terminal;

static volatile sig_atomic_t stopping;

static void stop(int number)
{
	stopping = 1;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (terminal.guarded)
		tcsetattr(terminal.fd, TCSANOW, &terminal.saved);
	for (int i = 0; i < N_TEMPORARIES; i++)
		if (temporaries[i].guarded)
			unlinkat(temporaries[i].folder_fd, temporaries[i].name, 0);
	_exit(128 + number);
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

static void *await(void *unused)
{
	int number;

	(void)unused;
	while (sigwait(&awaited, &number) != 0)
		;
	pthread_mutex_lock(&tree_mutex); /* for good */
	if (tree.folder_fd >= 0)
		remove_tree(tree.folder_fd, tree.name);
	stop(number);
	return NULL;
}

void signals_install(void)
{
	struct sigaction action = { .sa_handler = stop }, ignored = { .sa_handler = SIG_IGN }, old;
	pthread_t thread;

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
	if (pthread_create(&thread, NULL, await, NULL) != 0)
		pthread_sigmask(SIG_SETMASK, &inherited, NULL); /* the handlers must do */
}

const sigset_t *signals_inherited_mask(void)
{
	return &inherited;
}

void signals_guard_file(int folder_fd, const char *name)
{
	int i = temporaries[0].guarded ? 1 : 0;

	temporaries[i].folder_fd = folder_fd;
	strncpy(temporaries[i].name, name, sizeof temporaries[i].name - 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	temporaries[i].guarded = 1;
}

void signals_leave_stopping(void)
{
	while (stopping)
		pause();
}

void signals_release_file(const char *name)
{
	for (int i = 0; i < N_TEMPORARIES; i++)
		if (!strcmp(temporaries[i].name, name))
			temporaries[i].guarded = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void signals_hold(void)
{
	pthread_mutex_lock(&tree_mutex);
}

void signals_go_on(void)
{
	pthread_mutex_unlock(&tree_mutex);
}

void signals_guard_tree(int folder_fd, const char *name)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignored, &tree.pipe_action);
	strncpy(tree.name, name, sizeof tree.name - 1);
	tree.folder_fd = folder_fd;
}

void signals_release_tree(void)
{
	tree.folder_fd = -1;
	sigaction(SIGPIPE, &tree.pipe_action, NULL);
}

void signals_guard_terminal(
        int fd, const struct termios *saved, const struct termios *silent, const char *prompt)
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
