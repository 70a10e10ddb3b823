#include "cli/terminal/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/status.h"

#define LOOK_US           100000 /* between two checks of the processes */
#define MOST_MILLISECONDS 1000   /* for the end of a run in order */

static volatile pid_t children[MAX_CHILDREN]; /* 0: it has ended, or was not started */

/* The signal thread sets `asked` before it reads `request`; the run clears `request` before it reads `asked`.  So no
 * flag is set after the run has ended. */
static atomic_bool *_Atomic request;
static atomic_bool asked, reached;

void orderly_end_request(atomic_bool *flag)
{
	request = flag;
}

void orderly_end_reached(void)
{
	request = NULL;
	reached = true;
	while (asked)
		pause();
}

static _Noreturn void work_and_exit(pid_t parent, child_work *work, void *self, unsigned number)
{
	int status;

	for (unsigned i = 0; i < MAX_CHILDREN; i++)
		children[i] = 0;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(GPUCRYPT_OTHER);
	asked = false; /* the signal was sent to the parent */
	signals_after_fork();
	status = work(self, number);
	orderly_end_reached();
	_exit(fflush(stdout) == 0 ? status : GPUCRYPT_IO);
}

unsigned children_start(unsigned n, child_work *work, void *self)
{
	pid_t parent = getpid(), child;

	fflush(stdout);
	for (unsigned i = 0; i < n; i++) {
		signals_hold();
		child = fork();
		if (child > 0)
			children[i] = child;
		signals_go_on();
		if (child == 0)
			work_and_exit(parent, work, self, i);
		if (child < 0)
			return i;
	}
	return n;
}

static void forget(pid_t child)
{
	for (unsigned i = 0; i < MAX_CHILDREN; i++)
		if (children[i] == child)
			children[i] = 0;
}

unsigned children_wait(void (*show)(void *self), void *self)
{
	unsigned n_failed = 0;
	int ended;
	pid_t child;

	while ((child = waitpid(-1, &ended, show ? WNOHANG : 0)) >= 0 || errno == EINTR) {
		signals_leave_stopping();
		if (child > 0) {
			forget(child);
			n_failed += !WIFEXITED(ended) || WEXITSTATUS(ended) != GPUCRYPT_OK;
		} else if (show) {
			show(self);
			usleep(LOOK_US);
		}
	}
	return n_failed;
}

bool children_end(void)
{
	bool any = false;

	for (unsigned i = 0; i < MAX_CHILDREN; i++)
		if (children[i] > 0) {
			kill(children[i], SIGTERM);
			any = true;
		}
	for (unsigned i = 0; i < MAX_CHILDREN; i++)
		if (children[i] > 0)
			waitpid(children[i], NULL, 0);
	return any;
}

static bool await_reached(void)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };

	for (int i = 0; i < MOST_MILLISECONDS && !reached; i++)
		nanosleep(&millisecond, NULL);
	return reached;
}

/* A child that needs longer gets SIGTERM, and the run records the results of the others. */
void orderly_end_await(void)
{
	atomic_bool *flag;

	asked = true;
	flag = request;
	if (flag == NULL)
		return;
	*flag = true;
	if (!await_reached() && children_end())
		await_reached();
}
