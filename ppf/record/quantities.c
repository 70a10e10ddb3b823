#include "ppf/record/quantities.h"

#include <stdio.h>
#include <string.h>

double curve_cycles(const struct curve *curve, double x)
{
	unsigned i = 1;

	if (curve->n == 0)
		return 0;
	if (x <= curve->x[0])
		return curve->cycles[0];
	while (i < curve->n && curve->x[i] < x)
		i++;
	if (i == curve->n)
		return curve->cycles[i - 1];
	return curve->cycles[i - 1] +
	       (curve->cycles[i] - curve->cycles[i - 1]) * (x - curve->x[i - 1]) / (curve->x[i] - curve->x[i - 1]);
}

void cpu_speed_name(char name[CPU_SPEED_NAME], const struct suite *suite, const char *form)
{
	snprintf(name, CPU_SPEED_NAME, "%.8s-%u-%.3s%s%.12s", suite->cipher->name, 8 * suite->key_bytes,
	        suite->mode->name, form != NULL ? "-" : "", form != NULL ? form : "");
}

const struct cpu_speed *cpu_speed_find(const struct cpu_speeds *speeds, const char *suite)
{
	for (unsigned i = 0; i < speeds->n; i++)
		if (strcmp(speeds->of[i].suite, suite) == 0)
			return &speeds->of[i];
	return NULL;
}

bool measured_suite(struct suite *suite, unsigned i)
{
	const struct cipher *const *cipher = ciphers;

	for (unsigned n = i / 4; n > 0 && *cipher != NULL; n--)
		cipher++;
	*suite = (struct suite){ *cipher, &modes[i % 4 < 2 ? MODE_CTR : MODE_XTS], i % 2 ? 32 : 16, ENCRYPT };
	return *cipher != NULL;
}

bool measured_suite_covers(const struct suite *measured, const struct suite *suite)
{
	return measured->cipher == suite->cipher && measured->mode->has_tweaks == suite->mode->has_tweaks &&
	       (measured->key_bytes == suite->key_bytes || suite->key_bytes == 24);
}
