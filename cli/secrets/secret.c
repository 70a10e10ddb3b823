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
#include "command/text.h"
#include "command/message.h"
#include "cli/terminal/memory.h"
#include "cli/terminal/signals.h"

#define MAX_PASSPHRASE_BYTES ((size_t)1 << 20)
#define PASSPHRASE_ROOM      (MAX_PASSPHRASE_BYTES + 2) /* with a byte too many, and a terminator */
#define MIN_PASSPHRASE_BYTES 8                          /* else a warning */

extern char **environ;

static struct locked_text text_allocate(size_t capacity)
{
	return (struct locked_text){ .bytes = memory_or_exit(locked_allocate(capacity)), .capacity = capacity };
}

void secret_wipe(struct secret *secret)
{
	identities_free(secret);
	locked_free(secret->passphrase.bytes, secret->passphrase.capacity);
	locked_free(secret->bytes, secret->capacity);
	wipe(&secret->derived, sizeof secret->derived);
	*secret = (struct secret){ 0 };
}

int secret_file_read(void *bytes, size_t room, size_t *length, const char *name)
{
	int status, fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct source source = source_of_fd(fd, name);

	if (fd < 0)
		return fail_errno(name, "cannot open");
	status = source_read(&source, bytes, room, length);
	close(fd);
	return status;
}

static int read_descriptor(struct locked_text *text, int fd, const char *name)
{
	struct source source = source_of_fd(fd, name);

	return source_read(&source, text->bytes, text->capacity, &text->length);
}

static int check_length(const struct locked_text *text, const char *name)
{
	return text->length <= MAX_PASSPHRASE_BYTES
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "%s: passphrase longer than %zu bytes", name, MAX_PASSPHRASE_BYTES);
}

void secret_forget_variable(const char *variable)
{
	char *value = getenv(variable);

	if (value != NULL)
		wipe(value, strlen(value));
	unsetenv(variable);
}

static int read_variable(struct locked_text *text, const char *option, const char *variable)
{
	const char *value = getenv(variable);

	if (!value)
		return fail(GPUCRYPT_USAGE, "%s: no variable %s in the environment", option, variable);
	*text = text_allocate(strlen(value) + 1);
	text->length = strlen(value);
	memcpy(text->bytes, value, text->length);
	secret_forget_variable(variable);
	return GPUCRYPT_OK;
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
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGXFSZ);
	sigaddset(&ignored, SIGPIPE);
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
	        ?: posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
	        ?: posix_spawnattr_setsigmask(&attributes, signals_inherited_mask())
	        ?: posix_spawnattr_setsigdefault(&attributes, &ignored)
	        ?: posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
	        ?: posix_spawn(child, "/bin/sh", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Run the command by the shell without standard input, which may be the plaintext. */
static int read_command(struct locked_text *text, const char *option, const char *command)
{
	int ends[2], result, status, error = pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
	pid_t child, waited;

	if (!error) {
		error = spawn_shell(&child, ends[1], command);
		close(ends[1]);
		if (error)
			close(ends[0]);
	}
	if (error)
		return fail(GPUCRYPT_IO, "%s: cannot run the command: %s", option, strerror(error));
	/* Of a longer one the end is not read: the command then fails, too. */
	status = read_descriptor(text, ends[0], option) ?: check_length(text, option);
	close(ends[0]);
	while ((waited = waitpid(child, &result, 0)) < 0 && errno == EINTR)
		;
	if (status == GPUCRYPT_OK && (waited < 0 || !WIFEXITED(result)))
		return fail(GPUCRYPT_IO, "%s: the command was killed", option);
	if (status == GPUCRYPT_OK && WEXITSTATUS(result) != 0)
		return fail(GPUCRYPT_IO, "%s: the command failed: exit status %d", option, WEXITSTATUS(result));
	return status;
}

/* The passphrase is a line without its newline; of a variable it is the whole value. */
static int read_line(struct locked_text *text, enum secret_source kind, const char *option, const char *rest)
{
	const char *name = kind == SECRET_FROM_FILE ? rest : option;
	int status;

	*text = text_allocate(PASSPHRASE_ROOM);
	if (kind == SECRET_FROM_FILE)
		status = secret_file_read(text->bytes, text->capacity, &text->length, rest);
	else
		status = kind == SECRET_FROM_FD ? read_descriptor(text, descriptor_parse(rest), option)
		                                : read_command(text, option, rest);
	if (status == GPUCRYPT_OK)
		status = check_length(text, name);
	if (status == GPUCRYPT_OK && text->length > 0 && text->bytes[text->length - 1] == '\n')
		text->length--;
	return status;
}

int secret_source_read(struct locked_text *text, const char *option, const char *source)
{
	const char *rest;
	enum secret_source kind = secret_source_parse(source, &rest);
	int status = kind == SECRET_FROM_ENV ? read_variable(text, option, rest) : read_line(text, kind, option, rest);

	return status != GPUCRYPT_OK || text->length > 0 ? status
	                                                 : fail(GPUCRYPT_USAGE, "%s: the passphrase is empty", option);
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

static bool all_printable(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i] < ' ' || bytes[i] > '~')
			return false;
	return true;
}

int key_file_read(uint8_t *key, size_t n_bytes, const char *name)
{
	char text[2 * MAX_RAW_KEY_BYTES + 2]; /* one more than any key file has */
	size_t length;
	int status = secret_file_read(text, sizeof text, &length, name);

	if (status == GPUCRYPT_OK && length == n_bytes && all_printable((const uint8_t *)text, length))
		status = fail(GPUCRYPT_USAGE, "%s: not a key file: a passphrase? use --passphrase file:", name);
	else if (status == GPUCRYPT_OK && length == n_bytes)
		memcpy(key, text, n_bytes);
	else if (status == GPUCRYPT_OK &&
	         !(length == 2 * n_bytes + 1 && text[2 * n_bytes] == '\n' && hex_decode(key, n_bytes, text)))
		status = fail(GPUCRYPT_USAGE,
		        "%s: not a key file: neither %zu bytes nor %zu hexadecimal digits and a newline: "
		        "for a passphrase use --passphrase file:",
		        name, n_bytes, 2 * n_bytes);
	wipe(text, sizeof text);
	return status;
}

static int read_key(struct locked_text *text, const struct secret_options *from, size_t key_bytes)
{
	*text = text_allocate(MAX_RAW_KEY_BYTES);
	text->length = from->key_file ? key_bytes : from->key_hex.length;
	if (from->key_file)
		return key_file_read(text->bytes, key_bytes, from->key_file);
	memcpy(text->bytes, from->key_hex.bytes, text->length);
	return GPUCRYPT_OK;
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

static bool all_equal(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes > 0 && memcmp(bytes, bytes + 1, n_bytes - 1) == 0;
}

/* Called before a new secret protects anything: warn if it can be guessed, or may not be typed the same way again. */
static void warn_if_weak(const struct locked_text *text, enum gpucrypt_secret_type type, const char *key_file)
{
	const char *oddity = NULL;

	if (type == GPUCRYPT_PASSPHRASE && !key_file) {
		text->bytes[text->length] = '\0';
		oddity = passphrase_oddity(text->bytes, text->length);
	}
	if (oddity)
		message_warning(
		        NULL, "the new passphrase %s: typed at a terminal, it may not open the container", oddity);
	if (type == GPUCRYPT_PASSPHRASE && text->length < MIN_PASSPHRASE_BYTES)
		message_warning(NULL, "the new passphrase has fewer than %d bytes and can be guessed: use a longer one",
		        MIN_PASSPHRASE_BYTES);
	if (type == GPUCRYPT_KEY_FILE && all_equal(text->bytes, text->length))
		message_warning(key_file, "all bytes of this key are equal: use a random one (gcrypt keygen)");
}

int secret_read(struct secret *secret, const struct options *options, const struct secret_options *from,
        size_t key_bytes, const char *file, bool encrypting)
{
	const bool typed = !secret_given(from), whole = from->key_file && key_bytes == KEY_FILE_WHOLE;
	const enum gpucrypt_secret_type type =
	        from->passphrase || typed || whole ? GPUCRYPT_PASSPHRASE : GPUCRYPT_KEY_FILE;
	struct locked_text text = { 0 };
	int status;

	secret->file = file;
	if (from->identities.n > 0)
		return identities_read(secret, &from->identities, from->identity_passphrase);
	if (from->passphrase)
		status = secret_source_read(&text, "--passphrase", from->passphrase);
	else if (typed) {
		text = text_allocate(MAX_LINE_BYTES);
		status = passphrase_ask(text.bytes, &text.length, file, encrypting ? ASK_TWICE : ASK_ONCE);
	} else if (whole) {
		text = text_allocate(PASSPHRASE_ROOM);
		status = secret_file_read(text.bytes, text.capacity, &text.length, from->key_file)
		                 ?: check_length(&text, from->key_file);
	} else
		status = read_key(&text, from, key_bytes);
	secret->bytes = text.bytes;
	secret->capacity = text.capacity;
	secret->secret = (struct gpucrypt_secret){ .type = type,
		.bytes = text.bytes,
		.length = text.length,
		.derived = &secret->derived,
		.scrypt_log2_n = options->kdf_cost,
		.max_kdf_bytes = options->max_kdf_bytes,
		.label = encrypting ? options->label : NULL };
	if (typed && !encrypting) {
		secret->again = (struct locked_secret){ .public.type = GPUCRYPT_PASSPHRASE, .open = open_again };
		secret->derived.locked = &secret->again;
	}
	if (status == GPUCRYPT_OK && encrypting && !options->quiet && !options->parsed.raw)
		warn_if_weak(&text, type, from->key_file);
	return status;
}
