#include "status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char text[1024];

int fail(enum gpucrypt_status status, const char *format, ...)
{
	va_list arguments;

	if (text[0] == '\0') {
		va_start(arguments, format);
		vsnprintf(text, sizeof text, format, arguments);
		va_end(arguments);
	}
	return (int)status;
}

void fail_clear(void)
{
	text[0] = '\0';
}

const char *gpucrypt_error(void)
{
	return text;
}
