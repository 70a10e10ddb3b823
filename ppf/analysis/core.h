/* The built-in ciphers as objects of the code analysis. */
#ifndef PPF_ANALYSIS_CORE_H
#define PPF_ANALYSIS_CORE_H

#include "gpucrypt/crypto/cipher.h"
#include "ppf/analysis/profile.h"

/* What is analysed: the encryption of a block; of CTR, whose work-items have several of 256 neighbouring counters, what
 * each of them computes, and what they share (profile_counter, profile_shared). */
enum core_part { CORE_BLOCK, CORE_COUNTER, CORE_SHARED, N_CORE_PARTS };

/* With the macros of a device program (gpucrypt/engine/opencl/program.c); size: of the key, 0 to 2; kernels: the folder
 * of the sources.  Statuses as analyze(). */
int core_analyze(struct profile *profile, enum core_part part, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const char *kernels);

/* The same for what a mode adds (profile_mode). */
int core_analyze_mode(
        struct profile *profile, const struct cipher *cipher, const struct mode *mode, const char *kernels);

/* A profile as a row of profiles.inc, without a line feed. */
void profile_line(char *text, size_t n_bytes, const struct profile *profile);

#endif
