/* Words for people, on standard error, one line each: `gcrypt: FILE: what: why`. */
#ifndef COMMAND_MESSAGE_H
#define COMMAND_MESSAGE_H

#include <stdbool.h>

/* Does the text that fail() kept begin with this name?  NULL: no. */
bool message_names(const char *file);

/* Print the failure that fail() kept and forget it; file is put in front unless the text begins
 * with it already (NULL: no file).  Returns status, for `return message_failure(…)`. */
int message_failure(const char *file, int status);

/* At the end of the program: flush standard output, whose failure is a failure of the program, and print what fail()
 * kept.  Returns the exit code. */
int message_end(int status);

/* Print a warning; file may be NULL. */
void message_warning(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print a warning for each OpenCL driver that is left out (gpucrypt/device/loader.h). */
void message_left_out(void);

/* Overwrite every byte that is not valid UTF-8 with '?', and with `controls` also every control character: a file name
 * may hold escape sequences, and bidirectional controls that display another name. */
void message_clean(char *text, bool controls);

#endif
