/* The runs of figures.c's table; each fills its figure (study.h). */
#ifndef FIGURES_H
#define FIGURES_H

#include "ppf/study/study.h"

int figure_granularity(struct study *study, struct figure *figure); /* chapter 4 */

int figure_throughput(struct study *study, struct figure *figure); /* chapter 5 */
int figure_maxima(struct study *study, struct figure *figure);
int figure_threads(struct study *study, struct figure *figure);
int figure_instructions(struct study *study, struct figure *figure);

int figure_latency_arithmetic(struct study *study, struct figure *figure); /* chapter 6 */
int figure_latency_random(struct study *study, struct figure *figure);
int figure_latency_regular(struct study *study, struct figure *figure);
int figure_latency_global(struct study *study, struct figure *figure);
int figure_bounds_aes(struct study *study, struct figure *figure);
int figure_bounds_camellia(struct study *study, struct figure *figure);
int figure_bounds_sc2000(struct study *study, struct figure *figure);
int figure_chosen_aes(struct study *study, struct figure *figure);
int figure_chosen_camellia(struct study *study, struct figure *figure);
int figure_chosen_sc2000(struct study *study, struct figure *figure);
int figure_errors(struct study *study, struct figure *figure);
int figure_stages(struct study *study, struct figure *figure);

int figure_gkrypt_encryption(struct study *study, struct figure *figure);
int figure_gkrypt_decryption(struct study *study, struct figure *figure);

int figure_rsa(struct study *study, struct figure *figure); /* the RSA paper */

#endif
