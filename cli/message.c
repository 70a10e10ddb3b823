#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"

#define MAX_MESSAGE 16384 /* a name, and what fail() keeps */
#define MAX_NAME    4000  /* fail() keeps so much of the text's start, however long it is */

/* Bytes of the first character (RFC 3629); 0: neither ASCII nor UTF-8. */
static size_t character_bytes(const unsigned char *text)
{
	unsigned char first = text[0], second = text[0] ? text[1] : 0;
	size_t n = first < 0x80   ? 1
	           : first < 0xc2 ? 0
	           : first < 0xe0 ? 2
	           : first < 0xf0 ? 3
	           : first < 0xf5 ? 4
	                          : 0;

	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than needed, surrogates, beyond the last character. */
	if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
	        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
		return 0;
	return n;
}

void message_clean(char *text, bool controls)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		size_t n = character_bytes(at);
		bool control = *at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0);

		if (n == 0 || (controls && control))
			memset(at, '?', n ? n : 1);
		at += n ? n : 1;
	}
}

/* What standard output has to say comes before. */
static void print_line(const char *file, const char *kind, const char *text)
{
	char line[MAX_MESSAGE];

	snprintf(line, sizeof line, "gcrypt: %s%s%s%s", file ? file : "", file ? ": " : "", kind,
	        text);
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

void message_warning(const char *file, const char *format, ...)
{
	char text[MAX_MESSAGE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	print_line(file, "warning: ", text);
}
