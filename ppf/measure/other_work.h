/* How much of the CPU other programs use during a measurement, from the kernel's counters (proc(5), /proc/stat). */
#ifndef OTHER_WORK_H
#define OTHER_WORK_H

struct other_work {
	double busy_s, own_s, total_s; /* CPU time at the start: of all programs, of this process, and with idle time */
};

void other_work_start(struct other_work *start);

/* The share of all CPU time since the start that other programs or the hypervisor used; 0 if it cannot be read. */
double other_work_share(const struct other_work *start);

#endif
