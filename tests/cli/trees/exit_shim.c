/*
 * Loaded before libc: a library ends the program.  DIES=HOW:N: at the N-th call of write(),
 * pwrite() or mkdir() HOW is done: exit, abort, or a signal's name (segv, bus, ill, fpe) raised by
 * a fault. Calls of forked children, in which drivers are tried, do not count.  DIES_THREAD: in a new
 * thread instead, while the calling one goes on.  DIES_SLOWLY: after it has set a signal's default
 * action, the program stands still for a moment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static atomic_int n_calls;
static pid_t program;

__attribute__((constructor)) static void start(void)
{
	program = getpid();
}

/* SIGBUS: a mapped file that became shorter. */
static void touch_nothing(void)
{
	int fd = memfd_create("nothing", 0);
	volatile char *bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	_exit(bytes[0]);
}

static void *die(void *unused)
{
	const char *how = getenv("DIES");

	if (!strncmp(how, "exit0", 5))
		exit(0);
	if (!strncmp(how, "exit", 4))
		exit(1);
	if (!strncmp(how, "abort", 5))
		abort();
	if (!strncmp(how, "bus", 3))
		touch_nothing();
	if (!strncmp(how, "segv", 4))
		*(volatile char *)8 = 1;
	raise(!strncmp(how, "ill", 3) ? SIGILL : SIGFPE);
	return unused;
}

static void count(void)
{
	const char *how = getenv("DIES");
	pthread_t thread;

	if (!how || getpid() != program || ++n_calls != atoi(strchr(how, ':') + 1))
		return;
	if (!getenv("DIES_THREAD"))
		die(NULL);
	else if (pthread_create(&thread, NULL, die, NULL) == 0)
		pthread_join(thread, NULL);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	if (fd > 2)
		count();
	return NEXT(write)(fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	count();
	return NEXT(pwrite)(fd, bytes, n, at);
}

int mkdir(const char *name, mode_t mode)
{
	count();
	return NEXT(mkdir)(name, mode);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	int result = NEXT(sigaction)(number, action, before);

	if (getenv("DIES_SLOWLY") && action && action->sa_handler == SIG_DFL)
		usleep(200000);
	return result;
}
