/* The runs of figures.c's table; each fills its figure (study.h). */
#ifndef FIGURES_H
#define FIGURES_H

#include "study.h"

int figure_granularity(struct study *study, struct figure *figure); /* chapter 4 */

#endif
