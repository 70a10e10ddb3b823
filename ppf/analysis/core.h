/* The built-in ciphers as objects of the code analysis. */
#ifndef PPF_ANALYSIS_CORE_H
#define PPF_ANALYSIS_CORE_H

#include "gpucrypt/crypto/cipher.h"
#include "ppf/analysis/profile.h"

/* The analysed part of a cipher: the encryption of a block; or in CTR, where the counters of 256 neighbouring blocks
 * share rounds, the work for each counter (profile_counter) or the shared work (profile_shared). */
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
