/* Pictures of ppf/gnuplot.h as files that a user names. */
#ifndef CLI_FILES_GNUPLOT_H
#define CLI_FILES_GNUPLOT_H

#include "cli/files/output.h"
#include "ppf/gnuplot.h"

/* Open the output of --plot before anything is measured. With name NULL, *output is left unchanged. Errors: GPUCRYPT_IO
 * if the file cannot be written, GPUCRYPT_OTHER if gnuplot cannot be run. */
int gnuplot_open(struct output *output, const char *name, bool force);

/* Run what script() writes; the output, which is open, gets the whole picture and is committed. */
int gnuplot_draw(struct output *output, void (*script)(FILE *stream, const void *self), const void *self);

#endif
