/* ppf compare: a table with a row for each function that its files name, on each device. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "command/json.h"
#include "command/message.h"
#include "command/text.h"
#include "gpucrypt/status.h"
#include "ppf/gnuplot.h"
#include "ppf/program/options.h"
#include "ppf/record/cache.h"

#define MAX_WORDS 128
#define MAX_LINE  2048

struct comparison {
	const struct options *options;
	json_t *rows;
	char place[PATH_MAX + 16]; /* "FILE:LINE", for messages */
	size_t line_rows;          /* number of rows before those of this line */
	int status;                /* of the first failure */
};

static void report(struct comparison *c, const char *place, int status)
{
	message_failure(place, status);
	c->status = c->status ?: status;
}

/* Rows. */

/* What one more round costs, where the variants of a line are numbers of rounds: the difference of its last two rows
 * for the same device, divided by the difference of the variants. */
static void add_step(json_t *row, const json_t *before)
{
	const json_t *to = json_object_get(row, "variant"), *from = json_object_get(before, "variant");
	json_t *now = json_object_get(row, "operations"), *last = json_object_get(before, "operations"), *step, *value;
	double n = (double)(json_integer_value(to) - json_integer_value(from));
	const char *name;

	if (!json_is_integer(to) || !json_is_integer(from) || n == 0 || !last || json_equal(now, last))
		return;
	step = json_object();
	json_object_foreach(now, name, value)
	{
		double difference = json_number_value(value) - json_number_value(json_object_get(last, name));

		json_set(step, name, json_real(difference / n));
	}
	json_set(row, "step", step);
}

/* Add one row.  device: predict from this record; NULL: run the function. */
static void add_row(struct comparison *c, const char *device, char **words, int n_words, const char *variant)
{
	static const struct option_rule runs = { ~0u, 0, "", RULE_REFUSES,
		"cipher counts copies mode key-space=argument",
		"--run: only for sources: not with --cipher, --counts, --copies, --mode or --key-space argument" };
	size_t n = json_array_size(c->rows), back = c->options->compare.devices.n + c->options->compare.run;
	struct options options = *c->options;
	struct prediction prediction = { .seconds = 0 };
	uint64_t number;
	json_t *row;
	int status = options_parse(&options, &compare_line, n_words, words);

	options.predict.device = device;
	if (status == GPUCRYPT_OK && device)
		status = predict_options(&prediction, &options);
	else if (status == GPUCRYPT_OK)
		status = option_rule_check(&runs, &options.parsed, NULL) ?: run_options(&prediction, &options);
	row = status == GPUCRYPT_OK ? prediction_json(&prediction) : json_object();
	json_set(row, "name", json_text(words[-1]));
	json_set(row, "variant",
	        number_parse(&number, variant, false) ? json_text_or_null(variant) : json_count(number));
	json_set(row, "record", json_text(device ? device : status ? "--run" : prediction.record.name));
	if (n >= c->line_rows + back)
		add_step(row, json_array_get(c->rows, n - back));
	if (status != GPUCRYPT_OK) {
		json_set(row, "failure", json_text(gpucrypt_error()));
		report(c, c->place, status);
	}
	json_array_append_new(c->rows, row);
}

/* Lines: NAME SOURCE FUNCTION OPTION…, or NAME OPTION…. */

/* As strcspn(3), but ignores characters inside '…' and "…". */
static size_t find_outside(const char *text, const char *characters)
{
	char quote = '\0';
	size_t n = 0;

	for (; text[n] && (quote || !strchr(characters, text[n])); n++)
		if (quote ? text[n] == quote : text[n] == '\'' || text[n] == '"')
			quote = quote ? '\0' : text[n];
	return n;
}

/* Add the rows of a line without alternatives; it is split as a shell does.  Not inline: add_variants() recurses, and
 * its frame would be large. */
static __attribute__((noinline)) void add_rows(struct comparison *c, const char *line, const char *variant)
{
	static char source[] = "--source", function[] = "--function";
	const struct text_list *devices = &c->options->compare.devices; /* the NULL at the end is the row of --run */
	char *arguments[MAX_WORDS + 2];
	wordexp_t words;
	int n = 0;

	if (wordexp(line, &words, WRDE_NOCMD | WRDE_UNDEF) != 0) {
		report(c, c->place, fail(GPUCRYPT_USAGE, "cannot be split: quote characters that a shell interprets"));
		return;
	}
	for (size_t i = 0; i < words.we_wordc && i < MAX_WORDS; i++) {
		if (i > 0 && i < 3 && words.we_wordv[1][0] != '-')
			arguments[n++] = i == 1 ? source : function;
		arguments[n++] = words.we_wordv[i];
	}
	if (words.we_wordc > MAX_WORDS)
		report(c, c->place, fail(GPUCRYPT_USAGE, "more than %d words", MAX_WORDS));
	else
		for (unsigned i = 0; n > 0 && i < devices->n + c->options->compare.run; i++)
			add_row(c, devices->texts[i], arguments + 1, n - 1, variant);
	wordfree(&words);
}

/* Add the rows of the line with each alternative of its first {A,B}. */
static void add_variants(struct comparison *c, const char *line, const char *variant)
{
	int open = (int)find_outside(line, "{"), n;
	const char *at = line + open, *close = at + find_outside(at, "}");
	char text[MAX_LINE], name[MAX_LINE];

	if (!*close)
		add_rows(c, line, variant);
	for (; *close && at < close; at += n + 1) {
		n = (int)find_outside(at + 1, ",}");
		snprintf(text, sizeof text, "%.*s%.*s%s", open, line, n, at + 1, close + 1);
		snprintf(name, sizeof name, "%s%s%.*s", variant, *variant ? " " : "", n, at + 1);
		add_variants(c, text, name);
	}
}

static void add_file(struct comparison *c, const char *file)
{
	char *text = file_text(file), *next = text, *line;

	if (!text)
		report(c, file, GPUCRYPT_IO);
	for (unsigned number = 1; (line = strsep(&next, "\n")); number++) {
		snprintf(c->place, sizeof c->place, "%s:%u", file, number);
		c->line_rows = json_array_size(c->rows);
		line[find_outside(line, "#\r")] = '\0';
		if (strlen(line) < MAX_LINE) /* choosing an alternative makes no line longer */
			add_variants(c, line, "");
		else
			report(c, c->place, fail(GPUCRYPT_USAGE, "longer than %d bytes", MAX_LINE - 1));
	}
	free(text);
}

/* Tables. */

/* The width of a column gives only the alignment: negative is left, positive is right. */
static const struct column columns[] = {
	{ -1, "name", "{name}" },
	{ -1, "variant", "{variant}" },
	{ -1, "device", "{record}[{?derived} (derived)|]" },
	{ 1, "copies", "{copies}" },
	{ 1, "N_tbl", "{operations.n_tbl}" },
	{ 1, "N_key", "{operations.n_key}" },
	{ 1, "N_inst", "{operations.n_inst}" },
	{ 1, "+N_tbl", "{step.n_tbl}" },
	{ 1, "+N_key", "{step.n_key}" },
	{ 1, "+N_inst", "{step.n_inst}" },
	{ 1, "cycles/byte", "{estimate.cycles_per_byte:figure}" },
	{ 1, "GB/s", "{estimate.gb_per_s:figure}" },
	{ 1, "measured", "{measured.gb_per_s:figure}" },
	{ 1, "SA", "{gb_per_s.sa:figure}" },
	{ 1, "SI", "{gb_per_s.si:figure}" },
	{ -1, "bound by", "{estimate.bound}|failed: {failure}" },
};

#define N_COLUMNS (sizeof columns / sizeof *columns)

static const struct format {
	const char *name, *between, *end, *rule, *foot;
	const char *quote, *special; /* around cells with one of these characters */
	const char *escapes[13];     /* a character, and what is printed for it */
} formats[] = {
	{ .name = "text" },
	{ "csv", ",", "\n", "", "", "\"", ",\"", { "\"\"\"" } },
	{ "latex", " & ", " \\\\\n", "\\hline\n", "\\end{tabular}\n", "", "",
	        { "#\\#", "$\\$", "%\\%", "&\\&", "_\\_", "{\\{", "}\\}", "\\\\textbackslash{}", "~\\textasciitilde{}",
	                "^\\textasciicircum{}", "<\\textless{}", ">\\textgreater{}" } },
};

static void print_cell(const struct format *format, const char *text, bool last)
{
	const char *quote = strpbrk(text, format->special) ? format->quote : "";

	fputs(quote, stdout);
	for (; *text; text++) {
		const char *const *escape = format->escapes;

		while (*escape && **escape != *text)
			escape++;
		printf("%.*s", *escape ? (int)strlen(*escape) : 1, *escape ? *escape + 1 : text);
	}
	printf("%s%s", quote, last ? format->end : format->between);
}

/* Columns without a value are left out. */
static unsigned select_columns(struct column selected[N_COLUMNS], const json_t *rows)
{
	char text[PATTERN_TEXT];
	unsigned n = 0;

	for (size_t c = 0; c < N_COLUMNS; c++) {
		size_t width = strlen(columns[c].heading);

		for (size_t r = 0; r < json_array_size(rows); r++) {
			pattern_fill(text, columns[c].pattern, json_array_get(rows, r), NULL);
			width = strlen(text) > width ? strlen(text) : width;
		}
		if (pattern_exists(rows, columns[c].pattern)) {
			selected[n] = columns[c];
			selected[n++].width *= c + 1 < N_COLUMNS ? (int)width + 1 : 0;
		}
	}
	return n;
}

static int print_table(const struct format *format, const json_t *rows)
{
	struct column selected[N_COLUMNS];
	unsigned n = select_columns(selected, rows);
	char text[PATTERN_TEXT];

	if (!format->end) {
		columns_print(stdout, selected, n, rows, NULL);
		return GPUCRYPT_OK;
	}
	if (*format->rule)
		printf("\\begin{tabular}{l*{%u}{r}l}\n%s", n - 2, format->rule);
	for (unsigned i = 0; i < n; i++)
		print_cell(format, selected[i].heading, i + 1 == n);
	fputs(format->rule, stdout);
	for (size_t r = 0; r < json_array_size(rows); r++)
		for (unsigned i = 0; i < n; i++) {
			bool exists = pattern_fill(text, selected[i].pattern, json_array_get(rows, r), NULL);

			print_cell(format, exists ? text : "", i + 1 == n);
		}
	printf("%s%s", format->rule, format->foot);
	return GPUCRYPT_OK;
}

/* The plot. */

static void write_script(FILE *stream, const void *self)
{
	static const char *const cells[] = { "{name}[ {variant}|], {record}[{?derived} (derived)|]", "{gb_per_s.si}",
		"{gb_per_s.sa}", "{estimate.gb_per_s}", "{measured.gb_per_s}" };
	const struct comparison *c = self;

	pattern_data(stream, "$rows", c->rows, cells, sizeof cells / sizeof *cells);
	fprintf(stream, "measured = '%s'\n%s", c->options->compare.run ? "measured" : "", gnuplot_script("compare.gp"));
}

static int draw(const struct comparison *c, const char *file)
{
	char *svg;
	int status = gnuplot_picture(&svg, write_script, c) ?: file_write(file, svg);

	free(svg);
	return status;
}

int cmd_compare(const struct options *options)
{
	struct comparison c = { .options = options, .rows = json_array() };
	const struct format *format = formats;
	int status = options->compare.plot ? gnuplot_present() : GPUCRYPT_OK;

	while (options->compare.format && strcmp(format->name, options->compare.format) != 0)
		format++;
	for (unsigned i = 0; i < options->parsed.n_operands && status == GPUCRYPT_OK; i++)
		add_file(&c, options->parsed.operands[i]);
	if (json_array_size(c.rows) > 0) {
		status = options->json ? json_print(json_incref(c.rows)) : print_table(format, c.rows);
		if (options->compare.plot)
			status = status ?: draw(&c, options->compare.plot);
	} else
		status = status ?: c.status ?: fail(GPUCRYPT_USAGE, "compare: the files name no function");
	json_decref(c.rows);
	return status ?: c.status;
}
