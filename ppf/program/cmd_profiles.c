/* ppf profiles: what ppf/analysis/profiles.inc has to be. */
#include <stdio.h>
#include <string.h>

#include "ppf/analysis/core.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"

static void print_core(const char *part, const struct profile *profile, const struct cipher *cipher, unsigned size,
        const struct table_form *form)
{
	char line[256];

	core_line(line, sizeof line, part, profile, cipher, size, form);
	puts(line);
}

static int print_profile(const struct cipher *cipher, unsigned size, const struct table_form *form, const char *kernels)
{
	struct profile profile;
	int status = core_analyze(&profile, cipher, size, form, kernels);

	if (status == GPUCRYPT_OK)
		print_core("PROFILE", &profile, cipher, size, form);
	return status;
}

static int print_counters(
        const struct cipher *cipher, unsigned size, const struct table_form *form, const char *kernels)
{
	struct profile counter, shared;
	int status = form_is_sliced(form) ? GPUCRYPT_OK
	                                  : core_analyze_counters(&counter, &shared, cipher, size, form, kernels);

	if (status != GPUCRYPT_OK || form_is_sliced(form))
		return status;
	print_core("COUNTER", &counter, cipher, size, form);
	print_core("SHARED", &shared, cipher, size, form);
	return GPUCRYPT_OK;
}

static int print_stage(const struct cipher *stage, const char *kernels)
{
	struct profile profile;
	int status = core_analyze_stage(&profile, stage, kernels);

	if (status == GPUCRYPT_OK)
		print_core("PROFILE", &profile, stage, 0, &cipher_camellia.forms[0]);
	return status;
}

static int print_mode(const struct cipher *cipher, const struct mode *mode, const char *kernels)
{
	struct profile profile;
	char line[256];
	int status = core_analyze_mode(&profile, cipher, mode, kernels);

	if (status != GPUCRYPT_OK)
		return status;
	core_mode_line(line, sizeof line, &profile, cipher, mode);
	puts(line);
	return GPUCRYPT_OK;
}

static int print_product(unsigned bits, const char *kernels)
{
	struct profile profile;
	char line[256];
	int status = core_analyze_product(&profile, bits, kernels);

	if (status != GPUCRYPT_OK)
		return status;
	core_product_line(line, sizeof line, &profile, bits);
	puts(line);
	return GPUCRYPT_OK;
}

/* For each cipher, key size and table form. */
static int print_forms(int (*print)(const struct cipher *, unsigned size, const struct table_form *, const char *),
        const char *kernels)
{
	int status = GPUCRYPT_OK;

	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned size = 0; size < 3; size++)
			for (unsigned i = 0; i < (*c)->n_forms && status == GPUCRYPT_OK; i++)
				status = print(*c, size, &(*c)->forms[i], kernels);
	return status;
}

int cmd_profiles(const struct options *options)
{
	const char *kernels = options->parsed.n_operands > 0 ? options->parsed.operands[0] : "kernels";
	int status;

	puts("/* Written by `make profiles`: what encrypting one block costs, by ppf analyze.\n"
	     " * cipher, bits, table form, N_tbl, N_key, add, logic, shift, rotate, mul, compare, "
	     "permute,\n"
	     " * N_pt, N_ct, look-ups by byte, part, across, high fields, logic and shifts that pick fields, "
	     "functions,\n"
	     " * look-ups and operators one after the other */");
	status = print_forms(print_profile, kernels);
	puts("/* CTR with its mode: one block, and what neighbouring counters share */");
	status = status ?: print_forms(print_counters, kernels);
	puts("/* and what the modes add: cipher, mode, operators as above, functions */");
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned i = 0; i < N_MODES && status == GPUCRYPT_OK; i++)
			status = print_mode(*c, &modes[i], kernels);
	puts("/* A product of RSA: bits, add, logic, shift, mul, compare, wide, words of the modulus, of the\n"
	     " * factors and of the result */");
	for (unsigned bits = 1024; bits <= 4096 && status == GPUCRYPT_OK; bits += 1024)
		status = print_product(bits, kernels);
	puts("/* Camellia's design stages, examples/ciphers/ */");
	for (const struct cipher *stage = core_stages; stage->name && status == GPUCRYPT_OK; stage++)
		status = print_stage(stage, kernels);
	return status;
}
