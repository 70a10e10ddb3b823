/* Model of the command line from which completion is generated for each shell. */
#ifndef COMMAND_GEN_COMPLETION_H
#define COMMAND_GEN_COMPLETION_H

#include <stdio.h>

#include "command/program.h"

/* Write the whole completion file of one shell to stream. */
void completion_bash(FILE *stream);
void completion_zsh(FILE *stream);
void completion_fish(FILE *stream);

/* The possible values of an option. */
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

/* Print text inside single quotes: quote replaces each single quote in the text, and characters in special get a
 * backslash. */
void put_escaped(FILE *stream, const char *text, const char *quote, const char *special);

#endif
