/* What bounds an instruction form on one core of this machine: its instructions alone. */
#ifndef BENCH_CORE_H
#define BENCH_CORE_H

#include "gpucrypt/engine/engine.h"

/* The core's clock in Hz, by a chain of instructions that each take one cycle; 0: not known on this processor. */
double core_clock_hz(void);

/* Bytes per second if the core did nothing but issue the instructions that compute the cipher, at the rate at which it
 * issues independent ones of this width.  The processor has the form. */
double form_bound_bytes_per_s(const struct suite *suite, const struct instruction_form *form);

#endif
