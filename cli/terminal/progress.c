#include "cli/terminal/progress.h"
#include "gpucrypt/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command/json.h"
#include "command/message.h"
#include "cli/terminal/signals.h"
#include "gpucrypt/pipeline/pipeline.h"

#define TERMINAL_INTERVAL_S 0.2 /* also before the first line: short runs show nothing */
#define LOG_INTERVAL_S      2.0
#define RATE_S              3.0 /* a rate is that of the last 3 to 6 seconds */

static double seconds_since(double then)
{
	return clock_seconds(CLOCK_MONOTONIC) - then;
}

void progress_amount(char text[16], double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	size_t unit = 0;

	for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
		bytes /= 1000;
	snprintf(text, 16, "%.*f %s", unit == 0 || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2, bytes, units[unit]);
}

/* All files. */

static bool has_several(const struct progress *progress)
{
	return progress->files.n > 1;
}

/* Of several files, the share of the current one counts as that of its size, whatever the run reads of the file. */
static double sum_done(const struct progress *progress)
{
	double done = (double)progress->done_bytes;

	if (!has_several(progress))
		return done;
	if (progress->files.total_bytes != UINT64_MAX && progress->total_bytes != UINT64_MAX &&
	        progress->total_bytes > 0 && progress->input_bytes != UINT64_MAX)
		done *= (double)progress->input_bytes / (double)progress->total_bytes;
	return done + (double)progress->files.before_bytes;
}

static uint64_t sum_total(const struct progress *progress)
{
	return has_several(progress) ? progress->files.total_bytes : progress->total_bytes;
}

/* Until the end, if that is known; negative: it is not. */
static double seconds_left(double done, uint64_t total, double rate)
{
	return total == UINT64_MAX || rate <= 0 || (double)total < done ? -1 : ((double)total - done) / rate;
}

/* Over the last RATE_S to 2 RATE_S seconds, or since the start; anew where a second pass over a file starts. */
static double rate_now(struct progress *progress)
{
	double now = clock_seconds(CLOCK_MONOTONIC), done = sum_done(progress), seconds;

	if (now - progress->newer.time > RATE_S || done < progress->newer.done) {
		progress->older = progress->newer;
		progress->newer.time = now;
		progress->newer.done = done;
	}
	if (done < progress->older.done)
		progress->older = progress->newer;
	seconds = now - progress->older.time;
	return seconds > 0 ? (done - progress->older.done) / seconds : 0;
}

static json_t *total_json(uint64_t bytes)
{
	return bytes == UINT64_MAX ? json_null() : json_count(bytes);
}

static void print_json(const struct progress *progress, double rate, const char *bottleneck)
{
	double left = seconds_left((double)progress->done_bytes, progress->total_bytes, rate);
	json_t *object = json_object();
	char *text;

	json_set_name(object, "file", progress->name);
	json_set(object, "done_bytes", json_count(progress->done_bytes));
	json_set(object, "total_bytes", total_json(progress->total_bytes));
	json_set(object, "bytes_per_s", json_figure(rate));
	json_set(object, "seconds_left", left < 0 ? json_null() : json_real(left));
	json_set(object, "bottleneck", json_text_or_null(bottleneck));
	if (has_several(progress)) {
		json_set(object, "number", json_count(progress->files.number));
		json_set(object, "files", json_count(progress->files.n));
		json_set(object, "all_done_bytes", json_count((uint64_t)sum_done(progress)));
		json_set(object, "all_total_bytes", total_json(sum_total(progress)));
	}
	text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
	if (text)
		fprintf(stderr, "%s\n", text);
	free(text);
	json_decref(object);
}

/* Columns of the terminal on standard error; less one, where a full line would wrap. */
static size_t line_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79;
}

/* A character of UTF-8 takes one column here: its later bytes are 10xxxxxx. */
static bool starts_column(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

static size_t text_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += starts_column(*text);
	return n;
}

static void print_over(const char *line)
{
	size_t columns = line_columns(), n = 0, column = 0;

	for (; line[n] && (column < columns || !starts_column(line[n])); n++)
		column += starts_column(line[n]);
	fprintf(stderr, "\r%.*s\033[K", (int)n, line);
	signals_guard_line(true);
}

#define FIELD_TEXT   400
#define NAME_COLUMNS 12 /* the end of a longer name */
#define LOG_COLUMNS  ((size_t)1000)

enum field { PERCENT, AMOUNT, RATE, LEFT, BOTTLENECK, FILES, NAME, N_FIELDS };

/* A narrow terminal has no room for the last ones. */
static const enum field by_rank[N_FIELDS] = { PERCENT, LEFT, FILES, NAME, RATE, AMOUNT, BOTTLENECK };

static void fill_sums(char fields[N_FIELDS][FIELD_TEXT], const struct progress *progress, double rate)
{
	uint64_t total = sum_total(progress);
	double done = sum_done(progress), left = seconds_left(done, total, rate);
	unsigned long left_s = left < 0 ? 0 : (unsigned long)left;
	bool known = total != UINT64_MAX && total > 0 && done <= (double)total;
	char amount[16];

	progress_amount(amount, known ? (double)total : done);
	snprintf(fields[AMOUNT], FIELD_TEXT, "%s%s", known ? "of " : "", amount);
	if (known)
		snprintf(fields[PERCENT], FIELD_TEXT, "%d %%", (int)(100 * done / (double)total));
	if (left >= 0)
		snprintf(
		        fields[LEFT], FIELD_TEXT, "%lu:%02lu:%02lu left", left_s / 3600, left_s / 60 % 60, left_s % 60);
}

static void fill_fields(
        char fields[N_FIELDS][FIELD_TEXT], const struct progress *progress, double rate, const char *bottleneck)
{
	const char *name = progress->name ? progress->name : "";
	size_t length = strlen(name);

	fill_sums(fields, progress, rate);
	progress_amount(fields[RATE], rate);
	strcat(fields[RATE], "/s");
	if (bottleneck)
		snprintf(fields[BOTTLENECK], FIELD_TEXT, "bottleneck: %s", bottleneck);
	if (has_several(progress))
		snprintf(fields[FILES], FIELD_TEXT, progress->name ? "file %zu of %zu" : "%zu of %zu files",
		        progress->files.number, progress->files.n);
	snprintf(fields[NAME], FIELD_TEXT, "%s", length < FIELD_TEXT ? name : name + length - FIELD_TEXT + 1);
	message_clean(fields[NAME], true);
}

/* Leave the end of the text, behind a mark.  columns > 3 */
static void cut_start(char *text, size_t columns)
{
	size_t n = text_columns(text), cut = n > columns ? n - columns + strlen("...") : 0;
	char *end = text;

	if (cut == 0)
		return;
	for (; cut > 0 || !starts_column(*end); end++)
		cut -= starts_column(*end);
	memmove(text + strlen("..."), end, strlen(end) + 1);
	memcpy(text, "...", strlen("..."));
}

/* Each field takes two columns more, for what separates it from the next one. */
static void drop_fields(char fields[N_FIELDS][FIELD_TEXT], size_t columns)
{
	size_t room = columns + 2, name_columns = 0;

	for (unsigned i = 0; i < N_FIELDS; i++) {
		char *field = fields[by_rank[i]];
		size_t n = text_columns(field);

		if (by_rank[i] == NAME)
			name_columns = n = n < NAME_COLUMNS ? n : NAME_COLUMNS;
		if (n + 2 > room)
			field[0] = '\0';
		else if (n > 0)
			room -= n + 2;
	}
	cut_start(fields[NAME], name_columns + room);
}

/* "NAME: 28 % of 1.07 GB, …", or of several files "28 % of 9.6 GB, …, file 3 of 12: NAME", because the figures are
 * those of all files. */
static void print_line(const struct progress *progress, double rate, const char *bottleneck)
{
	char fields[N_FIELDS][FIELD_TEXT] = { "" }, line[2 * FIELD_TEXT] = "";
	size_t n = 0, start;

	fill_fields(fields, progress, rate, bottleneck);
	drop_fields(fields, progress->terminal ? line_columns() : LOG_COLUMNS);
	if (!has_several(progress) && fields[NAME][0])
		n = (size_t)snprintf(line, sizeof line, "%s: ", fields[NAME]);
	start = n;
	for (enum field f = 0; f < NAME; f++)
		if (fields[f][0])
			n += (size_t)snprintf(line + n, sizeof line - n, "%s%s",
			        n == start    ? ""
			        : f == AMOUNT ? " "
			                      : ", ",
			        fields[f]);
	if (has_several(progress) && fields[NAME][0])
		snprintf(line + n, sizeof line - n, "%s%s", fields[FILES][0] ? ": " : ", ", fields[NAME]);
	if (progress->terminal)
		print_over(line);
	else
		fprintf(stderr, "%s\n", line);
}

void progress_show(struct progress *progress)
{
	double rate = rate_now(progress);
	const char *bottleneck = pipeline_busiest();

	if (!progress->wanted)
		return;
	if (progress->json)
		print_json(progress, rate, bottleneck);
	else
		print_line(progress, rate, bottleneck);
	progress->shown = true;
}

/* What is read of a compressed input is known, unlike what becomes of it. */
static int report(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	struct progress *progress = self;
	bool compressed = total_bytes == UINT64_MAX && progress->input_bytes != UINT64_MAX;

	progress->done_bytes = compressed ? (uint64_t)lseek(progress->input_fd, 0, SEEK_CUR) : done_bytes;
	progress->total_bytes = compressed ? progress->input_bytes : total_bytes;
	if (seconds_since(progress->last) >= (progress->terminal ? TERMINAL_INTERVAL_S : LOG_INTERVAL_S)) {
		progress->last = clock_seconds(CLOCK_MONOTONIC);
		progress_show(progress);
	}
	return 0;
}

void progress_open(struct progress *progress, const struct options *options)
{
	*progress = (struct progress){ .json = options->json, .callback = { report, progress } };
	progress->terminal = isatty(STDERR_FILENO) && !progress->json;
	progress->wanted = options->progress == CHOICE_YES ||
	                   (options->progress == CHOICE_AUTO && progress->terminal && !options->quiet);
}

void progress_begin(struct progress *progress, const char *name, const struct source *source)
{
	progress->name = name;
	progress->input_fd = source->fd;
	progress->input_bytes = source->size_bytes;
	progress->done_bytes = 0;
	progress->total_bytes = UINT64_MAX;
	if (progress->start <= 0) /* the run may have waited for a passphrase */
		progress->last = progress->older.time = progress->newer.time = clock_seconds(CLOCK_MONOTONIC);
	else if (progress->terminal && progress->shown)
		progress_show(progress);
	progress->start = clock_seconds(CLOCK_MONOTONIC);
}

const struct gpucrypt_progress *progress_callback(const struct progress *progress)
{
	return progress->wanted ? &progress->callback : NULL;
}

void progress_end(struct progress *progress)
{
	if (!progress->wanted)
		return;
	if (!progress->terminal)
		progress_show(progress);
	else if (progress->shown)
		progress_clear();
}

double progress_seconds(const struct progress *progress)
{
	return seconds_since(progress->start);
}

void progress_line(const char *format, ...)
{
	char line[256];
	va_list arguments;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	message_clean(line, true);
	print_over(line);
}

void progress_clear(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	signals_guard_line(false);
}
