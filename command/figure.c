#include "command/figure.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

const char *figure_text(char text[16], double value)
{
	snprintf(text, 16, value <= 0 ? "-" : value >= 100 ? "%.0f" : "%.3g", value);
	return text;
}

void size_text(char text[32], uint64_t n_bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)n_bytes;
	size_t unit = 0;

	for (; value >= 1024 && fmod(value, 256) == 0; unit++)
		value /= 1024;
	snprintf(text, 32, "%.10g %s", value, units[unit]);
}

double gigabytes_per_s(uint64_t n_bytes, double seconds)
{
	return seconds > 0 ? 1e-9 * (double)n_bytes / seconds : 0;
}
