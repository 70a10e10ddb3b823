#include "ppf/analysis/preprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/tree.h"
#include "ppf/isolate.h"

#define MAX_OPTIONS 256
#define MAX_BYTES   (8u << 20)
#define MAX_SECONDS 30

extern char **environ;

/* The preprocessor presents itself as the compiler that libclang is, else the C library's headers
 * use what libclang does not know. */
static const char *const fixed_options[] = { "cc", "-E", "-x", "c", "-std=gnu11", "-w", "-fmax-errors=1", "-DNDEBUG",
	"-U__GNUC__", "-D__GNUC__=4", "-U__GNUC_MINOR__", "-D__GNUC_MINOR__=2" };

#define N_FIXED (sizeof fixed_options / sizeof *fixed_options)

/* Process group of the compiler and the programs that it starts; 0: none is running. A signal handler reads this. */
static volatile pid_t group;

static void stop(int number)
{
	if (group > 0)
		kill(-group, SIGKILL);
	signal(number, SIG_DFL);
	raise(number);
}

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };

/* A signal that ends the process kills the compiler and its children first: they are in a background process group, to
 * which the terminal sends no signals. */
static void handle_signals(void)
{
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		signal(ending[i], stop);
}

int source_isolate(const char *file, void (*work)(void *result, const void *request), const void *request, void *result,
        size_t n_bytes)
{
	return isolate(&(struct isolation){ .name = file,
	        .crashed = "cannot be parsed: libclang crashed",
	        .late = "the analysis takes more than 60 s",
	        .status = GPUCRYPT_CORRUPT,
	        .limited = true,
	        .work = work,
	        .request = request,
	        .result = result,
	        .n_bytes = n_bytes,
	        .prepare = handle_signals });
}

/* No compiler goes on behind the end. */
static _Noreturn void end(int status)
{
	if (group > 0)
		kill(-group, SIGKILL);
	isolate_end(status);
}

/* A signal between the start of the compiler and the assignment of its group would leave the compiler behind: signals
 * wait for the assignment. */
static int spawn_group(const posix_spawn_file_actions_t *actions, const char *const *arguments)
{
	posix_spawnattr_t attributes;
	sigset_t blocked, before;
	pid_t id;
	int error = posix_spawnattr_init(&attributes);

	if (error != 0)
		return error;
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		sigaddset(&blocked, ending[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &before);
	error = posix_spawnp(&id, "cc", actions, &attributes, (char *const *)arguments, environ);
	group = error == 0 ? id : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* Start cc; what it writes, and its messages, go to these descriptors. */
static void spawn(int output, int messages, const char *file, const char *const *options)
{
	const char *arguments[N_FIXED + MAX_OPTIONS + 2];
	posix_spawn_file_actions_t actions;
	size_t n = N_FIXED, length = strlen(file) + 3;
	char *argument = tree_allocate(length);
	int error;

	/* It can be nothing but a file name. */
	snprintf(argument, length, "%s%s", *file == '-' || *file == '@' ? "./" : "", file);
	memcpy(arguments, fixed_options, sizeof fixed_options);
	for (; options && *options; options++) {
		if (n == N_FIXED + MAX_OPTIONS)
			end(fail(GPUCRYPT_USAGE, "more than %d options for the preprocessor", MAX_OPTIONS));
		arguments[n++] = *options;
	}
	arguments[n++] = argument;
	arguments[n] = NULL;
	if (posix_spawn_file_actions_init(&actions) != 0)
		end(fail(GPUCRYPT_OTHER, "out of memory"));
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
	error = spawn_group(&actions, arguments);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0)
		end(fail(GPUCRYPT_OTHER, "cc: cannot run: %s", strerror(error)));
}

/* All that comes, up to limits of size and time. */
static size_t read_output(int output, const char *file, char *text)
{
	struct pollfd poll_output = { .fd = output, .events = POLLIN };
	double end_s = clock_seconds(CLOCK_MONOTONIC) + MAX_SECONDS;
	size_t n = 0;

	for (;;) {
		int left_ms = (int)(1000 * (end_s - clock_seconds(CLOCK_MONOTONIC)));
		ssize_t got = -1;

		if (left_ms <= 0 || poll(&poll_output, 1, left_ms) == 0)
			end(fail(GPUCRYPT_CORRUPT, "%s: the preprocessor takes more than %d s", file, MAX_SECONDS));
		if (n == MAX_BYTES)
			end(fail(GPUCRYPT_CORRUPT, "%s: more than %u MiB of source", file, MAX_BYTES >> 20));
		got = read(output, text + n, MAX_BYTES - n);
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			end(fail(GPUCRYPT_IO, "cc: cannot read: %s", strerror(errno)));
		if (got == 0)
			return n;
		n += got > 0 ? (size_t)got : 0;
	}
}

/* The first line of the messages with an error in it, which names the file, else the first. */
static int fail_with_message(int messages, const char *file)
{
	char text[4096], *line;
	ssize_t n = pread(messages, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "error:");
	while (line && line > text && line[-1] != '\n')
		line--;
	if (!line)
		line = text + strspn(text, "\n");
	line[strcspn(line, "\n")] = '\0';
	if (strstr(line, ": No such file"))
		return fail(GPUCRYPT_CORRUPT,
		        "%s: give the header's folder by -I (a config.h that a build makes: by an empty file)", line);
	if (strstr(line, "#error"))
		return fail(GPUCRYPT_CORRUPT, "%s: define what the source asks for by -D or --include", line);
	if (strstr(line, "error:"))
		return fail(GPUCRYPT_CORRUPT, "%s", line);
	return fail(GPUCRYPT_CORRUPT, "%s: the preprocessor failed%s%s", file, *line ? ": " : "", line);
}

/* No folder, no device: those do not end. */
static void check_file(const char *file)
{
	struct stat about;

	if (stat(file, &about) != 0 || access(file, R_OK) != 0)
		end(fail(GPUCRYPT_IO, "%s: cannot open: %s", file, strerror(errno)));
	if (!S_ISREG(about.st_mode))
		end(fail(GPUCRYPT_IO, "%s: not a regular file", file));
}

const char *preprocess(size_t *n_bytes, const char *file, const char *const *options)
{
	char *text = tree_array(MAX_BYTES + 1, 1);
	int messages, ends[2], ended = 0;

	check_file(file);
	messages = memfd_create("messages", MFD_CLOEXEC);
	if (messages < 0 || pipe2(ends, O_CLOEXEC) != 0)
		end(fail(GPUCRYPT_OTHER, "cc: cannot run: %s", strerror(errno)));
	spawn(ends[1], messages, file, options);
	close(ends[1]);
	*n_bytes = read_output(ends[0], file, text);
	while (waitpid(group, &ended, 0) < 0 && errno == EINTR)
		;
	group = 0;
	if (ended != 0)
		isolate_end(fail_with_message(messages, file));
	close(messages);
	close(ends[0]);
	return text;
}
