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

/* All files. */

static bool has_several(const struct progress *progress)
{
	return progress->files.n > 1;
}

/* Bytes done of all files.  The current file contributes its size times the share of it that is done, because the
 * run's total may differ from the file's size. */
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

/* Until the end, if that is known; negative: it is not. */
static double seconds_left(double done, uint64_t total, double rate)
{
	return total == UINT64_MAX || rate <= 0 || (double)total < done ? -1 : ((double)total - done) / rate;
}

/* Rate over the last RATE_S to 2 RATE_S seconds, or since the start; it starts again with a second pass over a file. */
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

static json_t *sums_json(double done, uint64_t total, double rate)
{
	double left = seconds_left(done, total, rate);
	bool known = total != UINT64_MAX && total > 0 && done <= (double)total;
	json_t *object = json_object();

	json_set(object, "done_bytes", json_count((uint64_t)done));
	json_set(object, "total_bytes", total == UINT64_MAX ? json_null() : json_count(total));
	json_set(object, "percent", known ? json_integer((json_int_t)(100 * done / (double)total)) : json_null());
	json_set(object, "seconds_left", left < 0 ? json_null() : json_real(left));
	return object;
}

/* With several files, the member "all" has the sums over all files. */
static json_t *state_json(struct progress *progress)
{
	double rate = rate_now(progress);
	json_t *object = sums_json((double)progress->done_bytes, progress->total_bytes, rate), *all;

	if (progress->name)
		json_set_name(object, "file", progress->name);
	json_set(object, "bytes_per_s", json_figure(rate));
	json_set(object, "bottleneck", json_text_or_null(pipeline_busiest()));
	if (!has_several(progress))
		return object;
	json_set(object, "all", all = sums_json(sum_done(progress), progress->files.total_bytes, rate));
	json_set(all, "number", json_count(progress->files.number));
	json_set(all, "files", json_count(progress->files.n));
	return object;
}

static void print_json(const json_t *state)
{
	char *text = json_dumps(state, JSON_COMPACT | JSON_REAL_PRECISION(6));

	if (text)
		fprintf(stderr, "%s\n", text);
	free(text);
}

/* Columns of the terminal on standard error; less one, where a full line would wrap. */
static size_t line_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79;
}

/* Each UTF-8 character counts as one column; 10xxxxxx is a continuation byte. */
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

#define NAME_COLUMNS 12 /* at least; of a longer name its end is printed */
#define NAME_TEXT    400
#define LOG_COLUMNS  ((size_t)1000)

#define SHARE      "[{percent} %|{done_bytes:amount}]"
#define AMOUNT     "[{percent} % of {total_bytes:amount}|{done_bytes:amount}]"
#define RATE       "[, {bytes_per_s:amount}/s]"
#define LEFT       "[, {seconds_left:clock} left]"
#define BOTTLENECK "[, bottleneck: {bottleneck}]"
#define FILE_OF    "[, file {number} of {files}: {file}|, {number} of {files} files]"

/* Forms of the line: the first one that fits is printed.  With several files, the figures are sums over all files. */
static const char *const one_file[] = { "{file}: " AMOUNT RATE LEFT BOTTLENECK, "{file}: " AMOUNT RATE LEFT,
	"{file}: " SHARE RATE LEFT, "{file}: " SHARE LEFT, SHARE LEFT, NULL };
static const char *const several_files[] = { AMOUNT RATE LEFT BOTTLENECK FILE_OF, AMOUNT RATE LEFT FILE_OF,
	SHARE RATE LEFT FILE_OF, SHARE LEFT FILE_OF, SHARE LEFT ", file {number} of {files}", SHARE LEFT, NULL };

/* Replace the start of a text that is too long by "...".  columns > 3 */
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

/* The rest of the line is laid out first, and the name gets the remaining columns. */
static void print_line(const struct progress *progress, json_t *state)
{
	const char *const *form = has_several(progress) ? several_files : one_file, *name = progress->name;
	const json_t *all = json_object_get(state, "all");
	size_t columns = progress->terminal ? line_columns() : LOG_COLUMNS, least = 0, used;
	char line[PATTERN_TEXT], file[NAME_TEXT];

	if (name) {
		snprintf(
		        file, sizeof file, "%s", strlen(name) < NAME_TEXT ? name : name + strlen(name) - NAME_TEXT + 1);
		message_clean(file, true);
		least = text_columns(file) < NAME_COLUMNS ? text_columns(file) : NAME_COLUMNS;
		json_set(state, "file", json_string(""));
	}
	do {
		pattern_fill(line, *form, all ? all : state, state);
		used = text_columns(line) + (strstr(*form, "{file}") ? least : 0);
	} while (used > columns && *++form);
	if (name && *form) {
		cut_start(file, columns - used + least);
		json_set(state, "file", json_string(file));
		pattern_fill(line, *form, all ? all : state, state);
	}
	if (progress->terminal)
		print_over(line);
	else
		fprintf(stderr, "%s\n", line);
}

void progress_show(struct progress *progress)
{
	json_t *state;

	if (!progress->wanted)
		return;
	state = state_json(progress);
	if (progress->json)
		print_json(state);
	else
		print_line(progress, state);
	json_decref(state);
	progress->shown = true;
}

/* With --zstd the compressed size is not known in advance: the progress is that of the position in the input. */
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
	progress->older.time = progress->newer.time = clock_seconds(CLOCK_MONOTONIC);
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
