#include "gpucrypt/device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/clock.h"

#define PROGRAM       "gcrypt-probe-drivers" /* argv[0] of the other process */
#define REPORT_FD     3                      /* its descriptor for the report */
#define VARIABLE      "GCRYPT_DRIVER_SECONDS"
#define MOST_ATTEMPTS (2 * MAX_DRIVERS + 1)

struct report {
	struct drivers drivers;
	struct inventory inventory; /* devices of the drivers without a fault */
};

static bool allowed;              /* probe_main() was called, so the other process may be started */
static char folder[VENDORS_NAME]; /* in the other process: ICD files of the current attempt; "": the environment is
                                     unchanged */

static double seconds_allowed(void)
{
	const char *value = getenv(VARIABLE);
	double seconds = value != NULL ? strtod(value, NULL) : 0;

	return seconds > 0 && seconds <= 3600 ? seconds : 10;
}

/* Returns false if the writer ended early, or if the deadline passed. */
static bool read_before(int fd, void *to, size_t n_bytes, double deadline)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	size_t got = 0;
	ssize_t n = -1;
	double left_s;

	while (got < n_bytes && n != 0 && (left_s = deadline - clock_seconds(CLOCK_MONOTONIC)) > 0) {
		n = poll(&wanted, 1, (int)(1e3 * left_s) + 1) > 0 ? read(fd, (char *)to + got, n_bytes - got) : -1;
		got += n > 0 ? (size_t)n : 0;
	}
	return got == n_bytes;
}

/* An attempt: a child of the other process takes the inventory of a set of drivers. */

/* The handler of a process that has one thread, which waits for the child. */
static void end_group(int number)
{
	(void)number;
	vendors_remove(folder); /* NOLINT(bugprone-signal-handler,cert-sig30-c) */
	kill(0, SIGKILL);
}

static _Noreturn void take_inventory(const struct drivers *drivers, int fd)
{
	struct inventory inventory;

	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(REPORT_FD);
	if (folder[0] != '\0') {
		loader_set_drivers(drivers);
		loader_open_folder(folder);
	}
	inventory_take(&inventory);
	_exit(write(fd, &inventory, sizeof(inventory)) != sizeof(inventory));
}

/* If memory or processes run out, the other process ends without a report, because no driver is at fault. */
static pid_t start_child(const struct drivers *drivers, int *fd)
{
	int ends[2];
	pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;

	if (child < 0)
		end_group(SIGTERM);
	close(ends[child == 0 ? 0 : 1]);
	if (child == 0)
		take_inventory(drivers, ends[1]);
	*fd = ends[0];
	return child;
}

#define END_TEXT(text) ((text)[sizeof(text) - 1] = '\0')

/* A driver may have damaged the memory of the child, which wrote the inventory. */
static bool is_sound(struct inventory *inventory)
{
	END_TEXT(inventory->failure);
	for (struct device *device = inventory->devices; device < inventory->devices + MAX_DEVICES; device++) {
		device->id = NULL;
		device->platform = NULL;
		END_TEXT(device->name);
		END_TEXT(device->vendor);
		END_TEXT(device->driver);
		END_TEXT(device->platform_name);
		END_TEXT(device->version);
		END_TEXT(device->unusable);
	}
	return inventory->n_devices <= MAX_DEVICES;
}

/* End a child that did not answer.  A child that hangs in the kernel does not end, so this does not wait for it. */
static void describe_end(char fault[DRIVER_FAULT], const char *beside, pid_t child, double deadline)
{
	int ended = 0;
	pid_t found;

	while ((found = waitpid(child, &ended, WNOHANG)) == 0 && clock_seconds(CLOCK_MONOTONIC) < deadline)
		usleep(1000);
	if (found != child) {
		kill(child, SIGKILL);
		snprintf(fault, DRIVER_FAULT, "it hangs when it is loaded%s (no answer within %g s)", beside,
		        seconds_allowed());
	} else if (WIFSIGNALED(ended)) {
		snprintf(
		        fault, DRIVER_FAULT, "it crashes when it is loaded%s (%s)", beside, strsignal(WTERMSIG(ended)));
	} else {
		snprintf(fault, DRIVER_FAULT, "it ends the program when it is loaded%s (exit code %d)", beside,
		        WEXITSTATUS(ended));
	}
}

/* Try the drivers whose bits are in set; driver i gets the fault.  If there is no fault, *inventory is set (NULL: not
 * wanted). */
static bool try_set(struct drivers *all, unsigned set, unsigned i, struct inventory *inventory)
{
	double deadline = clock_seconds(CLOCK_MONOTONIC) + seconds_allowed();
	struct drivers drivers = *all;
	struct inventory found;
	char *fault = all->of[i].fault;
	int fd;
	pid_t child;
	bool passed;

	fault[0] = '\0';
	for (unsigned k = 0; k < drivers.n; k++)
		snprintf(drivers.of[k].fault, DRIVER_FAULT, "%s", (set >> k & 1) != 0 ? "" : "not in this set");
	if (set + 1 != 1u << drivers.n && !vendors_make(folder, &drivers)) {
		snprintf(fault, DRIVER_FAULT, "it cannot be tried: no folder of ICD files can be made in TMPDIR");
		return false;
	}
	child = start_child(&drivers, &fd);
	passed = read_before(fd, &found, sizeof(found), deadline) && is_sound(&found);
	close(fd);
	vendors_remove(folder);
	if (!passed)
		describe_end(fault, (set & (set - 1)) != 0 ? " beside the drivers before it" : "", child, deadline);
	else if (inventory != NULL)
		*inventory = found;
	return passed;
}

/* The other process. */

/* Load all drivers, as the program would.  If that fails, add the drivers one by one, and leave out each driver that
 * fails alone or breaks the set. */
static void try_drivers(struct drivers *drivers, struct inventory *inventory)
{
	unsigned set = 0;

	if (try_set(drivers, (1u << drivers->n) - 1, 0, inventory) || drivers->n == 1)
		return;
	for (unsigned i = 0; i < drivers->n; i++)
		if (try_set(drivers, 1u << i, i, set == 0 ? inventory : NULL) &&
		        (set == 0 || try_set(drivers, set | 1u << i, i, inventory)))
			set |= 1u << i;
}

/* Drivers must not reach the caller's descriptors, some of which may be files of secrets.  Drivers that drivers_list()
 * does not find are tried as one driver. */
static _Noreturn void report_and_exit(void)
{
	static struct report report;
	struct drivers *drivers = &report.drivers;
	bool listed;

	prctl(PR_SET_DUMPABLE, 0);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, end_group);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#ifdef SYS_close_range
	syscall(SYS_close_range, REPORT_FD + 1, ~0U, 0);
#endif
	drivers_list(drivers);
	listed = drivers->n > 0;
	if (!listed)
		*drivers = (struct drivers){ .n = 1, .of[0].icd = "of the loader's own folder" };
	try_drivers(drivers, &report.inventory);
	if (!listed && drivers->of[0].fault[0] == '\0')
		drivers->n = 0;
	_exit(write(REPORT_FD, &report, sizeof(report)) != sizeof(report));
}

void probe_main(void)
{
	if (strcmp(program_invocation_name, PROGRAM) == 0)
		report_and_exit();
	allowed = true;
}

/* This process. */

/* The other process has a process group of its own: the terminal's signals do not reach it, and the whole group is
 * killed at the end.  The output of drivers goes to /dev/null, away from the caller's streams. */
static bool start_other(pid_t *child, int output)
{
	char name[] = PROGRAM, *arguments[] = { name, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	error = posix_spawn_file_actions_adddup2(&actions, output, REPORT_FD);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		error |= posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	error |= posix_spawnattr_setsigmask(&attributes, &none);
	error |= posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	if (error == 0)
		error = posix_spawn(child, "/proc/self/exe", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error == 0;
}

static bool ask_other(struct report *report)
{
	double deadline = clock_seconds(CLOCK_MONOTONIC) + MOST_ATTEMPTS * seconds_allowed();
	bool started, answered;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	started = start_other(&child, ends[1]);
	close(ends[1]);
	answered = started && read_before(ends[0], report, sizeof(*report), deadline);
	close(ends[0]);
	if (started)
		kill(-child, SIGKILL);
	while (started && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return answered;
}

bool probe_drivers(struct inventory *inventory)
{
	struct report report;

	if (!allowed || !ask_other(&report))
		return false;
	loader_set_drivers(&report.drivers);
	*inventory = report.inventory;
	if (inventory->n_devices == 0)
		loader_explain(inventory->failure, sizeof(inventory->failure));
	return true;
}

void probe_once(void)
{
	struct inventory inventory;

	if (loader_drivers() == NULL)
		probe_drivers(&inventory);
}
