#include "core.h"

#include <stdio.h>

#include "analyze.h"
#include "gpucrypt/status.h"

#define MAX_PATH 4096

struct paths {
	char word[MAX_PATH], table[MAX_PATH], core[MAX_PATH], mode[MAX_PATH], tweak[MAX_PATH];
};

static void find_paths(struct paths *paths, const char *kernels, const struct cipher *cipher,
        const struct mode *mode)
{
	snprintf(paths->word, MAX_PATH, "%s/word.cl", kernels);
	snprintf(paths->table, MAX_PATH, "%s/table.cl", kernels);
	snprintf(paths->tweak, MAX_PATH, "%s/tweak.cl", kernels);
	snprintf(paths->core, MAX_PATH, "%s/%s", kernels, cipher->source);
	snprintf(paths->mode, MAX_PATH, "%s/%s.cl", kernels, mode ? mode->name : "");
}

/* One block by the core alone, or by a mode around it. */
static int analyze_block(struct profile *profile, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const struct mode *mode, const char *kernels)
{
	/* What a mode reads besides: parameters of the launch, and tweaks. */
	static const char *const no_names[] = { "", NULL },
	                         *const plains[] = { "in", "span", "tweaks", NULL };
	char rounds[32], table_form[32];
	struct paths paths;
	const char *const options[] = { rounds, table_form, "-DCOPIES=1", "-DDECRYPT=0", "-include",
		paths.word, "-include", paths.table, mode ? "-include" : NULL, paths.core,
		"-include", paths.tweak, NULL };
	struct analysis analysis = {
		.file = paths.core, .function = "encrypt_block", .options = options
	};

	find_paths(&paths, kernels, cipher, mode);
	snprintf(rounds, sizeof rounds, "-DROUNDS=%u", cipher->rounds[size]);
	snprintf(table_form, sizeof table_form, "-DTABLE_FORM=%d", form->number);
	if (mode) {
		analysis.file = paths.mode;
		analysis.function = mode->has_tweaks ? "whole_block" : "crypt_block";
		analysis.patterns.table = no_names;
		analysis.patterns.plain = plains;
	}
	return analyze(profile, &analysis);
}

int core_analyze(struct profile *profile, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const char *kernels)
{
	int status = analyze_block(profile, cipher, size, form, NULL, kernels);

	snprintf(profile->name, sizeof profile->name, "%s-%u table %s", cipher->name,
	        128 + 64 * size, form->name);
	return status;
}

static unsigned difference(unsigned whole, unsigned part)
{
	return whole > part ? whole - part : 0;
}

int core_analyze_mode(struct profile *profile, const struct cipher *cipher,
        const struct mode *mode, const char *kernels)
{
	struct profile core;
	int status = core_analyze(&core, cipher, 0, &cipher->forms[0], kernels);

	if (status == GPUCRYPT_OK)
		status = analyze_block(profile, cipher, 0, &cipher->forms[0], mode, kernels);
	if (status != GPUCRYPT_OK)
		return status;
	for (int i = 0; i < N_OPERATORS; i++)
		profile->operators[i] = difference(profile->operators[i], core.operators[i]);
	profile->logic_functions = difference(profile->logic_functions, core.logic_functions);
	return GPUCRYPT_OK;
}

void core_mode_line(char *text, size_t n_bytes, const struct profile *p,
        const struct cipher *cipher, const struct mode *mode)
{
	const unsigned *n = p->operators;

	snprintf(text, n_bytes, "MODE(\"%s\", \"%s\", %u, %u, %u, %u, %u, %u, %u, %u)", cipher->name,
	        mode->name, n[OPERATOR_ADD], n[OPERATOR_LOGIC], n[OPERATOR_SHIFT],
	        n[OPERATOR_ROTATE], n[OPERATOR_MUL], n[OPERATOR_COMPARE], n[OPERATOR_PERMUTE],
	        p->logic_functions);
}

void core_line(char *text, size_t n_bytes, const struct profile *p, const struct cipher *cipher,
        unsigned size, const struct table_form *form)
{
	const unsigned *n = p->operators;

	snprintf(text, n_bytes,
	        "PROFILE(\"%s\", %u, \"%s\", %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, "
	        "%u, %u, %u, %u, %u, %u)",
	        cipher->name, 128 + 64 * size, form->name, p->n_tbl, p->n_key, n[OPERATOR_ADD],
	        n[OPERATOR_LOGIC], n[OPERATOR_SHIFT], n[OPERATOR_ROTATE], n[OPERATOR_MUL],
	        n[OPERATOR_COMPARE], n[OPERATOR_PERMUTE], p->n_pt, p->n_ct, p->fields[FIELD_BYTE],
	        p->fields[FIELD_PART], p->fields[FIELD_ACROSS], p->high_fields, p->field_operators[OPERATOR_LOGIC],
	        p->field_operators[OPERATOR_SHIFT], p->logic_functions, p->lookups_deep,
	        p->operators_deep);
}
