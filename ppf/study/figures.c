/* The figures, in the order in which they are run and shown. */
#include "figures.h"

const struct study_figure study_figures[] = {
	{ "4.8", "AES-128-ECB by granularity and placement (tables 4.6, 4.7, figure 4.8)", 60,
	        figure_granularity },
	{ 0 },
};
