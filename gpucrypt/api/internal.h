/* What the public functions share: options, secrets, and the caller's input and output as sources and sinks. */
#ifndef GPUCRYPT_API_INTERNAL_H
#define GPUCRYPT_API_INTERNAL_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/gpucrypt.h"

/* For a public function without a secret: clear the error text.  GPUCRYPT_USAGE if an argument that must be there is
 * NULL. */
int argument_check(const char *name, const void *argument);

/* For a public function with a secret: clear the error text and check the form of all secrets.  GPUCRYPT_USAGE. */
int secrets_check(const struct gpucrypt_secret *secret);

/* GPUCRYPT_USAGE if one of the list cannot protect a key slot; see recipient_check(). */
int secrets_check_recipients(const struct gpucrypt_secret *secret);

/* The caller's input, of one part or two. */
struct api_input {
	struct gpucrypt_source parts[2]; /* copies of the caller's structs: the container, and its image */
	struct source sources[2];
	struct detached_source joined;
	struct source *source; /* what is read */
};

/* from_start: reads by position, else from where a descriptor is positioned.  The input must not move in memory. */
int api_input_open(struct api_input *input, const struct gpucrypt_source *source, bool from_start);

/* A part of the caller's output. */
struct api_sink {
	struct sink sink;
	struct gpucrypt_sink *to; /* not owned */
	struct fd_sink file;
	struct sink *used; /* sink, or that of the file */
};

struct api_output {
	struct api_sink parts[2]; /* the container, and its image */
	struct detached_sink joined;
	struct sink *sink; /* what is written */
};

/* GPUCRYPT_EXISTS if writing the output would change the input. */
int api_check_distinct(const struct gpucrypt_source *source, const struct gpucrypt_sink *sink);

/* group_log2: of a detached container; its parts are joined.  The output must not move in memory. */
int api_output_open(struct api_output *output, struct gpucrypt_sink *sink, unsigned group_log2);

#endif
