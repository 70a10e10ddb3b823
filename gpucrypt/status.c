#include "gpucrypt/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF_BYTES 4094 /* a path and some words */

static _Thread_local char text[2 * HALF_BYTES + 4];

/* Cut a long message in the middle: its end holds the cause. */
static void keep(const char *format, va_list arguments)
{
	char *whole = NULL;
	int length = vasprintf(&whole, format, arguments);

	if (length < 0)
		snprintf(text, sizeof text, "out of memory");
	else if ((size_t)length < sizeof text)
		snprintf(text, sizeof text, "%s", whole);
	else
		snprintf(text, sizeof text, "%.*s...%s", HALF_BYTES, whole, whole + length - HALF_BYTES);
	if (length >= 0)
		free(whole);
}

#undef fail /* see status.h */
int fail(enum gpucrypt_status status, const char *format, ...)
{
	va_list arguments;

	if (text[0] == '\0') {
		va_start(arguments, format);
		keep(format, arguments);
		va_end(arguments);
	}
	return (int)status;
}

#undef fail_errno
int fail_errno(const char *name, const char *what)
{
	return fail(GPUCRYPT_IO, "%s: %s: %s", name, what, strerror(errno));
}

void fail_clear(void)
{
	text[0] = '\0';
}

const char *gpucrypt_error(void)
{
	return text;
}

int fail_named(const char *name, int status)
{
	char why[1024];

	snprintf(why, sizeof why, "%s", gpucrypt_error());
	fail_clear();
	return fail((enum gpucrypt_status)status, "%s: %s", name, why);
}
