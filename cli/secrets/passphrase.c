#include "cli/secrets/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "gpucrypt/utf8.h"
#include "command/message.h"
#include "cli/terminal/signals.h"

#define MAX_PROMPT 160

/* The handler writes the prompt again after a suspension. */
static char prompt[MAX_PROMPT];

static int terminal_failed(void)
{
	return fail(GPUCRYPT_USAGE,
	        "no terminal to ask for a passphrase: %s: use --passphrase or --key-file, or an "
	        "--identity without a passphrase",
	        strerror(errno));
}

static void write_text(int terminal, const char *text)
{
	/* If writing to the terminal fails, nothing is read from it. */
	if (write(terminal, text, strlen(text)) < 0)
		return;
}

/* One line without its end, read straight from the terminal: no copy stays in a buffer. */
static int read_line(int terminal, uint8_t line[MAX_LINE_BYTES], size_t *length)
{
	ssize_t got = 0;

	*length = 0;
	do {
		got = read(terminal, line + *length, MAX_LINE_BYTES - *length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		*length += (size_t)got;
	} while (*length < MAX_LINE_BYTES && line[*length - 1] != '\n');
	if (got < 0)
		return terminal_failed();
	if (*length > 0 && line[*length - 1] == '\n')
		--*length;
	else if (*length == MAX_LINE_BYTES)
		return fail(GPUCRYPT_USAGE, "passphrase: longer than a terminal's line");
	return *length ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "passphrase: empty");
}

/* Echo is off from before the first prompt until the last line is read. */
static int ask(int terminal, uint8_t *line, size_t *length)
{
	int status;

	write_text(terminal, prompt);
	status = read_line(terminal, line, length);
	write_text(terminal, "\n");
	return status;
}

static int ask_silently(
        int terminal, uint8_t *bytes, size_t *length, const char *file, enum passphrase_question question)
{
	uint8_t again[MAX_LINE_BYTES];
	size_t again_length;
	int status;

	snprintf(prompt, sizeof prompt,
	        "%sPassphrase for %.100s: ", question == ASK_AGAIN ? "This one does not open.  " : "", file);
	message_clean(prompt, true);
	status = ask(terminal, bytes, length);
	if (status != GPUCRYPT_OK || question != ASK_TWICE)
		return status;
	snprintf(prompt, sizeof prompt, "Passphrase again: ");
	status = ask(terminal, again, &again_length);
	if (status == GPUCRYPT_OK && (again_length != *length || memcmp(again, bytes, again_length) != 0))
		status = fail(GPUCRYPT_USAGE, "passphrase: the two are not the same");
	wipe(again, sizeof again);
	return status;
}

int passphrase_ask(uint8_t bytes[MAX_LINE_BYTES], size_t *length, const char *file, enum passphrase_question question)
{
	struct termios saved, silent;
	int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC), status;

	if (terminal < 0)
		return terminal_failed();
	if (tcgetattr(terminal, &saved) != 0) {
		status = terminal_failed();
		goto done;
	}
	silent = saved;
	silent.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
	silent.c_lflag |= ICANON | ISIG;
	silent.c_iflag |= ICRNL;
	signals_guard_terminal(terminal, &saved, &silent, prompt);
	if (tcsetattr(terminal, TCSAFLUSH, &silent) != 0)
		status = terminal_failed();
	else
		status = ask_silently(terminal, bytes, length, file, question);
	tcsetattr(terminal, TCSADRAIN, &saved);
	signals_release_terminal();
done:
	close(terminal);
	return status;
}

static bool is_utf8(const uint8_t *text)
{
	size_t n = 1;

	while (*text != 0 && n > 0)
		text += n = utf8_character_bytes(text);
	return n > 0;
}

const char *passphrase_oddity(const uint8_t *bytes, size_t n_bytes)
{
	if (memchr(bytes, 0, n_bytes))
		return "has a zero byte";
	if (memchr(bytes, '\r', n_bytes))
		return "has a carriage return, as in a file with CR LF line ends";
	if (memchr(bytes, '\n', n_bytes))
		return "has more than one line";
	if (n_bytes >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		return "begins with a byte order mark";
	return is_utf8(bytes) ? NULL : "is not UTF-8";
}
