/* ppf profiles: what ppf/analysis/profiles.inc has to be. */
#include <stdio.h>

#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"

static int print_profile(const struct profile *profile, int status)
{
	char line[256];

	profile_line(line, sizeof line, profile);
	if (status == GPUCRYPT_OK)
		puts(line);
	return status;
}

static int print_part(enum core_part part, const struct cipher *cipher, const char *kernels)
{
	struct profile profile = { 0 };
	int status = GPUCRYPT_OK;

	for (unsigned size = 0; size < (part == CORE_SHARED ? 1 : 3); size++)
		for (unsigned i = 0; i < cipher->n_forms && status == GPUCRYPT_OK; i++)
			if (part == CORE_BLOCK || !form_is_sliced(&cipher->forms[i]))
				status = print_profile(&profile,
				        core_analyze(&profile, part, cipher, size, &cipher->forms[i], kernels));
	return status;
}

int cmd_profiles(const struct options *options)
{
	const char *kernels = options->parsed.n_operands > 0 ? options->parsed.operands[0] : "kernels";
	struct profile profile = { 0 };
	int status = GPUCRYPT_OK;

	puts("/* Written by `make profiles`: what encrypting one block costs, by ppf analyze; what a counter of CTR costs\n"
	     " * with its mode, and what neighbouring counters share; and the operators and functions that a mode adds.\n"
	     " * Name, N_tbl, N_key, add, logic, shift, rotate, mul, compare, permute, wide, N_pt, N_ct, look-ups by byte,\n"
	     " * part, across, high fields, logic and shifts that pick fields, functions, moves with 16 and 32 registers,\n"
	     " * look-ups and operators one after the other */");
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (enum core_part part = CORE_BLOCK; part < N_CORE_PARTS && status == GPUCRYPT_OK; part++)
			status = print_part(part, *c, kernels);
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned i = 0; i < N_MODES && status == GPUCRYPT_OK; i++)
			status = print_profile(&profile, core_analyze_mode(&profile, *c, &modes[i], kernels));
	return status;
}
