#include "options.h"

#include "gpucrypt/status.h"

int options_read(int argc, char **argv, const char *letters, const struct option *options,
        int (*store)(void *self, int option), void *self)
{
	int option, status = GPUCRYPT_OK;

	opterr = 0;
	optind = 1;
	while (status == GPUCRYPT_OK &&
	        (option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return fail(GPUCRYPT_USAGE, "%s: %s: %s (see ppf %s --help)", argv[0],
			        argv[optind - 1],
			        option == '?' ? "unknown option" : "needs a value", argv[0]);
		if (option != 0)
			status = store(self, option);
	}
	return status;
}
