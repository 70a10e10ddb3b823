/* Print measured kernels as tables of at most 120 columns. */
#include <string.h>

#include "cli/bench/bench.h"
#include "gpucrypt/crypto/names.h"
#include "cli/terminal/figure.h"

/* Describe a row. */

bool bench_same_suite(const struct suite *a, const struct suite *b)
{
	return a->cipher == b->cipher && a->mode == b->mode && a->key_bytes == b->key_bytes &&
	       a->direction == b->direction;
}

const char *bench_suite(char text[32], const struct suite *suite)
{
	snprintf(text, 32, "%s-%u-%s%s", suite->cipher->name, 8 * suite->key_bytes, suite->mode->name,
	        suite->mode->encrypts_only    ? ""
	        : suite->direction == ENCRYPT ? " enc"
	                                      : " dec");
	return text;
}

double bench_speed(const struct bench_kernel *kernel)
{
	return gigabytes_per_s(kernel->n_bytes, kernel->seconds[0]);
}

const struct bench_kernel *bench_policy(const struct bench *bench, const struct bench_kernel *kernel)
{
	for (const struct bench_kernel *k = bench->kernels; k < bench->kernels + bench->n_kernels; k++)
		if (k->policy && k->plan.device == kernel->plan.device && k->seconds[0] > 0 &&
		        bench_same_suite(&k->suite, &kernel->suite))
			return k;
	return NULL;
}

const struct bench_cpu *bench_cpu_of(const struct bench *bench, const struct suite *suite)
{
	for (unsigned i = 0; i < bench->n_cpu; i++)
		if (bench_same_suite(&bench->cpu[i].suite, suite))
			return &bench->cpu[i];
	return NULL;
}

/* Kernels. */

/* Names that fit into a column. */
static const char *short_name(const char *name)
{
	static const char *const names[][2] = { { "local memory", "local" }, { "multiplication", "mul" },
		{ "instruction issue", "issue" }, { "device memory", "device" }, { "constant", "const" },
		{ "argument", "arg" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (name && !strcmp(names[i][0], name))
			return names[i][1];
	return name ? name : "-";
}

/* "4 x32", "4 in global" */
static void table_text(char text[32], const struct kernel_config *config)
{
	const char *table = value_name(&table_names, config->table);

	if (config->replicas > 1)
		snprintf(text, 32, "%s x%u", table, config->replicas);
	else if (config->table_space == MEMORY_LOCAL)
		snprintf(text, 32, "%s", table);
	else
		snprintf(text, 32, "%s %s", table, short_name(value_name(&table_space_names, config->table_space)));
}

#define KERNEL_FORMAT "%-21s%-16s %-6s%-10s%6s%6s %-8s%6s%6s"
#define CPU_FORMAT    "%6s%6s%6s%6s%9s"
#define CPU_HEADING   "%11s%11s%11s\n"

static void print_cpu_heading(FILE *stream, const char *first, const char *second)
{
	fprintf(stream, "%s" CPU_HEADING, first, "reference", "libcrypto", "libgcrypt");
	fprintf(stream, "%s" CPU_FORMAT "\n", second, "table", BITSLICED_NAME, "1", "all", "1");
}

static void print_cpu(FILE *stream, const struct bench_cpu *cpu)
{
	char text[N_CPU_WAYS][16];

	for (int way = 0; way < N_CPU_WAYS; way++)
		figure_text(text[way], 1e-9 * cpu->bytes_per_s[way]);
	fprintf(stream, CPU_FORMAT, text[CPU_HOST_CORE], text[CPU_BITSLICED], text[CPU_LIBCRYPTO],
	        text[CPU_LIBCRYPTO_ALL], text[CPU_LIBGCRYPT]);
}

/* "93 %": how much of the bound is reached. */
static const char *share_text(char text[16], const struct bench_kernel *kernel)
{
	if (kernel->bound_bytes_per_s > 0 && kernel->seconds[0] > 0)
		snprintf(text, 16, "%.0f %%", 100e9 * bench_speed(kernel) / kernel->bound_bytes_per_s);
	else
		snprintf(text, 16, "-");
	return text;
}

static void print_kernel(FILE *stream, const struct bench *bench, const struct bench_kernel *kernel)
{
	const struct bench_kernel *policy = bench_policy(bench, kernel);
	const struct bench_cpu *cpu = bench_cpu_of(bench, &kernel->suite);
	const struct kernel_config *config = &kernel->plan.kernel;
	double speed = bench_speed(kernel), policy_speed = policy ? bench_speed(policy) : 0;
	char name[32], table[32], grid[32], text[4][16];

	table_text(table, config);
	snprintf(grid, sizeof grid, config->blocks_per_item > 1 ? "%ux%ux%u" : "%ux%u", config->work_groups,
	        config->work_items, config->blocks_per_item);
	fprintf(stream, KERNEL_FORMAT, kernel->chosen ? bench_suite(name, &kernel->suite) : "", table,
	        short_name(value_name(&key_space_names, config->key_space)), grid,
	        kernel->failure[0] ? "failed" : figure_text(text[0], speed), share_text(text[1], kernel),
	        short_name(kernel->bound), figure_text(text[2], kernel->chosen ? policy_speed : 0),
	        figure_text(text[3], policy_speed > 0 ? speed / policy_speed : 0));
	if (kernel->chosen && cpu)
		print_cpu(stream, cpu);
	fputc('\n', stream);
}

/* A line for the chosen one of each suite, where also the policy's stands, and for each that is
 * neither. */
static void print_device(FILE *stream, const struct bench *bench, unsigned number)
{
	const struct bench_device *device = &bench->devices[number];
	const struct bench_kernel *first = NULL;
	char size[32], headings[2][128];

	for (unsigned i = 0; i < bench->n_kernels && !first; i++)
		if (bench->kernels[i].plan.device == number + 1)
			first = &bench->kernels[i];
	if (!first)
		return;
	size_text(size, first->n_bytes);
	fprintf(stream,
	        "\ndevice %u: %.60s, %u units, %.3f GHz, its record %s\n"
	        "%s that stay on the device, best of %d by its own clock, each run compared with "
	        "the reference implementation\n\n",
	        number, device->name, device->compute_units, 1e-9 * device->clock_hz,
	        device->measured ? "measured here" : "a default", size, BENCH_RUNS);
	snprintf(headings[0], sizeof headings[0], KERNEL_FORMAT, "", "", "", "groups", "", "of", "", "policy", "");
	snprintf(headings[1], sizeof headings[1], KERNEL_FORMAT, "", "tables", "keys", "x items", "GB/s", "bound", "by",
	        "GB/s", "times");
	print_cpu_heading(stream, headings[0], headings[1]);
	for (const struct bench_kernel *k = first; k < bench->kernels + bench->n_kernels; k++)
		if (k->plan.device == number + 1 && (k->chosen || !k->policy))
			print_kernel(stream, bench, k);
}

/* Without kernels beside them. */
static void print_cpus(FILE *stream, const struct bench *bench)
{
	char name[32], headings[2][32];

	snprintf(headings[0], sizeof headings[0], "\n%-21s", "GB/s");
	snprintf(headings[1], sizeof headings[1], "%-21s", "");
	print_cpu_heading(stream, headings[0], headings[1]);
	for (unsigned i = 0; i < bench->n_cpu; i++) {
		fprintf(stream, "%-21s", bench_suite(name, &bench->cpu[i].suite));
		print_cpu(stream, &bench->cpu[i]);
		fputc('\n', stream);
	}
}

#define N_WIDTHS    3
#define FORM_FORMAT "%-21s%13s%13s%13s%7s%6s%6s"

/* "10.7, 78 %" */
static void form_text(char text[32], double bytes_per_s, double bound_bytes_per_s)
{
	char speed[16], share[16] = "";

	if (bound_bytes_per_s > 0)
		snprintf(share, sizeof share, ", %.0f %%", 100 * bytes_per_s / bound_bytes_per_s);
	snprintf(text, 32, "%s%s", figure_text(speed, 1e-9 * bytes_per_s), share);
}

static void print_forms_of(FILE *stream, const struct bench_cpu *cpu, double clock_hz)
{
	static const enum cpu_way others[] = { CPU_BITSLICED, CPU_LIBCRYPTO, CPU_LIBGCRYPT };
	char name[32], form[N_WIDTHS][32], bound[N_WIDTHS][16], other[3][16];

	for (int i = 0; i < N_WIDTHS; i++) {
		int way = CPU_VECTORS_512 + i;

		form_text(form[i], cpu->bytes_per_s[way], cpu->bound_bytes_per_s[way]);
		figure_text(bound[i], clock_hz > 0 ? cpu->bound_bytes_per_s[way] / clock_hz : 0);
		figure_text(other[i], 1e-9 * cpu->bytes_per_s[others[i]]);
	}
	fprintf(stream, FORM_FORMAT "%12s%11s%11s\n", bench_suite(name, &cpu->suite), form[0], form[1], form[2],
	        bound[0], bound[1], bound[2], other[0], other[1], other[2]);
}

/* Instruction forms beside what else computes a suite on one thread, and their bounds. */
static void print_instruction_forms(FILE *stream, const struct bench *bench)
{
	char clock[16], first[32] = "GB/s, one thread";

	if (bench->n_cpu == 0)
		return;
	if (bench->core_clock_hz > 0)
		snprintf(first, sizeof first, "GB/s at %s GHz", figure_text(clock, 1e-9 * bench->core_clock_hz));
	fprintf(stream, "\n%-21s%39s%19s%12s%11s%11s\n", first, "instructions, vectors of; of bound", "bound, B/cycle",
	        "bitsliced", "libcrypto", "libgcrypt");
	fprintf(stream, FORM_FORMAT "\n", "", "512 bits", "256", "128", "512", "256", "128");
	for (unsigned i = 0; i < bench->n_cpu; i++)
		print_forms_of(stream, &bench->cpu[i], bench->core_clock_hz);
}

void bench_print_kernels(FILE *stream, const struct bench *bench)
{
	fprintf(stream, "CPU: %u threads, libcrypto %s, libgcrypt %s\n", bench->cpu_threads,
	        bench->libcrypto ? bench->libcrypto : "-", bench->libgcrypt ? bench->libgcrypt : "not built in");
	if (bench->note[0])
		fprintf(stream, "note: %s\n", bench->note);
	for (unsigned i = 0; i < bench->n_devices; i++)
		print_device(stream, bench, i);
	if (bench->n_kernels == 0)
		print_cpus(stream, bench);
	print_instruction_forms(stream, bench);
}

void bench_print(FILE *stream, const struct bench *bench)
{
	bench_print_kernels(stream, bench);
	if (bench->n_memory > 0)
		bench_print_memory_heading(stream);
	for (unsigned i = 0; i < bench->n_memory; i++)
		bench_print_memory_row(stream, &bench->memory[i]);
}
