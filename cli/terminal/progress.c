#include "cli/terminal/progress.h"
#include "gpucrypt/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/json.h"
#include "cli/terminal/message.h"

#define TERMINAL_INTERVAL_S 0.2 /* also before the first line: short runs show nothing */
#define LOG_INTERVAL_S      2.0

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

static void print_json(const struct progress *progress, double rate)
{
	double left = seconds_left(progress, rate);
	json_t *object = json_object();
	char *text;

	json_object_set_new(object, "file", json_text(progress->name));
	json_object_set_new(object, "done_bytes", json_count(progress->done_bytes));
	json_object_set_new(object, "total_bytes",
	        progress->total_bytes == UINT64_MAX ? json_null() : json_count(progress->total_bytes));
	json_object_set_new(object, "bytes_per_s", json_figure(rate));
	json_object_set_new(object, "seconds_left", left < 0 ? json_null() : json_real(left));
	json_object_set_new(
	        object, "bottleneck", progress->bottleneck ? json_string(progress->bottleneck) : json_null());
	text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
	if (text)
		fprintf(stderr, "%s\n", text);
	free(text);
	json_decref(object);
}

static void print_line(const struct progress *progress, double rate)
{
	double left = seconds_left(progress, rate);
	char done_text[16], total_text[24] = "", rate_text[16], left_text[40] = "", line[256];
	unsigned long left_s = left < 0 ? 0 : (unsigned long)left;

	progress_amount(done_text, (double)progress->done_bytes);
	progress_amount(rate_text, rate);
	if (progress->total_bytes != UINT64_MAX) {
		memcpy(total_text, " of ", 4);
		progress_amount(total_text + 4, (double)progress->total_bytes);
	}
	if (left >= 0)
		snprintf(left_text, sizeof left_text, ", %lu:%02lu:%02lu left", left_s / 3600, left_s / 60 % 60,
		        left_s % 60);
	snprintf(line, sizeof line, "%.100s: %s%s, %s/s%s%s%.40s", progress->name, done_text, total_text, rate_text,
	        left_text, progress->bottleneck ? ", bound by " : "", progress->bottleneck ? progress->bottleneck : "");
	message_clean(line, true);
	fprintf(stderr, progress->terminal ? "\r%s\033[K" : "%s\n", line);
}

static void print(struct progress *progress)
{
	double elapsed = progress_seconds(progress);
	double rate = elapsed > 0 ? (double)progress->done_bytes / elapsed : 0;

	if (progress->json)
		print_json(progress, rate);
	else
		print_line(progress, rate);
	progress->shown = true;
}

static void report(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	struct progress *progress = self;

	progress->done_bytes = done_bytes;
	progress->total_bytes = total_bytes;
	if (seconds_since(progress->last) < (progress->terminal ? TERMINAL_INTERVAL_S : LOG_INTERVAL_S))
		return;
	progress->last = clock_seconds(CLOCK_MONOTONIC);
	print(progress);
}

void progress_begin(struct progress *progress, const char *name, const char *bottleneck, const struct options *options)
{
	*progress = (struct progress){
		.name = name, .bottleneck = bottleneck, .json = options->json, .total_bytes = UINT64_MAX
	};
	progress->callback.report = report;
	progress->callback.self = progress;
	progress->terminal = isatty(STDERR_FILENO) && !progress->json;
	progress->wanted = options->progress == CHOICE_YES ||
	                   (options->progress == CHOICE_AUTO && progress->terminal && !options->quiet);
	progress->start = clock_seconds(CLOCK_MONOTONIC);
	progress->last = progress->start;
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
		fputs("\r\033[K", stderr);
	progress->wanted = false;
}

double progress_seconds(const struct progress *progress)
{
	return seconds_since(progress->start);
}

void progress_line(const char *format, ...)
{
	va_list arguments;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(arguments, format);
	fputc('\r', stderr);
	vfprintf(stderr, format, arguments);
	fputs("\033[K", stderr);
	va_end(arguments);
}
