/* The headline of the advice: what enc does with files in this folder. */
#include <string.h>

#include "cli/advise/advise.h"
#include "command/figure.h"

#define COLUMNS 120

void advise_print_wrapped(FILE *stream, char *text)
{
	size_t column = 0;

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		size_t n = strlen(word);
		bool breaks = column + 1 + n > COLUMNS;

		fprintf(stream, "%s%s", column == 0 ? "" : breaks ? "\n" : " ", word);
		column = (breaks ? 0 : column + (column > 0)) + n;
	}
	fputc('\n', stream);
}

void advise_print_files(FILE *stream, const struct advice *advice)
{
	const struct choice *enc = &advice->enc;
	const struct end_to_end *time = &enc->end_to_end;
	const struct suite *suite = &enc->suite;
	char size[32], seconds[16], rate[16], engine[24], why[sizeof enc->why + 8];

	if (enc->n_bytes == 0 || !enc->predicted)
		return;
	size_text(size, advice->n_bytes);
	fprintf(stream, "enc, from file to file in this folder: %s in %s s (%s GB/s) predicted, bottleneck: %s\n", size,
	        figure_text(seconds, time->seconds), figure_text(rate, gigabytes_per_s(advice->n_bytes, time->seconds)),
	        stage_names[time->bottleneck]);
	fprintf(stream, "enc chooses: %s-%u-%s on %s, without compression (--zstd is not in these figures)\n",
	        suite->cipher->name, 8 * suite->key_bytes, suite->mode->name, choice_engine(engine, enc));
	snprintf(why, sizeof why, "why: %s", enc->why);
	advise_print_wrapped(stream, why);
	fputc('\n', stream);
}
