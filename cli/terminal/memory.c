#include "cli/terminal/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#include "cli/terminal/signals.h"

void *memory_or_exit(void *memory)
{
	if (!memory)
		signals_exit("gcrypt: out of memory: temporary files are removed\n");
	return memory;
}

void *memory_shared(size_t n_bytes)
{
	void *memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory_or_exit(memory == MAP_FAILED ? NULL : memory);
}

char *format_or_exit(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return memory_or_exit(length < 0 ? NULL : text);
}
