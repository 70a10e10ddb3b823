/* gcrypt bench --files: ways from a file in a folder, read before, to nowhere and to files there. */
#ifndef BENCH_FILES_H
#define BENCH_FILES_H

#include "cli/bench/bench_rows.h"
#include "gpucrypt/container/memory_run.h"

/* An input, and a container of it.  They have no names, and are gone with the process. */
struct file_input {
	uint64_t n_bytes;
	int plain_fd, container_fd;
};

struct file_run {
	const char *folder;
	struct memory_run memory; /* whence the bytes come, until the inputs are made; its key is all containers' */
	struct file_input whole, quarter;
	const struct suite *made; /* of the containers; NULL: there are none */
	int output_fd, nowhere_fd;
};

/* bench_files.c: there and back on every engine, and once a copy and verifying. */
int bench_add_files(const struct selection *selection, const struct suite *suite);

/* bench_file_run.c: can the folder hold files of n_bytes and a quarter, the containers of both and an output?
 * GPUCRYPT_IO. */
int file_run_check(const char *folder, uint64_t n_bytes);

/* They are made, but for the containers.  Closed by file_run_close(), also after a failure. */
int file_run_open(struct file_run *run, const char *folder, uint64_t n_bytes);
void file_run_close(struct file_run *run);

/* Measure a row, whose address must stay valid until the run is closed. One run before the timed ones builds the
 * kernels. */
int file_run(struct file_run *run, struct bench_file *row);

#endif
