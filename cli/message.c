#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"

#define MAX_MESSAGE 8192

void message_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

/* What standard output has to say comes before. */
static void print_line(const char *file, const char *kind, const char *text)
{
	char line[MAX_MESSAGE];

	snprintf(line, sizeof line, "gcrypt: %s%s%s%s", file ? file : "", file ? ": " : "", kind,
	        text);
	message_clean(line);
	fflush(stdout);
	fprintf(stderr, "%s\n", line);
}

bool message_names(const char *file)
{
	const char *text = gpucrypt_error();
	size_t length = file ? strlen(file) : 0;

	return file && !strncmp(text, file, length) && text[length] == ':';
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
