/* The options of a subcommand of ppf, by getopt_long. */
#ifndef PPF_OPTIONS_H
#define PPF_OPTIONS_H

#include <getopt.h>

/*
 * Call store(self, option) for each option (its value is in optarg) until one fails; flags with an
 * address in their row are set by getopt itself.  letters begins with "+:".  optind is left at the
 * first operand.  GPUCRYPT_USAGE for what is unknown or lacks its value; argv[0] is the subcommand.
 */
int options_read(int argc, char **argv, const char *letters, const struct option *options,
        int (*store)(void *self, int option), void *self);

/* --device N, as in a plan: 1 + N. */
int options_device(const char *text, unsigned *device);

#endif
