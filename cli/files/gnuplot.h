/* Pictures of ppf/gnuplot.h as files that a user names. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include "cli/files/output.h"
#include "ppf/gnuplot.h"

/* Where --plot writes, opened before anything is measured; name NULL: nowhere, and *output stays as
 * it is.  GPUCRYPT_IO if it cannot be written, GPUCRYPT_OTHER if gnuplot cannot be run. */
int gnuplot_open(struct output *output, const char *name, bool force);

/* Run what script() writes; the output, which is open, gets the whole picture and is committed. */
int gnuplot_draw(struct output *output, void (*script)(FILE *stream, const void *self), const void *self);

#endif
