/* Pictures by gnuplot; its script comes from a file in memory, and no shell is involved. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include <stdio.h>

#include "output.h"

/* Where --plot writes, opened before anything is measured; name NULL: nowhere, and *output stays as
 * it is.  GPUCRYPT_IO if it cannot be written, GPUCRYPT_OTHER if gnuplot cannot be run. */
int gnuplot_open(struct output *output, const char *name, bool force);

/* Run what script() writes; the output, which is open, gets the whole picture and is committed. */
int gnuplot_draw(
        struct output *output, void (*script)(FILE *stream, const void *self), const void *self);

/* A name inside a string of gnuplot's, '…', in which nothing has a meaning. */
void gnuplot_text(FILE *stream, const char *text);

/* What is not known is 0 and becomes NaN, which gnuplot leaves out. */
void gnuplot_figure(FILE *stream, double value);

#endif
