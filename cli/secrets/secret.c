#include "cli/secrets/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "gpucrypt/pipeline/source.h"
#include "command/secret_source.h"
#include "cli/secrets/identities.h"
#include "cli/secrets/key_file.h"
#include "command/message.h"
#include "cli/secrets/passphrase.h"
#include "cli/terminal/signals.h"

#define MAX_PASSPHRASE_BYTES ((size_t)1 << 20)
#define MIN_PASSPHRASE_BYTES 8 /* else a warning */

extern char **environ;

static int reserve(struct secret *secret, enum gpucrypt_secret_type type, size_t capacity)
{
	secret->bytes = locked_allocate(capacity);
	secret->capacity = capacity;
	secret->secret = (struct gpucrypt_secret){ .type = type, .bytes = secret->bytes, .derived = &secret->derived };
	return secret->bytes ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

void secret_wipe(struct secret *secret)
{
	identities_free(secret);
	if (secret->passphrase)
		secret_wipe(secret->passphrase);
	free(secret->passphrase);
	locked_free(secret->bytes, secret->capacity);
	wipe(&secret->derived, sizeof secret->derived);
	*secret = (struct secret){ 0 };
}

static int read_all(struct secret *secret, int fd, const char *name)
{
	struct source source = source_of_fd(fd, name);
	size_t length;
	int status = reserve(secret, GPUCRYPT_PASSPHRASE, MAX_PASSPHRASE_BYTES + 2);

	if (status == GPUCRYPT_OK)
		status = source_read(&source, secret->bytes, secret->capacity, &length);
	if (status != GPUCRYPT_OK)
		return status;
	if (length > MAX_PASSPHRASE_BYTES)
		return fail(GPUCRYPT_USAGE, "%s: passphrase longer than %zu bytes", name, MAX_PASSPHRASE_BYTES);
	secret->secret.length = length;
	return GPUCRYPT_OK;
}

/* The passphrase is the line without its newline. */
static int read_line(struct secret *secret, int fd, const char *name)
{
	int status = read_all(secret, fd, name);
	size_t length = secret->secret.length;

	if (status == GPUCRYPT_OK && length > 0 && secret->bytes[length - 1] == '\n')
		secret->secret.length--;
	return status;
}

void secret_forget_variable(const char *variable)
{
	char *value = getenv(variable);

	if (value != NULL)
		wipe(value, strlen(value));
	unsetenv(variable);
}

static int read_env(struct secret *secret, const char *variable)
{
	char *value = getenv(variable);
	size_t length;
	int status;

	if (!value)
		return fail(GPUCRYPT_USAGE, "%s: no variable %s in the environment", secret->option, variable);
	length = strlen(value);
	status = reserve(secret, GPUCRYPT_PASSPHRASE, length + 1);
	if (status == GPUCRYPT_OK) {
		memcpy(secret->bytes, value, length);
		secret->secret.length = length;
	}
	secret_forget_variable(variable);
	return status;
}

static int open_and_read(struct secret *secret, const char *name, int (*read)(struct secret *, int, const char *))
{
	int status, fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	status = read(secret, fd, name);
	close(fd);
	return status;
}

static int read_file(struct secret *secret, const char *name)
{
	return open_and_read(secret, name, read_line);
}

static int read_fd(struct secret *secret, const char *number)
{
	return read_line(secret, descriptor_parse(number), secret->option);
}

static int spawn_shell(pid_t *child, int output, const char *command)
{
	char shell[] = "sh", run[] = "-c";
	char *arguments[] = { shell, run, (char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t ignored;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!error)
		error = posix_spawnattr_setsigmask(&attributes, signals_inherited_mask());
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGXFSZ);
	sigaddset(&ignored, SIGPIPE);
	if (!error)
		error = posix_spawnattr_setsigdefault(&attributes, &ignored);
	if (!error)
		error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!error)
		error = posix_spawn(child, "/bin/sh", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Run the command by the shell without standard input, which may be the plaintext. */
static int start_command(pid_t *child, int *output, const char *command)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	error = spawn_shell(child, ends[1], command);
	close(ends[1]);
	if (error)
		close(ends[0]);
	*output = ends[0];
	return error;
}

static int read_command(struct secret *secret, const char *command)
{
	int output = -1, result, status, error;
	pid_t child = -1, waited;

	error = start_command(&child, &output, command);
	if (error)
		return fail(GPUCRYPT_IO, "%s: cannot run the command: %s", secret->option, strerror(error));
	status = read_line(secret, output, secret->option);
	close(output);
	while ((waited = waitpid(child, &result, 0)) < 0 && errno == EINTR)
		;
	if (status == GPUCRYPT_OK && (waited < 0 || !WIFEXITED(result)))
		status = fail(GPUCRYPT_IO, "%s: the command was killed", secret->option);
	if (status == GPUCRYPT_OK && WEXITSTATUS(result) != 0)
		status = fail(
		        GPUCRYPT_IO, "%s: the command failed: exit status %d", secret->option, WEXITSTATUS(result));
	return status;
}

static int read_passphrase(struct secret *secret, const char *option, const char *source)
{
	static int (*const readers[])(struct secret *, const char *) = { [SECRET_FROM_ENV] = read_env,
		[SECRET_FROM_FILE] = read_file,
		[SECRET_FROM_FD] = read_fd,
		[SECRET_FROM_COMMAND] = read_command };
	const char *rest;
	int status;

	secret->option = option;
	status = readers[secret_source_parse(source, &rest)](secret, rest);

	if (status == GPUCRYPT_OK && secret->secret.length == 0)
		status = fail(GPUCRYPT_USAGE, "%s: the passphrase is empty", secret->option);
	return status;
}

static bool from_environment(const char *source)
{
	const char *rest;

	return source && secret_source_parse(source, &rest) == SECRET_FROM_ENV;
}

bool secret_in_environment(const struct secret_options *options)
{
	return from_environment(options->passphrase) || from_environment(options->identity_passphrase);
}

bool secret_in_token(const struct secret *secret)
{
	for (unsigned i = 0; i < secret->identities.n; i++)
		if (secret->identities.keys[i].secret.held != NULL)
			return true;
	return false;
}

bool secret_given(const struct secret_options *options)
{
	return options->passphrase || options->key_file || options->identities.n > 0 || options->key_hex.length;
}

/* One passphrase for all protected keys; no option: the terminal is asked. */
static int read_identities(struct secret *secret, const struct secret_options *options)
{
	int status = GPUCRYPT_OK;

	if (options->identity_passphrase) {
		secret->passphrase = calloc(1, sizeof *secret->passphrase);
		status = secret->passphrase ? read_passphrase(secret->passphrase, "--identity-passphrase",
		                                      options->identity_passphrase)
		                            : fail(GPUCRYPT_OTHER, "out of memory");
	}
	return status == GPUCRYPT_OK ? identities_read(secret, &options->identities) : status;
}

static int open_again(struct locked_secret *self, const struct gpucrypt_secret **opened)
{
	struct secret *secret = (struct secret *)((char *)self - offsetof(struct secret, again));
	int status;

	self->asked = ++secret->n_tries == PASSPHRASE_TRIES - 1;
	status = passphrase_ask(secret->bytes, &secret->secret.length, secret->file, ASK_AGAIN);
	secret->refused |= status != GPUCRYPT_OK;
	wipe(secret->derived.results, sizeof secret->derived.results);
	*opened = &secret->secret;
	return status;
}

int secret_ask_again(struct secret *secret)
{
	const struct gpucrypt_secret *unused;

	if (!secret->again.open || secret->again.asked)
		return GPUCRYPT_NO_KEY;
	fail_clear();
	return secret->again.open(&secret->again, &unused);
}

static int ask(struct secret *secret, bool encrypting)
{
	if (!encrypting) {
		secret->again = (struct locked_secret){ .public.type = GPUCRYPT_PASSPHRASE, .open = open_again };
		secret->derived.locked = &secret->again;
	}
	return passphrase_ask(secret->bytes, &secret->secret.length, secret->file, encrypting ? ASK_TWICE : ASK_ONCE);
}

static int read_any(struct secret *secret, const struct secret_options *options, size_t key_bytes, bool encrypting)
{
	const struct hex_bytes *hex = &options->key_hex;
	bool key = options->key_file || hex->length;
	int status;

	if (options->passphrase)
		return read_passphrase(secret, "--passphrase", options->passphrase);
	if (options->identities.n > 0)
		return read_identities(secret, options);
	if (options->key_file && key_bytes == KEY_FILE_WHOLE)
		return open_and_read(secret, options->key_file, read_all);
	status = key ? reserve(secret, GPUCRYPT_KEY_FILE, MAX_RAW_KEY_BYTES)
	             : reserve(secret, GPUCRYPT_PASSPHRASE, MAX_LINE_BYTES);
	if (status != GPUCRYPT_OK)
		return status;
	if (!key)
		return ask(secret, encrypting);
	secret->secret.length = options->key_file ? key_bytes : hex->length;
	if (options->key_file)
		return key_file_read(secret->bytes, key_bytes, options->key_file);
	memcpy(secret->bytes, hex->bytes, hex->length);
	return GPUCRYPT_OK;
}

static bool all_equal(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes > 0 && memcmp(bytes, bytes + 1, n_bytes - 1) == 0;
}

/* Called before a new secret protects anything: warn if it can be guessed, or may not be typed the same way again. */
static void warn_if_weak(struct secret *own, const char *key_file)
{
	const struct gpucrypt_secret *secret = &own->secret;
	const char *oddity = NULL;

	if (secret->type == GPUCRYPT_PASSPHRASE && !key_file) {
		own->bytes[secret->length] = '\0';
		oddity = passphrase_oddity(own->bytes, secret->length);
	}
	if (oddity)
		message_warning(
		        NULL, "the new passphrase %s: typed at a terminal, it may not open the container", oddity);
	if (secret->type == GPUCRYPT_PASSPHRASE && secret->length < MIN_PASSPHRASE_BYTES)
		message_warning(NULL, "the new passphrase has fewer than %d bytes and can be guessed: use a longer one",
		        MIN_PASSPHRASE_BYTES);
	if (secret->type == GPUCRYPT_KEY_FILE && all_equal(secret->bytes, secret->length))
		message_warning(key_file, "all bytes of this key are equal: use a random one (gcrypt keygen)");
}

int secret_read(struct secret *secret, const struct options *options, const struct secret_options *from,
        size_t key_bytes, const char *file, bool encrypting)
{
	int status;

	secret->file = file;
	status = read_any(secret, from, key_bytes, encrypting);
	secret->secret.scrypt_log2_n = options->kdf_cost;
	secret->secret.max_kdf_bytes = options->max_kdf_bytes;
	secret->secret.label = encrypting ? options->label : NULL;
	if (status == GPUCRYPT_OK && encrypting && !options->quiet && !options->parsed.raw)
		warn_if_weak(secret, from->key_file);
	return status;
}
