/* Pictures by gnuplot; its script comes from a file in memory, and no shell is involved. */
#ifndef PPF_GNUPLOT_H
#define PPF_GNUPLOT_H

#include <stdio.h>

/* GPUCRYPT_OTHER if gnuplot cannot be run. */
int gnuplot_present(void);

/* The whole picture (SVG) that gnuplot makes of what script() writes, as text to be freed. */
int gnuplot_picture(char **svg, void (*script)(FILE *stream, const void *self), const void *self);

/* A name inside a string of gnuplot's, '…', in which nothing has a meaning. */
void gnuplot_text(FILE *stream, const char *text);

#endif
