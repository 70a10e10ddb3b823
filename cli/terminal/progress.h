/* Progress of one file on standard error: bytes done, rate, remaining time, predicted bottleneck. With --json, one
 * object per line. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "cli/args/options.h"

struct progress {
	struct gpucrypt_progress callback;
	const char *name;       /* not owned, as the next */
	const char *bottleneck; /* predicted; NULL: not known */
	bool wanted, terminal, json, shown;
	uint64_t done_bytes, total_bytes;
	double start, last;
};

void progress_begin(struct progress *progress, const char *name, const char *bottleneck, const struct options *options);

/* For the library; NULL when nothing is to be shown. */
const struct gpucrypt_progress *progress_callback(const struct progress *progress);

/* Clear the line on a terminal; elsewhere print the last state. */
void progress_end(struct progress *progress);

double progress_seconds(const struct progress *progress);

/* Replace the line of a terminal on standard error; "" clears it.  Elsewhere nothing is printed. */
void progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "1.23 GB" into text. */
void progress_amount(char text[16], double bytes);

#endif
