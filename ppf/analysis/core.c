#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ppf/analysis/analyze.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"

#define MAX_PATH 4096

/* Blocks per pass of a bitsliced core over 32-bit words. */
#define SLICE_BLOCKS 32

#define MAX_SOURCES 8

/* The files of one program, the last of which is analysed. */
struct paths {
	char path[MAX_SOURCES][MAX_PATH];
	unsigned n;
};

/* The path of a file in the folders of the kernels: a cipher's files begin with the cipher's name. */
static void find_kernel(char path[MAX_PATH], const char *kernels, const char *name, int length)
{
	static const char *const folders[] = { "common", "modes" };

	snprintf(path, MAX_PATH, "%s/ciphers/%.*s/%.*s", kernels, (int)strcspn(name, "_."), name, length, name);
	for (size_t i = 0; i < sizeof folders / sizeof folders[0] && access(path, R_OK) != 0; i++)
		snprintf(path, MAX_PATH, "%s/%s/%.*s", kernels, folders[i], length, name);
}

/* Names separated by spaces. */
static void add_paths(struct paths *paths, const char *kernels, const char *names)
{
	while (*names != '\0' && paths->n < MAX_SOURCES) {
		int length = (int)strcspn(names, " ");
		find_kernel(paths->path[paths->n++], kernels, names, length);
		names += length + (int)strspn(names + length, " ");
	}
}

/* A function of the core's sources alone, or of what a mode's sources, if there are some, put around it. */
static int analyze_function(struct profile *profile, const char *function, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const char *core, const char *mode_sources, const char *kernels)
{
	/* Other inputs of a mode: parameters of the launch, and tweaks. */
	static const char *const no_names[] = { "", NULL }, *const plains[] = { "in", "span", "tweaks", NULL };
	char rounds[32], table_form[32];
	struct paths paths = { .n = 0 };
	const char *options[5 + 2 * MAX_SOURCES + 1] = { rounds, table_form, "-DCOPIES=1", "-DDECRYPT=0",
		"-DCOUNTERS=8" };
	struct analysis analysis = { .function = function, .options = options };

	add_paths(&paths, kernels, "word.cl table.cl");
	add_paths(&paths, kernels, core);
	if (mode_sources) {
		add_paths(&paths, kernels, mode_sources);
		analysis.patterns.table = no_names;
		analysis.patterns.plain = plains;
	}
	for (unsigned i = 0; i + 1 < paths.n; i++)
		options[5 + 2 * i] = "-include", options[6 + 2 * i] = paths.path[i];
	analysis.file = paths.path[paths.n - 1];
	snprintf(rounds, sizeof rounds, "-DROUNDS=%u", cipher->rounds[size]);
	snprintf(table_form, sizeof table_form, "-DTABLE_FORM=%d", form->number);
	return analyze(profile, &analysis);
}

static unsigned share(unsigned n)
{
	return (n + SLICE_BLOCKS / 2) / SLICE_BLOCKS;
}

/* A core that processes SLICE_BLOCKS blocks at once: one block's share, rounded, of the core and both transpositions,
 * which are not in the core (CTR has one transposition, and counters to add). */
static int add_slices(struct profile *p, const struct cipher *cipher, unsigned size, const struct table_form *form,
        const char *kernels)
{
	struct profile transposition;
	int status = analyze_function(&transposition, "transpose", cipher, size, form, "slice.cl", NULL, kernels);

	if (status != GPUCRYPT_OK)
		return status;
	p->n_key = share(p->n_key);
	p->n_pt = share(p->n_pt);
	p->n_ct = share(p->n_ct);
	p->operators_deep = share(p->operators_deep + 2 * transposition.operators_deep);
	p->logic_functions = share(p->logic_functions + 2 * transposition.logic_functions);
	for (int i = 0; i < N_REGISTER_FILES; i++)
		p->moves[i] = share(p->moves[i] + 2 * transposition.moves[i]);
	for (int i = 0; i < N_OPERATORS; i++)
		p->operators[i] = share(p->operators[i] + 2 * transposition.operators[i]);
	return GPUCRYPT_OK;
}

int core_analyze(struct profile *profile, enum core_part part, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const char *kernels)
{
	static const char *const functions[] = { "encrypt_block", "counter_block", "cache_group" };
	bool sliced = form_is_sliced(form);
	char sources[64];
	int status;

	snprintf(sources, sizeof sources, "%s_cached.cl %s", cipher->name, modes[MODE_CTR].cached_sources);
	status = analyze_function(profile, sliced ? "encrypt_slices" : functions[part], cipher, size, form,
	        form->sources, part == CORE_BLOCK ? NULL : sources, kernels);
	if (status == GPUCRYPT_OK && sliced)
		status = add_slices(profile, cipher, size, form, kernels);
	if (!sliced) /* the states of the others fit registers */
		memset(profile->moves, 0, sizeof profile->moves);
	snprintf(profile->name, sizeof profile->name, "%s-%u table %s%s", cipher->name,
	        part == CORE_SHARED ? 128 : 128 + 64 * size, form->name, core_part_names[part]);
	return status;
}

static unsigned difference(unsigned whole, unsigned part)
{
	return whole > part ? whole - part : 0;
}

int core_analyze_mode(
        struct profile *profile, const struct cipher *cipher, const struct mode *mode, const char *kernels)
{
	const struct table_form *form = &cipher->forms[0];
	struct profile core, both;
	int status = core_analyze(&core, CORE_BLOCK, cipher, 0, form, kernels);

	if (status == GPUCRYPT_OK)
		status = analyze_function(&both, "crypt_block", cipher, 0, form, form->sources, mode->sources, kernels);
	if (status != GPUCRYPT_OK)
		return status;
	*profile = (struct profile){ .logic_functions = difference(both.logic_functions, core.logic_functions) };
	snprintf(profile->name, sizeof profile->name, "%s %s", cipher->name, mode->name);
	for (int i = 0; i < N_OPERATORS; i++)
		profile->operators[i] = difference(both.operators[i], core.operators[i]);
	return GPUCRYPT_OK;
}

void profile_line(char *text, size_t n_bytes, const struct profile *p)
{
	const unsigned *n = p->operators;

	snprintf(text, n_bytes,
	        "PROFILE(\"%s\", %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u),",
	        p->name, p->n_tbl, p->n_key, n[OPERATOR_ADD], n[OPERATOR_LOGIC], n[OPERATOR_SHIFT], n[OPERATOR_ROTATE],
	        n[OPERATOR_MUL], n[OPERATOR_COMPARE], n[OPERATOR_PERMUTE], n[OPERATOR_WIDE], p->n_pt, p->n_ct,
	        p->fields[FIELD_BYTE], p->fields[FIELD_PART], p->fields[FIELD_ACROSS], p->high_fields,
	        p->field_operators[OPERATOR_LOGIC], p->field_operators[OPERATOR_SHIFT], p->logic_functions,
	        p->moves[REGISTERS_16], p->moves[REGISTERS_32], p->lookups_deep, p->operators_deep);
}
