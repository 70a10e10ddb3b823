/* Progress of a run over one file or several, on standard error: bytes done, rate of the last seconds, remaining time,
 * and the bottleneck.  With --json, one object per line. */
#ifndef CLI_TERMINAL_PROGRESS_H
#define CLI_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "cli/args/options.h"
#include "gpucrypt/pipeline/source.h"

struct progress {
	struct gpucrypt_progress callback;
	bool wanted, terminal, json, shown;
	const char *name; /* the file's name; not owned; NULL: several processes take files */
	int input_fd;
	uint64_t input_bytes; /* UINT64_MAX: not known, and neither is total_bytes */
	uint64_t done_bytes, total_bytes;
	double start, last;
	/* All inputs; the caller sets these fields before progress_begin(). */
	struct {
		size_t number, n; /* the current file, from 1, or with name NULL the files done; all files */
		uint64_t before_bytes, total_bytes; /* of earlier inputs; of all; UINT64_MAX: not known */
	} files;
	/* Two states some seconds apart: the rate is counted from the older one. */
	struct {
		double time, done;
	} older, newer;
};

/* At the start of a run.  *progress must stay where it is. */
void progress_open(struct progress *progress, const struct options *options);

/* Processing of a file starts.  source: the input as stored, before compression. */
void progress_begin(struct progress *progress, const char *name, const struct source *source);

/* For the library; NULL when nothing is to be shown. */
const struct gpucrypt_progress *progress_callback(const struct progress *progress);

void progress_show(struct progress *progress);

/* Processing of the file ends: clear the line on a terminal; elsewhere print the last state. */
void progress_end(struct progress *progress);

/* Since progress_begin(). */
double progress_seconds(const struct progress *progress);

/* Replace the line of a terminal on standard error, cut to the terminal's width; clear it.  Elsewhere nothing is
 * printed. */
void progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

#endif
