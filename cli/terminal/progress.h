/* Progress of one file on standard error: bytes done, rate of the last seconds, remaining time, and the stage of the
 * pipeline that was busiest since the last line. With --json, one object per line. */
#ifndef CLI_TERMINAL_PROGRESS_H
#define CLI_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "cli/args/options.h"

struct progress {
	struct gpucrypt_progress callback;
	const char *name; /* not owned */
	bool wanted, terminal, json, shown;
	uint64_t done_bytes, total_bytes;
	double start, last;
	/* Two states some seconds apart: the rate is counted from the older one. */
	struct {
		double time;
		uint64_t done_bytes;
	} older, newer;
};

void progress_begin(struct progress *progress, const char *name, const struct options *options);

/* For the library; NULL when nothing is to be shown. */
const struct gpucrypt_progress *progress_callback(const struct progress *progress);

/* Clear the line on a terminal; elsewhere print the last state. */
void progress_end(struct progress *progress);

double progress_seconds(const struct progress *progress);

/* Replace the line of a terminal on standard error, cut to the terminal's width; clear it.  Elsewhere nothing is
 * printed. */
void progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

/* "1.23 GB" into text. */
void progress_amount(char text[16], double bytes);

#endif
