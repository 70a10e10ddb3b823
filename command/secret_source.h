/* Sources of a passphrase: env:VAR, file:PATH, fd:N or cmd:COMMAND. */
#ifndef COMMAND_SECRET_SOURCE_H
#define COMMAND_SECRET_SOURCE_H

enum secret_source { SECRET_SOURCE_UNKNOWN, SECRET_FROM_ENV, SECRET_FROM_FILE, SECRET_FROM_FD, SECRET_FROM_COMMAND };

/* *rest: the text behind the prefix, which is not empty unless the source is unknown. */
enum secret_source secret_source_parse(const char *text, const char **rest);

/* The number of a descriptor, or -1. */
int descriptor_parse(const char *text);

#endif
