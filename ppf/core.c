#include "core.h"

#include <stdio.h>

#include "analyze.h"

#define MAX_PATH 4096

int core_analyze(struct profile *profile, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const char *kernels)
{
	char rounds[32], table_form[32], word[MAX_PATH], table[MAX_PATH], source[MAX_PATH];
	const char *const options[] = { rounds, table_form, "-DCOPIES=1", "-include", word,
		"-include", table, NULL };
	const struct analysis analysis = {
		.file = source, .function = "encrypt_block", .options = options
	};
	int status;

	snprintf(rounds, sizeof rounds, "-DROUNDS=%u", cipher->rounds[size]);
	snprintf(table_form, sizeof table_form, "-DTABLE_FORM=%d", form->number);
	snprintf(word, sizeof word, "%s/word.cl", kernels);
	snprintf(table, sizeof table, "%s/table.cl", kernels);
	snprintf(source, sizeof source, "%s/%s", kernels, cipher->source);
	status = analyze(profile, &analysis);
	snprintf(profile->name, sizeof profile->name, "%s-%u table %s", cipher->name,
	        128 + 64 * size, form->name);
	return status;
}

void core_line(char *text, size_t n_bytes, const struct profile *p, const struct cipher *cipher,
        unsigned size, const struct table_form *form)
{
	snprintf(text, n_bytes,
	        "PROFILE(\"%s\", %u, \"%s\", %u, %u, %u, %u, %u, %u, %u, %u, %u, %u)", cipher->name,
	        128 + 64 * size, form->name, p->n_tbl, p->n_key, p->operators[OPERATOR_ADD],
	        p->operators[OPERATOR_LOGIC], p->operators[OPERATOR_SHIFT],
	        p->operators[OPERATOR_ROTATE], p->operators[OPERATOR_MUL],
	        p->operators[OPERATOR_COMPARE], p->n_pt, p->n_ct);
}
