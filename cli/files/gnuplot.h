/* Pictures of ppf/gnuplot.h as files that a user names. */
#ifndef CLI_FILES_GNUPLOT_H
#define CLI_FILES_GNUPLOT_H

#include <jansson.h>

#include "cli/files/output.h"
#include "ppf/gnuplot.h"

/* Open the output of --plot before anything is measured. With name NULL, *output is left unchanged. Errors: GPUCRYPT_IO
 * if the file cannot be written, GPUCRYPT_OTHER if gnuplot cannot be run. */
int gnuplot_open(struct output *output, const char *name, bool force);

/* Write the datablock NAME of a gnuplot script, with a line for each object in the array.  In a line each pattern
 * (cli/terminal/pattern.h) gives a number, a quoted text, or NaN, which gnuplot does not draw. */
void gnuplot_data(FILE *stream, const char *name, const json_t *rows, const char *const *patterns, unsigned n);

/* Does the pattern have a value for any object in the array?  gnuplot fails if all values of a plot are NaN. */
bool gnuplot_has(const json_t *rows, const char *pattern);

/* Run what script() writes; the output, which is open, gets the whole picture and is committed. */
int gnuplot_draw(struct output *output, void (*script)(FILE *stream, const void *self), const void *self);

#endif
