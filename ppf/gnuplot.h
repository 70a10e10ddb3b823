/* Pictures by gnuplot; its script comes from a file in memory, and no shell is involved. */
#ifndef PPF_GNUPLOT_H
#define PPF_GNUPLOT_H

#include <stdio.h>

/* GPUCRYPT_OTHER if gnuplot cannot be run. */
int gnuplot_present(void);

/* The whole picture (SVG) that gnuplot makes of what script() writes, as text to be freed. */
int gnuplot_picture(char **svg, void (*script)(FILE *stream, const void *self), const void *self);

/* The built-in scripts *.gp of all folders, which draw data that is written before them; a NULL name ends the table. */
struct gnuplot_script {
	const char *name, *text;
};

extern const struct gnuplot_script gnuplot_scripts[];

const char *gnuplot_script(const char *name); /* the text of "bench.gp" */

/* A name inside a string of gnuplot's, '…', in which nothing has a meaning. */
void gnuplot_text(FILE *stream, const char *text);

#endif
