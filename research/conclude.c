/*
 * The conclusions of an experiment: rows of experiments.json with expressions over its figure.
 *
 * "let" gives names to expressions.  A conclusion has the claim of the dissertation; `holds`, which is true (above 0),
 * false, or NAN for "cannot be told"; and the text `found`.  If the expression `when` exists and is not true, the
 * verdict is "cannot be told", and the text is `otherwise`.
 *
 * An expression has numbers, names of "let", + - * / <= and functions:
 *   best('SERIES', 'ROW')           the greatest y, by patterns (figure_best())
 *   first, last, most, most_x, level, converged('SERIES')     a member of struct line
 *   value('NAME'), rows(), x_first(), x_last()                of the figure
 *   greater(a, b)                   NAN where the difference is none (figure_greater())
 *   when(a, b), abs(a)              b, if a is true
 *   min, max, all, none(a, b, …)    of the values that are not NAN
 *   n_errors, sum_errors, worst_error('PREDICTED', 'MEASURED'), inside('LEAST', 'MEASURED', 'MOST')
 * A text has {EXPRESSION:FORMAT}, where FORMAT is printf's without %, or `row` or `series` for those of the best() in
 * it, and {?EXPRESSION:TEXT|OTHER TEXT}.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "research/study.h"

#define MAX_ARGUMENTS     8
#define MAX_TEXTS_OF_CALL 3

/* State of an expression, which is evaluated while it is parsed.  NAN stands for a value that was not measured. */
struct evaluation {
	const json_t *figure, *let; /* let: expressions by name */
	const char *at;
	const json_t *point; /* the point that the last best() found, */
	const char *series;  /* and its series */
};

struct arguments {
	double numbers[MAX_ARGUMENTS];
	char texts[MAX_TEXTS_OF_CALL][64];
	unsigned n_numbers, n_texts;
};

/* Functions. */

#define IS(text) (strcmp(name, text) == 0)

/* Functions of numbers.  min, max, all and none ignore numbers that are NAN. */
static double call_of_numbers(const json_t *figure, const char *name, const struct arguments *a)
{
	double least = NAN, most = NAN;
	enum verdict verdict = figure_greater(figure, a->numbers[0], a->numbers[1]);

	for (unsigned i = 0; i < a->n_numbers; i++) {
		least = fmin(least, a->numbers[i]);
		most = fmax(most, a->numbers[i]);
	}
	if (IS("min") || IS("all"))
		return least;
	if (IS("max"))
		return most;
	if (IS("none"))
		return !(most > 0);
	if (IS("greater")) /* NAN: no difference */
		return verdict == VERDICT_OPEN ? NAN : verdict == VERDICT_HOLDS;
	if (IS("when"))
		return a->numbers[0] > 0 ? a->numbers[1] : NAN;
	return IS("abs") ? fabs(a->numbers[0]) : NAN;
}

static double call_of_line(const json_t *figure, const char *name, const struct arguments *a)
{
	struct line line = figure_line(figure, a->texts[0]);

	return IS("first")       ? line.first
	       : IS("last")      ? line.last
	       : IS("most")      ? line.most
	       : IS("most_x")    ? line.most_x
	       : IS("level")     ? line.level_x
	       : IS("converged") ? line.converged_x
	                         : NAN;
}

/* Errors of a predicted series against a measured one: the number of compared points, and the sum and maximum of their
 * errors. */
static double call_of_errors(const json_t *figure, const char *name, const struct arguments *a)
{
	double n = 0, sum = 0, worst = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(figure, "rows"), i, row)
	{
		const char *label = text_of(row, "label");
		double error =
		        fabs(figure_best(figure, a->texts[0], label) / figure_best(figure, a->texts[1], label) - 1);

		if (isnan(error))
			continue;
		n++;
		sum += error;
		worst = fmax(worst, error);
	}
	return IS("n_errors") ? n : IS("sum_errors") ? sum : IS("worst_error") ? worst : NAN;
}

/* The number of rows in which the second series is between the first and the third one. */
static double call_inside(const json_t *figure, const struct arguments *a)
{
	const json_t *row;
	double n = 0;
	size_t i;

	json_array_foreach(json_object_get(figure, "rows"), i, row)
	{
		char label[32];
		double y;

		snprintf(label, sizeof label, "%g", json_number_value(json_object_get(row, "x")));
		y = figure_best(figure, a->texts[1], label);
		n += figure_best(figure, a->texts[0], label) <= y && y <= figure_best(figure, a->texts[2], label);
	}
	return n;
}

static double call(struct evaluation *e, const char *name, const struct arguments *a)
{
	if (IS("best")) {
		e->point = figure_best_point(e->figure, a->texts[0], a->texts[1], &e->series);
		return e->point == NULL ? NAN : json_number_value(json_object_get(e->point, "y"));
	}
	if (IS("value"))
		return figure_value(e->figure, a->texts[0]);
	if (IS("inside"))
		return call_inside(e->figure, a);
	if (IS("rows"))
		return (double)json_array_size(json_object_get(e->figure, "rows"));
	if (IS("x_first") || IS("x_last"))
		return figure_last_x(e->figure, IS("x_first"));
	if (a->n_texts == 0)
		return call_of_numbers(e->figure, name, a);
	return a->n_texts == 1 ? call_of_line(e->figure, name, a) : call_of_errors(e->figure, name, a);
}

/* Expressions: numbers, names, calls, + - * / <= and parentheses. */

static bool take(struct evaluation *e, const char *token)
{
	while (*e->at == ' ')
		e->at++;
	if (strncmp(e->at, token, strlen(token)) != 0)
		return false;
	e->at += strlen(token);
	return true;
}

static double operation(struct evaluation *e, unsigned precedence);

static void take_text(struct evaluation *e, struct arguments *a)
{
	char quote = *e->at++;
	size_t n = strcspn(e->at, (char[]){ quote, '\0' });

	snprintf(a->texts[a->n_texts++ % MAX_TEXTS_OF_CALL], sizeof a->texts[0], "%.*s", (int)n, e->at);
	e->at += n + 1;
}

static double evaluate(struct evaluation *e, const char *text)
{
	const char *at = e->at;
	double value;

	e->at = text;
	value = operation(e, 0);
	e->at = at;
	return value;
}

static double named(struct evaluation *e)
{
	struct arguments a = { .n_numbers = 0 };
	size_t n = strspn(e->at, "abcdefghijklmnopqrstuvwxyz_0123456789");
	char name[64];

	snprintf(name, sizeof name, "%.*s", (int)n, e->at);
	e->at += n;
	if (!take(e, "("))
		return evaluate(e, text_of(e->let, name));
	while (*e->at != '\0' && !take(e, ")")) {
		if (*e->at == '\'' || *e->at == '"')
			take_text(e, &a);
		else
			a.numbers[a.n_numbers++ % MAX_ARGUMENTS] = operation(e, 0);
		take(e, ",");
	}
	return call(e, name, &a);
}

static double factor(struct evaluation *e)
{
	double value;

	if (take(e, "(")) {
		value = operation(e, 0);
		take(e, ")");
		return value;
	}
	if (isdigit((unsigned char)*e->at) || *e->at == '-') {
		char *end;

		value = strtod(e->at, &end);
		e->at = end;
		return value;
	}
	return isalpha((unsigned char)*e->at) ? named(e) : NAN;
}

/* Operators of this precedence and above; 0: <=, 1: + and -, 2: * and /. */
static double operation(struct evaluation *e, unsigned precedence)
{
	static const struct {
		const char *token;
		unsigned precedence;
	} operators[] = { { "<=", 0 }, { "+", 1 }, { "-", 1 }, { "*", 2 }, { "/", 2 } };
	double left = precedence == 2 ? factor(e) : operation(e, precedence + 1), right;

	for (unsigned i = 0; i < sizeof operators / sizeof *operators; i++) {
		if (operators[i].precedence != precedence || !take(e, operators[i].token))
			continue;
		right = precedence == 2 ? factor(e) : operation(e, precedence + 1);
		left = i == 0   ? (isnan(left + right) ? NAN : left <= right)
		       : i == 1 ? left + right
		       : i == 2 ? left - right
		       : i == 3 ? left * right
		                : left / right;
		i = 0; /* with the increment, the next operator is not <= again */
	}
	return left;
}

/* Texts: {EXPRESSION:FORMAT of printf, row or series} and {?EXPRESSION:TEXT|OTHER TEXT}. */

static void put_choice(FILE *stream, struct evaluation *e, char *inside)
{
	char *text = strchr(inside, ':'), *other = strchr(text, '|');

	*text++ = *other++ = '\0';
	fputs(evaluate(e, inside) > 0 ? text : other, stream);
}

static void put_value(FILE *stream, struct evaluation *e, char *inside)
{
	char *format = strrchr(inside, ':'), number_format[16];
	double value;

	*format++ = '\0';
	value = evaluate(e, inside);
	snprintf(number_format, sizeof number_format, "%%%s", format);
	if (isnan(value))
		fputs("(not measured)", stream);
	else if (strcmp(format, "row") == 0)
		fputs(text_of(e->point, "label"), stream);
	else if (strcmp(format, "series") == 0)
		fputs(e->series, stream);
	else
		fprintf(stream, number_format, value);
}

static char *fill(struct evaluation *e, const char *text)
{
	char *result = NULL, inside[256];
	size_t n;
	FILE *stream = open_memstream(&result, &n);

	if (stream == NULL)
		return NULL;
	for (; *text != '\0'; text++)
		if (*text == '{') {
			n = strcspn(text, "}");
			snprintf(inside, sizeof inside, "%.*s", (int)n - 1, text + 1);
			if (*inside == '?')
				put_choice(stream, e, inside + 1);
			else
				put_value(stream, e, inside);
			text += n;
		} else {
			fputc(*text, stream);
		}
	fclose(stream);
	return result;
}

static void put_printed(json_t *figure, const json_t *printed)
{
	const char *series = text_of(printed, "series"), *row;
	double work = json_number_value(json_object_get(printed, "in_time"));
	json_t *value;

	json_object_foreach(json_object_get(printed, "points"), row, value)
	{
		double y = json_number_value(value);

		figure_bar(figure, series, row, work > 0 ? work / y : y);
	}
	figure_printed(figure, series);
}

const char *study_text(const char *name)
{
	const struct kernel_source *source = study_sources;

	while (strcmp(source->name, name) != 0)
		source++;
	return source->text;
}

json_t *study_experiments(void)
{
	return json_loads(study_text("experiments"), 0, NULL);
}

void study_print(json_t *figure, const json_t *experiment)
{
	const json_t *printed;
	size_t i;

	json_array_foreach(json_object_get(experiment, "printed"), i, printed)
	{
		put_printed(figure, printed);
	}
}

void study_conclude(json_t *figure, const json_t *experiment)
{
	struct evaluation e = { .figure = figure, .let = json_object_get(experiment, "let") };
	const json_t *row;
	json_t *all = json_array();
	size_t i;

	json_array_foreach(json_object_get(experiment, "conclusions"), i, row)
	{
		bool known = json_object_get(row, "when") == NULL || evaluate(&e, text_of(row, "when")) > 0;
		double holds = known ? evaluate(&e, text_of(row, "holds")) : NAN;
		char *found = fill(&e, text_of(row, known ? "found" : "otherwise"));

		json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "claim", text_of(row, "claim"), "found",
		                                   found != NULL ? found : "", "verdict",
		                                   verdict_names[isnan(holds) ? VERDICT_OPEN : verdict_of(holds > 0)]));
		free(found);
	}
	json_object_set_new(figure, "conclusions", all);
}
