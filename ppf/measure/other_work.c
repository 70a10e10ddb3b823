#include "ppf/measure/other_work.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* The columns of the line "cpu". */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_COLUMNS };

static double own_seconds(void)
{
	struct timespec time;

	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 ? (double)time.tv_sec + 1e-9 * (double)time.tv_nsec
	                                                           : 0;
}

void other_work_start(struct other_work *start)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long long ticks[N_COLUMNS] = { 0 };
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);

	*start = (struct other_work){ .own_s = own_seconds() };
	if (file == NULL)
		return;
	if (fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[USER], &ticks[NICE], &ticks[SYSTEM],
	            &ticks[IDLE], &ticks[IOWAIT], &ticks[IRQ], &ticks[SOFTIRQ], &ticks[STEAL]) == N_COLUMNS)
		for (int i = 0; i < N_COLUMNS; i++) {
			start->total_s += tick_s * (double)ticks[i];
			start->busy_s += i == IDLE || i == IOWAIT ? 0 : tick_s * (double)ticks[i];
		}
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
