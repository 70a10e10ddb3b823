#include "command/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "command/program.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/status.h"
#include "gpucrypt/utf8.h"

#define MAX_MESSAGE 16384 /* a name, and what fail() keeps */
#define MAX_NAME    4000  /* fail() keeps so much of the text's start, however long it is */

/* Code points that a terminal obeys or does not show: control characters (C0, DEL, C1), line and
 * paragraph separators, and Unicode's property Default_Ignorable_Code_Point (bidirectional
 * controls, zero-width characters, variation selectors, tags).  Sorted. */
static const struct {
	uint32_t first, last;
} unprintable[] = { { 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff } };

/* The character of n bytes at `text`, valid UTF-8. */
static uint32_t code_point(const unsigned char *text, size_t n)
{
	uint32_t point = n == 1 ? text[0] : text[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++)
		point = point << 6 | (text[i] & 0x3f);
	return point;
}

static bool is_unprintable(uint32_t point)
{
	size_t i = 0;

	while (i < sizeof unprintable / sizeof *unprintable && point > unprintable[i].last)
		i++;
	return i < sizeof unprintable / sizeof *unprintable && point >= unprintable[i].first;
}

void message_clean(char *text, bool controls)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		size_t n = utf8_character_bytes(at);

		if (n == 0 || (controls && is_unprintable(code_point(at, n))))
			memset(at, '?', n ? n : 1);
		at += n ? n : 1;
	}
}

/* Flush standard output first, so that messages follow it. */
static void print_line(const char *file, const char *kind, const char *text)
{
	char line[MAX_MESSAGE];

	snprintf(line, sizeof line, "%s: %s%s%s%s", program.name, file ? file : "", file ? ": " : "", kind, text);
	message_clean(line, true);
	fflush(stdout);
	fprintf(stderr, "%s\n", line);
}

bool message_names(const char *file)
{
	const char *text = gpucrypt_error();
	size_t length = file ? strnlen(file, MAX_NAME) : 0;

	return file && !strncmp(text, file, length) && (length == MAX_NAME || text[length] == ':');
}

int message_failure(const char *file, int status)
{
	const char *text = gpucrypt_error();

	print_line(message_names(file) ? NULL : file, "", *text ? text : "failed");
	fail_clear();
	return status;
}

int message_end(int status)
{
	bool failed = ferror(stdout) != 0;

	if ((fflush(stdout) != 0 || failed) && status == GPUCRYPT_OK)
		status = fail(GPUCRYPT_IO, "standard output: cannot write: %s", strerror(errno));
	return *gpucrypt_error() ? message_failure(NULL, status) : status;
}

void message_warning(const char *file, const char *format, ...)
{
	char text[MAX_MESSAGE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	print_line(file, "warning: ", text);
}

void message_left_out(void)
{
	for (const struct driver *driver = NULL; (driver = loader_left_out(driver));)
		message_warning(NULL, "OpenCL driver %s is left out: %s; `gcrypt devices` tries it again", driver->icd,
		        driver->fault);
}
