#include "ppf/program/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/option_word.h"

static int check_next(char **argv)
{
	return argv[optind] && option_word(argv[optind]) ? option_word_check(argv[optind], false) : GPUCRYPT_OK;
}

int options_read(int argc, char **argv, const char *letters, const struct option *options,
        int (*store)(void *self, int option), void *self)
{
	int option, status;

	opterr = 0;
	optind = 1;
	while ((status = check_next(argv)) == GPUCRYPT_OK &&
	        (option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return fail(GPUCRYPT_USAGE, "%s: %s: %s (see ppf %s --help)", argv[0], argv[optind - 1],
			        option == '?' ? "unknown option" : "needs a value", argv[0]);
		if (option != 0 && (status = store(self, option)) != GPUCRYPT_OK)
			return status;
	}
	for (int i = optind + 1; i < argc && status == GPUCRYPT_OK && strcmp(argv[optind - 1], "--"); i++)
		if (option_word(argv[i]))
			status = option_word_check(argv[i], true);
	return status;
}

int options_device(const char *text, unsigned *device)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || n >= 1000)
		return fail(GPUCRYPT_USAGE, "--device %s: not the number of a device", text);
	*device = (unsigned)n + 1;
	return GPUCRYPT_OK;
}
