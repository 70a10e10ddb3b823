/* Run by the build: traces every core and writes what its look-ups take, as C (ppf/model/trace.h).
 */
#include <stdio.h>

#include "ppf/model/trace.h"

/* Batches of the devices there are records of; what the chooser compares. */
static const unsigned copies[] = { 1, 32 }, counters[] = { 0, 1, 8 };
#define LANES 32
#define BANKS 32

static void print_form(const struct cipher *cipher, const struct table_form *form)
{
	for (unsigned key_bytes = 16; key_bytes <= 32; key_bytes += 8)
		for (size_t c = 0; c < sizeof counters / sizeof *counters; c++)
			for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
				printf("\t{ %u, %d, %u, %u, %u, %d, %d, %.3f },\n", cipher->id, form->number, key_bytes,
				        counters[c], copies[i], LANES, BANKS,
				        trace_wavefronts(
				                cipher, form, key_bytes, counters[c], copies[i], LANES, BANKS));
}

int main(void)
{
	puts("#include \"ppf/model/trace.h\"\n\nconst struct wavefronts known_wavefronts[] = {");
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (unsigned f = 0; f < (*c)->n_forms; f++)
			print_form(*c, &(*c)->forms[f]);
	puts("\t{ 0 },\n};");
	return fflush(stdout) != 0;
}
