/* The RSA paper's tables: what its figure's run and its conclusions have in common. */
#ifndef STUDY_RSA_H
#define STUDY_RSA_H

#include "ppf/study/figure/figure.h"

#define RSA_MESSAGES (1u << 20) /* that the paper's times are of */
#define RSA_GPU      "GTX TITAN (paper): "
#define RSA_CPU_ROW  "CPU"

enum rsa_form { RSA_STRIDED, RSA_COALESCED, RSA_CARRIES, N_RSA_FORMS };
extern const char *const rsa_forms[N_RSA_FORMS];

#define RSA_ONE_THREAD  "libcrypto, one thread"
#define RSA_ALL_THREADS "libcrypto, all threads"
#define RSA_PREDICTED   "predicted: "

/* Work-items of a work-group in the paper. */
#define N_RSA_ITEMS 4
extern const unsigned rsa_items[N_RSA_ITEMS];

/* "1024, t=32"; items 0: that of the CPU. */
const char *rsa_row(char text[48], unsigned bits, unsigned items);

/* Seconds in the paper's tables I to IV; 0: none. */
double rsa_printed(unsigned bits, unsigned item, enum rsa_form form);

/* of the record's device; instructions: that carries were NVIDIA's own */
void rsa_conclude(struct figure *figure, bool instructions);

#endif
