/* usage: completion bash|zsh|fish   the completion of the program's command line, from its tables */
#include "command/gen/completion.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	void (*write)(FILE *stream);
} shells[] = { { "bash", completion_bash }, { "zsh", completion_zsh }, { "fish", completion_fish } };

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (argc == 2 && !strcmp(argv[1], shells[i].name)) {
			shells[i].write(stdout);
			return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
		}
	fputs("usage: completion bash|zsh|fish\n", stderr);
	return EXIT_FAILURE;
}
