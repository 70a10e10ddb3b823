#include "command/secret_source.h"

#include <stddef.h>
#include <string.h>

#include "command/number.h"

#define MAX_DESCRIPTOR (1 << 20)

enum secret_source secret_source_parse(const char *text, const char **rest)
{
	static const char *const prefixes[] = { [SECRET_FROM_ENV] = "env:",
		[SECRET_FROM_FILE] = "file:",
		[SECRET_FROM_FD] = "fd:",
		[SECRET_FROM_COMMAND] = "cmd:" };

	for (size_t i = SECRET_FROM_ENV; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t n = strlen(prefixes[i]);

		*rest = text + n;
		if (!strncmp(text, prefixes[i], n) && text[n])
			return (enum secret_source)i;
	}
	return SECRET_SOURCE_UNKNOWN;
}

int descriptor_parse(const char *text)
{
	uint64_t number;

	return number_parse(&number, text, false) || number > MAX_DESCRIPTOR ? -1 : (int)number;
}
