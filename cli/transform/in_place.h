/* enc --in-place: an image is encrypted where it is; its side file, and while it lasts a journal,
 * lie beside it. */
#ifndef CLI_IN_PLACE_H
#define CLI_IN_PLACE_H

#include "cli/args/options.h"

/* One image after the other. */
int in_place_encrypt(const struct options *options);

#endif
