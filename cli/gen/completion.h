/* What the completion of each shell is written from. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/args/command.h"
#include "cli/args/option_table.h"

/* One of each shell: the whole completion file on stream. */
void completion_bash(FILE *stream);
void completion_zsh(FILE *stream);
void completion_fish(FILE *stream);

/* What an option's value may be. */
enum value_kind { VALUE_NONE, VALUE_WORDS, VALUE_PREFIXES, VALUE_FILE, VALUE_FOLDER, VALUE_OTHER };

enum value_kind value_kind(const struct option_row *row);

/* The words, separated by spaces; of VALUE_PREFIXES each ends with a colon, and more follows. */
const char *value_words(const struct option_row *row);

bool row_is_of(const struct option_row *row, const struct command *command);

/* Text that stands between single quotes: quote is written for each one in it, and what is in
 * special gets a backslash. */
void put_escaped(FILE *stream, const char *text, const char *quote, const char *special);

#endif
