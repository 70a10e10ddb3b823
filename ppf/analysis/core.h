/* The built-in ciphers as objects of the code analysis. */
#ifndef CORE_H
#define CORE_H

#include "gpucrypt/crypto/cipher.h"
#include "ppf/analysis/profile.h"

/* Analyse the encryption of one block, with the macros of a device program (gpucrypt/engine/opencl/program.c);
 * size: of the key, 0 to 2; kernels: the folder of the sources.  Statuses as analyze(). */
int core_analyze(struct profile *profile, const struct cipher *cipher, unsigned size, const struct table_form *form,
        const char *kernels);

/* The same for CTR with what neighbouring counters share computed once (profile_counter,
 * profile_shared). */
int core_analyze_counters(struct profile *counter, struct profile *shared, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const char *kernels);

/* The same for what a mode adds (profile_mode). */
int core_analyze_mode(
        struct profile *profile, const struct cipher *cipher, const struct mode *mode, const char *kernels);

/* Camellia's design stages in examples/ciphers/, beside the folder of the sources, as ciphers of which there
 * is nothing but the name; ends without one.  Their profiles are those of 128 bits and table form 4. */
extern const struct cipher core_stages[];
int core_analyze_stage(struct profile *profile, const struct cipher *stage, const char *kernels);

/* Their lines in profiles.inc, without a line feed; part: "PROFILE", "COUNTER", "SHARED"; bitsliced
 * ones are "SLICED", and have more. */
void core_mode_line(char *text, size_t n_bytes, const struct profile *profile, const struct cipher *cipher,
        const struct mode *mode);
void core_line(char *text, size_t n_bytes, const char *part, const struct profile *profile, const struct cipher *cipher,
        unsigned size, const struct table_form *form);

/* One product of research/kernels/rsa.cl for a modulus of so many bits, and its line. */
int core_analyze_product(struct profile *profile, unsigned bits, const char *kernels);
void core_product_line(char *text, size_t n_bytes, const struct profile *profile, unsigned bits);

#endif
