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

/* Until the end, if that is known; negative: it is not. */
static double seconds_left(const struct progress *progress, double rate)
{
	if (progress->total_bytes == UINT64_MAX || rate <= 0 || progress->total_bytes < progress->done_bytes)
		return -1;
	return (double)(progress->total_bytes - progress->done_bytes) / rate;
}

/* Over the last RATE_S to 2 RATE_S seconds, or since the start. */
static double rate_now(struct progress *progress)
{
	double now = clock_seconds(CLOCK_MONOTONIC), seconds;

	if (now - progress->newer.time > RATE_S) {
		progress->older = progress->newer;
		progress->newer.time = now;
		progress->newer.done_bytes = progress->done_bytes;
	}
	seconds = now - progress->older.time;
	return seconds > 0 ? (double)(progress->done_bytes - progress->older.done_bytes) / seconds : 0;
}

static void print_json(const struct progress *progress, double rate, const char *busiest)
{
	double left = seconds_left(progress, rate);
	json_t *object = json_object();
	char *text;

	json_set_name(object, "file", progress->name);
	json_object_set_new(object, "done_bytes", json_count(progress->done_bytes));
	json_object_set_new(object, "total_bytes",
	        progress->total_bytes == UINT64_MAX ? json_null() : json_count(progress->total_bytes));
	json_object_set_new(object, "bytes_per_s", json_figure(rate));
	json_object_set_new(object, "seconds_left", left < 0 ? json_null() : json_real(left));
	json_object_set_new(object, "bottleneck", json_text_or_null(busiest));
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

/* Print over the line.  A character of UTF-8 takes one column here: its later bytes are 10xxxxxx. */
static void print_over(const char *line)
{
	size_t columns = line_columns(), n = 0, column = 0;

	for (; line[n] && (column < columns || ((unsigned char)line[n] & 0xc0) == 0x80); n++)
		column += ((unsigned char)line[n] & 0xc0) != 0x80;
	fprintf(stderr, "\r%.*s\033[K", (int)n, line);
	signals_guard_line(true);
}

/* On a narrow terminal the figures stay and the start of the name goes. */
static void print_line(const struct progress *progress, double rate, const char *busiest)
{
	double left = seconds_left(progress, rate);
	char done_text[16], total_text[24] = "", rate_text[16], left_text[40] = "", figures[128], line[400];
	unsigned long left_s = left < 0 ? 0 : (unsigned long)left;
	size_t columns = progress->terminal ? line_columns() : sizeof line, n_name = strlen(progress->name), n_figures;

	progress_amount(done_text, (double)progress->done_bytes);
	progress_amount(rate_text, rate);
	if (progress->total_bytes != UINT64_MAX) {
		memcpy(total_text, " of ", 4);
		progress_amount(total_text + 4, (double)progress->total_bytes);
	}
	if (left >= 0)
		snprintf(left_text, sizeof left_text, ", %lu:%02lu:%02lu left", left_s / 3600, left_s / 60 % 60,
		        left_s % 60);
	n_figures = (size_t)snprintf(figures, sizeof figures, "%s%s, %s/s", done_text, total_text, rate_text);
	if (n_figures + strlen(left_text) <= columns)
		n_figures =
		        (size_t)snprintf(figures + n_figures, sizeof figures - n_figures, "%s", left_text) + n_figures;
	if (n_name + 2 > columns - (n_figures < columns ? n_figures : columns))
		n_name = columns > n_figures + 2 ? columns - n_figures - 2 : 0;
	snprintf(line, sizeof line, "%s%s%s%s%s", progress->name + strlen(progress->name) - n_name,
	        n_name > 0 ? ": " : "", figures, busiest ? ", busiest: " : "", busiest ? busiest : "");
	message_clean(line, true);
	if (progress->terminal)
		print_over(line);
	else
		fprintf(stderr, "%s\n", line);
}

static void print(struct progress *progress)
{
	double rate = rate_now(progress);
	const char *busiest = pipeline_busiest();

	if (progress->json)
		print_json(progress, rate, busiest);
	else
		print_line(progress, rate, busiest);
	progress->shown = true;
}

static int report(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	struct progress *progress = self;

	progress->done_bytes = done_bytes;
	progress->total_bytes = total_bytes;
	if (seconds_since(progress->last) >= (progress->terminal ? TERMINAL_INTERVAL_S : LOG_INTERVAL_S)) {
		progress->last = clock_seconds(CLOCK_MONOTONIC);
		print(progress);
	}
	return 0;
}

void progress_begin(struct progress *progress, const char *name, const struct options *options)
{
	*progress = (struct progress){ .name = name, .json = options->json, .total_bytes = UINT64_MAX };
	progress->callback.report = report;
	progress->callback.self = progress;
	progress->terminal = isatty(STDERR_FILENO) && !progress->json;
	progress->wanted = options->progress == CHOICE_YES ||
	                   (options->progress == CHOICE_AUTO && progress->terminal && !options->quiet);
	progress->start = clock_seconds(CLOCK_MONOTONIC);
	progress->last = progress->older.time = progress->newer.time = progress->start;
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
		print(progress);
	else if (progress->shown)
		progress_clear();
	progress->wanted = false;
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
