/* What the completion of each shell is written from. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdio.h>

#include "cli/args/option_table.h"

/* One of each shell: the whole completion file on stream. */
void completion_bash(FILE *stream);
void completion_zsh(FILE *stream);
void completion_fish(FILE *stream);

/* What an option's value may be. */
enum value_kind {
	VALUE_NONE,
	VALUE_WORDS,
	VALUE_PREFIXES, /* words that end with a colon, behind which more follows */
	VALUE_WORDS_OR_FILE,
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_OTHER
};

enum value_kind value_kind(const struct option_row *row);

/* The words, separated by blanks. */
const char *value_words(const struct option_row *row);

/* Text with the name of the program for each @. */
void put_text(FILE *stream, const char *text);

/* Text that stands between single quotes: quote is written for each one in it, and what is in
 * special gets a backslash. */
void put_escaped(FILE *stream, const char *text, const char *quote, const char *special);

#endif
