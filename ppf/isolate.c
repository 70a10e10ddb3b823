#include "ppf/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/status.h"

#define MAX_MEMORY     ((rlim_t)1 << 30)  /* of each process */
#define MAX_FILE_BYTES ((rlim_t)64 << 20) /* of each file that is written, also of a program's standard streams */

/* Results that the child process passes to its parent in shared memory. */
struct report {
	int status;
	char failure[1024];
	_Alignas(16) unsigned char result[];
};

/* Address space in use now, which sanitizers have terabytes of. */
static rlim_t memory_used(void)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	char pages[32] = "";

	if (statm && !fgets(pages, sizeof pages, statm))
		pages[0] = '\0';
	if (statm)
		fclose(statm);
	return strtoul(pages, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Limit this process and its children: CPU time, 1 GiB of memory more than it has now, and the bytes of a file that it
 * writes.  A program that it executes keeps the limits.  A hostile source may include /dev/zero, or a FIFO without a
 * writer. */
static void set_limits(unsigned seconds)
{
	const struct {
		int resource;
		rlim_t most;
	} limits[] = { { RLIMIT_CORE, 0 }, { RLIMIT_CPU, seconds }, { RLIMIT_NOFILE, 256 },
		{ RLIMIT_FSIZE, MAX_FILE_BYTES }, { RLIMIT_AS, memory_used() + MAX_MEMORY } };

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		setrlimit(limits[i].resource, &(struct rlimit){ limits[i].most, limits[i].most });
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	alarm(seconds);
}

static struct report *own_report; /* of this process, if it is the child */

void isolate_end(int status)
{
	if (!own_report) { /* not in a child process: a test */
		fprintf(stderr, "%s\n", gpucrypt_error());
		_exit(status);
	}
	own_report->status = status;
	snprintf(own_report->failure, sizeof own_report->failure, "%s", gpucrypt_error());
	_exit(0);
}

/* The parent has ended: end the process with the programs that it started, which are in its process group. */
static void end_group(int number)
{
	(void)number;
	kill(0, SIGKILL);
}

/* libclang's last words are not for the user. */
static _Noreturn void run_child(struct report *report, const struct isolation *isolation)
{
	own_report = report;
	if (isolation->limited) {
		setpgid(0, 0);
		signal(SIGTERM, end_group);
		set_limits(ISOLATED_SECONDS);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	}
	fail_clear();
	isolation->work(report->result, isolation->request);
	isolate_end(GPUCRYPT_OK);
}

static int run_parent(pid_t child, const struct report *report, const struct isolation *isolation)
{
	siginfo_t first;
	int ended = 0;

	/* As long as the child is waited for, no other process group has its number. */
	while (isolation->limited && waitid(P_PID, (id_t)child, &first, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	if (isolation->limited)
		kill(-child, SIGKILL);
	while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(ended) && (WTERMSIG(ended) == SIGALRM || WTERMSIG(ended) == SIGXCPU))
		return fail(isolation->status, "%s: stopped: %s", isolation->name, isolation->late);
	if (ended != 0)
		return fail(isolation->status, "%s: %s: %s", isolation->name, isolation->crashed,
		        WIFSIGNALED(ended) ? strsignal(WTERMSIG(ended)) : "the process ended");
	if (report->status != GPUCRYPT_OK)
		return fail((enum gpucrypt_status)report->status, "%s", report->failure);
	memcpy(isolation->result, report->result, isolation->n_bytes);
	return GPUCRYPT_OK;
}

int isolate(const struct isolation *isolation)
{
	size_t n_bytes = sizeof(struct report) + isolation->n_bytes;
	struct report *report = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t child;

	if (report == MAP_FAILED)
		return fail(GPUCRYPT_OTHER, "out of memory");
	child = fork();
	if (child == 0)
		run_child(report, isolation);
	if (child < 0)
		status = fail(GPUCRYPT_OTHER, "cannot start a process: %s", strerror(errno));
	else
		status = run_parent(child, report, isolation);
	munmap(report, n_bytes);
	return status;
}

/* Programs. */

int program_open(struct program_run *run, const void *input, size_t n_bytes)
{
	ssize_t n = 0;

	for (int i = 0; i < 3; i++)
		run->streams[i] = memfd_create("stream", MFD_CLOEXEC);
	for (size_t done = 0; done < n_bytes && n >= 0; done += n > 0 ? (size_t)n : 0)
		n = pwrite(run->streams[0], (const char *)input + done, n_bytes - done, (off_t)done);
	return n >= 0 && run->streams[1] >= 0 && run->streams[2] >= 0
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_OTHER, "no memory for a file: %s", strerror(errno));
}

static _Noreturn void execute_child(const struct program_run *run)
{
	for (int i = 0; i < 3; i++)
		if (dup2(run->streams[i], i) < 0)
			_exit(126);
	set_limits(run->seconds ?: ISOLATED_SECONDS);
	if (run->execute)
		run->execute(run->with);
	else
		execvp(run->arguments[0], (char *const *)run->arguments);
	_exit(127);
}

int program_execute(struct program_run *run)
{
	pid_t child = fork();

	if (child == 0)
		execute_child(run);
	if (child < 0)
		return fail(GPUCRYPT_OTHER, "cannot start a process: %s", strerror(errno));
	while (waitpid(child, &run->ended, 0) < 0 && errno == EINTR)
		;
	return GPUCRYPT_OK;
}

bool program_timed_out(const struct program_run *run)
{
	return WIFSIGNALED(run->ended) &&
	       (WTERMSIG(run->ended) == SIGALRM || WTERMSIG(run->ended) == SIGXCPU || WTERMSIG(run->ended) == SIGKILL);
}

void program_close(struct program_run *run)
{
	for (int i = 0; i < 3; i++)
		if (run->streams[i] >= 0)
			close(run->streams[i]);
}
