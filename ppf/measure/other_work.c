#include "ppf/measure/other_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Columns of the line "cpu" from 0 on: user, nice, system, idle, iowait, irq, softirq, steal. */
enum { IDLE = 3, IOWAIT = 4, N_COLUMNS = 8 };

static double own_seconds(void)
{
	struct timespec time;

	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 ? (double)time.tv_sec + 1e-9 * (double)time.tv_nsec
	                                                           : 0;
}

/* The line starts with the name "cpu"; a column that is missing counts as 0. */
static void read_columns(struct other_work *start, char *line)
{
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	char *next = line + strcspn(line, " ");

	for (int i = 0; i < N_COLUMNS; i++) {
		double seconds = tick_s * (double)strtoull(next, &next, 10);

		start->total_s += seconds;
		start->busy_s += i == IDLE || i == IOWAIT ? 0 : seconds;
	}
}

void other_work_start(struct other_work *start)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[256];

	*start = (struct other_work){ .own_s = own_seconds() };
	if (file == NULL)
		return;
	if (fgets(line, sizeof(line), file) != NULL)
		read_columns(start, line);
	fclose(file);
}

double other_work_share(const struct other_work *start)
{
	struct other_work now;
	double total_s, others_s;

	other_work_start(&now);
	total_s = now.total_s - start->total_s;
	others_s = now.busy_s - start->busy_s - (now.own_s - start->own_s);
	return total_s > 0 && others_s > 0 ? others_s / total_s : 0;
}
