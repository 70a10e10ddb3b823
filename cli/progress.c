#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define TERMINAL_INTERVAL_S 0.2 /* also before the first line: short runs show nothing */
#define LOG_INTERVAL_S      2.0

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void progress_amount(char text[16], double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	size_t unit = 0;

	for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
		bytes /= 1000;
	snprintf(text, 16, "%.*f %s",
	        unit == 0 || bytes >= 100 ? 0
	        : bytes >= 10             ? 1
	                                  : 2,
	        bytes, units[unit]);
}

static void print(struct progress *progress)
{
	double elapsed = progress_seconds(progress), done = (double)progress->done_bytes;
	double rate = elapsed > 0 ? done / elapsed : 0;
	bool known = progress->total_bytes != UINT64_MAX;
	char done_text[16], total_text[24] = "", rate_text[16], left_text[40] = "", line[256];

	progress_amount(done_text, done);
	progress_amount(rate_text, rate);
	if (known) {
		memcpy(total_text, " of ", 4);
		progress_amount(total_text + 4, (double)progress->total_bytes);
	}
	if (known && rate > 0 && progress->total_bytes >= progress->done_bytes) {
		unsigned long left_s =
		        (unsigned long)((double)(progress->total_bytes - progress->done_bytes) /
		                        rate);

		snprintf(left_text, sizeof left_text, ", %lu:%02lu:%02lu left", left_s / 3600,
		        left_s / 60 % 60, left_s % 60);
	}
	snprintf(line, sizeof line, "%.100s: %s%s, %s/s%s", progress->name, done_text, total_text,
	        rate_text, left_text);
	message_clean(line, true);
	fprintf(stderr, progress->terminal ? "\r%s\033[K" : "%s\n", line);
	progress->shown = true;
}

static void report(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	struct progress *progress = self;

	progress->done_bytes = done_bytes;
	progress->total_bytes = total_bytes;
	if (seconds_since(&progress->last) <
	        (progress->terminal ? TERMINAL_INTERVAL_S : LOG_INTERVAL_S))
		return;
	clock_gettime(CLOCK_MONOTONIC, &progress->last);
	print(progress);
}

void progress_begin(struct progress *progress, const char *name, const struct options *options)
{
	*progress = (struct progress){ .name = name, .total_bytes = UINT64_MAX };
	progress->callback.report = report;
	progress->callback.self = progress;
	progress->terminal = isatty(STDERR_FILENO);
	progress->wanted =
	        options->progress == CHOICE_YES ||
	        (options->progress == CHOICE_AUTO && progress->terminal && !options->quiet);
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
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
	return seconds_since(&progress->start);
}
