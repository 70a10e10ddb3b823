#include "ppf/analysis/analyze.h"

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

#include "ppf/analysis/count.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/parse.h"
#include "ppf/analysis/preprocess.h"
#include "ppf/analysis/tally.h"

#define MAX_SECONDS 60                /* of a clock, and of each process's CPU time */
#define MAX_MEMORY  ((rlim_t)1 << 30) /* of each process */

/* Results that the child process passes to its parent in shared memory. */
struct report {
	int status;
	struct profile profile;
	struct memory_list memory;
	char failure[1024];
};

static int check_set(const char *const *set)
{
	for (; set != NULL && *set != NULL; set++) {
		const char *value = strchr(*set, '=');
		char *end = NULL;

		if (value != NULL && value > *set && value[1] != '\0')
			strtoll(value + 1, &end, 0);
		if (end == NULL || *end != '\0')
			return fail(GPUCRYPT_USAGE, "--set: %s: not NAME=INTEGER", *set);
	}
	return GPUCRYPT_OK;
}

/* A name that nothing has is a mistake. */
static int check_set_used(const struct counter *counter)
{
	const char *const *set = counter->analysis->set;

	for (unsigned i = 0; set != NULL && set[i] != NULL && i < 64; i++)
		if ((counter->set_used >> i & 1) == 0)
			return fail(GPUCRYPT_USAGE, "--set: %s: no integer parameter or member of this name is read",
			        set[i]);
	return GPUCRYPT_OK;
}

static int count_function(struct profile *profile, struct memory_list *memory, struct counter *counter)
{
	struct unit unit = { 0 };
	int status = unit_read(&unit, counter->analysis);

	if (status == GPUCRYPT_OK)
		status = run_entry(counter, &unit);
	if (status == GPUCRYPT_OK)
		status = check_set_used(counter);
	if (status == GPUCRYPT_OK)
		status = tally(profile, memory, counter);
	unit_free(&unit);
	values_free(&counter->values);
	return status;
}

static int analyze_here(struct profile *profile, struct memory_list *memory, const struct analysis *analysis)
{
	struct counter counter = { .analysis = analysis, .values.as_written = !analysis->by_value };
	int status = check_set(analysis->set);

	*profile = (struct profile){ .n_tbl = 0 };
	if (status == GPUCRYPT_OK)
		status = count_function(profile, memory, &counter);
	snprintf(profile->name, sizeof profile->name, "%s:%s", analysis->file, analysis->function);
	return status;
}

/* Address space in use now, which sanitizers have terabytes of. */
static rlim_t memory_used(void)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	char text[32] = "";

	if (statm && !fgets(text, sizeof text, statm))
		text[0] = '\0';
	if (statm)
		fclose(statm);
	return strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* A hostile source may include /dev/zero, or a FIFO without a writer.  The compiler inherits these limits and
 * is killed when this process or its parent ends. */
static void limit_child(void)
{
	const struct {
		int resource;
		rlim_t most;
	} limits[] = { { RLIMIT_CORE, 0 }, { RLIMIT_CPU, MAX_SECONDS }, { RLIMIT_NOFILE, 256 },
		{ RLIMIT_FSIZE, 1 << 20 }, { RLIMIT_AS, memory_used() + MAX_MEMORY } };

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		setrlimit(limits[i].resource, &(struct rlimit){ limits[i].most, limits[i].most });
	preprocess_handle_signals();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	alarm(MAX_SECONDS);
}

/* libclang's last words are not for the user. */
static _Noreturn void run_child(struct report *report, const struct analysis *analysis)
{
	int nowhere = open("/dev/null", O_WRONLY);

	limit_child();
	dup2(nowhere, STDERR_FILENO);
	fail_clear();
	report->status = analyze_here(&report->profile, &report->memory, analysis);
	snprintf(report->failure, sizeof report->failure, "%s", gpucrypt_error());
	_exit(0);
}

static int run_parent(
        pid_t child, const struct report *report, struct profile *profile, const struct analysis *analysis)
{
	int ended = 0;

	while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(ended) && (WTERMSIG(ended) == SIGALRM || WTERMSIG(ended) == SIGXCPU))
		return fail(GPUCRYPT_CORRUPT, "%s: stopped: the analysis takes more than %d s", analysis->file,
		        MAX_SECONDS);
	if (ended != 0)
		return fail(GPUCRYPT_CORRUPT, "%s: does not parse: libclang gives up", analysis->file);
	if (report->status != GPUCRYPT_OK)
		return fail((enum gpucrypt_status)report->status, "%s", report->failure);
	*profile = report->profile;
	if (analysis->memory != NULL)
		*analysis->memory = report->memory;
	return GPUCRYPT_OK;
}

/* In a child process: a source with very deep nesting makes libclang crash. */
int analyze(struct profile *profile, const struct analysis *analysis)
{
	struct report *report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t child;

	if (report == MAP_FAILED)
		return fail(GPUCRYPT_OTHER, "out of memory");
	child = fork();
	if (child == 0)
		run_child(report, analysis);
	if (child < 0)
		status = fail(GPUCRYPT_OTHER, "cannot start a process: %s", strerror(errno));
	else
		status = run_parent(child, report, profile, analysis);
	munmap(report, sizeof *report);
	return status;
}
