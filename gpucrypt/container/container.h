/* The native container as a whole: encrypt, decrypt, authenticate (gcrypt(5)).  A detached container is read and
 * written through a joined source and a joined sink. */
#ifndef GPUCRYPT_CONTAINER_CONTAINER_H
#define GPUCRYPT_CONTAINER_CONTAINER_H

#include "gpucrypt/container/layout.h"
#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

/* The detached layout (gcrypt(5)): a detached header, which is a file with header and pages, and an image with the
 * payload.  Both together are read and written as if they were one inline container. */

struct detached_source {
	struct source source;               /* the joined source */
	struct source *header_file, *image; /* not owned; read by position */
	unsigned group_log2;                /* 0: only the header can be read */
};

/* Both must be files or block devices, so that their sizes are known.  Errors: GPUCRYPT_USAGE. */
int detached_source_open(struct detached_source *joined, struct source *header_file, struct source *image);

/* Check that the source has the header's layout.  From then on pages and payload of a joined source can be read; an
 * image on a larger block device ends where the header says. */
int detached_source_lay(struct source *source, const struct header *header);

/* GPUCRYPT_CORRUPT unless the detached header has a page for each group of the image, and nothing else; GPUCRYPT_OK for
 * inline containers. */
int detached_source_check(const struct source *source);

/* The name of the file that has an inline position of a container, and the position in that file. */
const char *detached_place(const struct source *source, uint64_t *offset);

/* Offsets written to the joined sink are those of the inline layout. */
struct detached_sink {
	struct sink sink;
	struct sink *header_file, *image; /* not owned; image NULL: drop the image's bytes */
	unsigned group_log2;
};

void detached_sink_open(
        struct detached_sink *joined, struct sink *header_file, struct sink *image, unsigned group_log2);

/* Check that a source can become an image: the size is known and a multiple of the sector.  Errors:
 * GPUCRYPT_USAGE. */
int detached_image_check(const struct source *source, unsigned sector_log2);

/* The whole container. */

/* Encrypt source to its end, by a plan that may leave sizes open; progress and report may be NULL. */
int container_encrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Decrypt, with the plan's engine, device, threads, table …: the header says the rest.  sink NULL: verify, which also
 * fails when one header copy is damaged or older. */
int container_decrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Both header copies, by form only (no key), from the source's next 16384 bytes. */
int container_examine(struct source *source, struct examined_header *examined);

/* The same bytes, which the source gives again: they stay where they are until then. */
int container_peek(struct source *source, uint8_t copies[2 * HEADER_COPY_BYTES]);

/* Read both header copies and authenticate them with a secret, unless source->unlocked has the result for the same
 * copies and the same secret; the caller wipes keys. */
int container_unlock(struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const struct gpucrypt_secret *secret);

/* The same, of copies that were read from the source. */
int container_unlock_copies(const struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret);

struct suite header_suite(const struct authenticated_header *header, enum direction direction);

/* Parameters for decrypting a group with other tools (`info --show-keys`).  The whole image of a detached container is
 * reported as one group with number, offset and IV 0. */
struct group_report {
	uint64_t group, offset, n_bytes; /* position and length of the payload in the file */
	uint8_t key[64], iv[16];
	unsigned key_bytes; /* total length of all keys of the mode */
};

/* Call visit for each group (only: a group's number, or UINT64_MAX for all) of a seekable container, wherever its
 * descriptor is positioned, after its page is authenticated; stop at the first status that is not OK. */
int container_groups(struct source *source, const struct gpucrypt_secret *secret, uint64_t only,
        int (*visit)(void *self, const struct group_report *group), void *self);

/* A part of the plaintext of a seekable container (gcrypt(5), "A part of the plaintext"). */

struct range {
	uint64_t offset, n_bytes; /* of the plaintext; n_bytes UINT64_MAX: to its end */
};

/* Write the range to the sink, which gets its first byte at 0.  Only the header, the final page, and the pages and
 * chunks of the range are read, and each is authenticated before its plaintext is released; the root is not checked.
 * GPUCRYPT_USAGE for a pipe, or if the plaintext does not have the range; report->plaintext_bytes is the range's
 * length. */
int container_range(struct source *source, struct sink *sink, const struct range *range,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report);

/* Reads of any part of a seekable container, by any number of threads, each chunk authenticated before its plaintext is
 * given out (gcrypt(5), "A part of the plaintext").  The CPU decrypts. */

struct random_access;

/* Authenticate the header, all pages, the root and the length.  The source is used until closing.  Errors: those of
 * container_decrypt(), and GPUCRYPT_USAGE for a pipe. */
int random_access_open(struct random_access **access, struct source *source, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret);

/* Length of the plaintext. */
uint64_t random_access_size(const struct random_access *access);

/* n_bytes of the plaintext from offset on.  Thread-safe.  GPUCRYPT_USAGE if the plaintext does not have them;
 * GPUCRYPT_CORRUPT if a chunk is damaged, or if its page is not the one that opening saw: other reads are not
 * concerned, and a later read tries again. */
int random_access_read(struct random_access *access, uint8_t *bytes, size_t n_bytes, uint64_t offset);

/* Wipes all plaintext and keys; NULL: nothing. */
void random_access_close(struct random_access *access);

/* Decrypting the intact parts of a damaged container (gcrypt(5), "Salvage"). */

struct damage {
	uint64_t offset, n_bytes; /* plaintext range replaced by zeros; n_bytes 0: none */
	bool after_end;           /* these bytes are missing: the output ends at offset */
	const char *reason;       /* not owned; valid during the call */
};

struct salvaged {
	uint64_t plaintext_bytes; /* length of the output */
	uint64_t good_bytes;      /* number of authentic bytes in the output; all others are zeros */
	uint64_t missing_bytes; /* number of bytes missing at the end, because the container has no payload for them */
	unsigned n_damages;     /* 0: the container is intact */
};

/* Decrypt a seekable container, with zeros in place of every chunk whose tag, or whose group's page, does not verify;
 * visit is called for each damage, in order.  The output is never longer than the container.  A header that does not
 * verify fails as in container_decrypt(); other damage is no failure.  GPUCRYPT_USAGE for a pipe. */
int container_salvage(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report,
        struct salvaged *salvaged, void (*visit)(void *self, const struct damage *damage), void *self);

/* Make pages with fresh salts for the present image of a detached container (gcrypt(5), "Detached images"), and write
 * the whole detached header to sink. The caller has the key, and declares by this call that the image is right. Errors:
 * GPUCRYPT_CORRUPT if the image's size has changed. */
int container_retag(struct detached_source *container, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Encrypts or decrypts a container in memory and discards the output, to time the pipeline without storage. */

struct memory_run {
	uint8_t *bytes; /* owned; random, repeated; NULL: see source_open_unfilled() */
	size_t n_bytes;
	uint8_t key[32];       /* key of all containers */
	struct report *report; /* report of the last run; not owned, or NULL */
	/* The container to decrypt, created on first use; bytes is owned. */
	struct {
		uint8_t *bytes;
		size_t n_bytes;
		struct suite suite;
		uint64_t plaintext_bytes;
	} container;
};

/* Allocate memory for runs of at most `most` bytes; freed by memory_run_close (zeroed is fine). */
int memory_run_open(struct memory_run *run, uint64_t most);
void memory_run_close(struct memory_run *run);

/* Encrypt n_bytes by the plan.  run may be zeroed: then the pipeline's buffers stay unfilled, and nothing is copied.
 * *seconds includes opening the engine, its known answers, and the pipeline. */
int memory_run(const struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds);

/* The same for decryption of a container of n_bytes in memory; making it is not timed. */
int memory_run_decrypt(struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds);

/* Threads, slots and sizes of the pipeline that a plan makes a container with, before anything is opened: what
 * writer_run() uses, for predictions. */

/* One engine of the run: a device, or threads of the CPU. */
struct layout_part {
	bool on_device, device_is_cpu;
	unsigned threads; /* of the CPU engine */
};

struct pipeline_layout {
	uint64_t group_bytes;
	unsigned readers, helpers; /* struct read_threads */
	unsigned lanes, devices;
	bool engine_tags; /* the lanes compute the tags */
	unsigned taggers; /* threads that compute tags, or only finish those of the lanes; 0: the run has no tags */
	unsigned slots;   /* of the ring, each with a group */
	unsigned results; /* buffers of a slot's size that lanes of devices own */
};

/* n_parts 1: that engine alone; more: a hybrid.  Only plan's threads, group_log2 and memory_bytes count. */
struct pipeline_layout pipeline_layout(const struct gpucrypt_plan *plan, const struct layout_part *parts,
        unsigned n_parts, uint64_t n_bytes, bool tags);

#endif
