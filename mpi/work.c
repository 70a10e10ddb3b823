/* The work of one rank, which opens the files by their names and takes one piece after the other. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "cli/transform/plan.h"
#include "gpucrypt/container/parts/part_reader.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/rekey.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

/* Open files and engine. */
struct rank_state {
	const struct assignment *assignment;
	const struct gpucrypt_progress *progress; /* or NULL */
	struct source input, output;
	struct fd_sink sink;
	struct gpucrypt_plan plan, before; /* before: plan of a rekey's decryption */
	struct recryptor recryptor;        /* encryption uses only its writer, decryption only its reader */
	struct report report;
};

/* Accept only the file that rank 0 has opened: somebody may have put another file under its name.  The lock keeps other
 * jobs from writing OUT.part while a rank of this job runs. */
static int check_output(const struct source *output, const struct assignment *assignment)
{
	struct stat there;

	if (fstat(output->fd, &there) != 0)
		return fail_errno(output->name, "cannot be examined");
	if (!S_ISREG(there.st_mode) || there.st_ino != assignment->output_inode ||
	        there.st_uid != assignment->output_owner || there.st_nlink > PART_LINKS)
		return fail(GPUCRYPT_EXISTS, "%s: is not the file that rank 0 has opened", output->name);
	if (writes_part_file(assignment) && !lock_bytes(output->fd, F_RDLCK, 1, 1))
		return fail(GPUCRYPT_EXISTS, "%s: cannot be locked: %s", output->name, strerror(errno));
	return GPUCRYPT_OK;
}

static int open_file(struct source *source, const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* do not wait for the writer of a FIFO */

	*source = (struct source){ .fd = fd, .name = name };
	return fd < 0 ? fail_errno(name, "cannot open") : source_open(source, fd, name);
}

static int open_files(struct rank_state *rank)
{
	const struct assignment *assignment = rank->assignment;
	int status = open_file(&rank->input, assignment->input, O_RDONLY);

	if (status != GPUCRYPT_OK || assignment->kind == ASSIGN_VERIFY)
		return status;
	status = open_file(&rank->output, assignment->output, O_RDWR | O_NOFOLLOW)
	        ?: check_output(&rank->output, assignment)
	        ?: fd_sink_open(&rank->sink, rank->output.fd, assignment->output);
	if (status == GPUCRYPT_OK)
		fd_sink_allow_any_order(&rank->sink);
	if (status == GPUCRYPT_OK && assignment->kind == ASSIGN_DECRYPT)
		fd_sink_leave_zeros(&rank->sink);
	return status;
}

/* The model chooses the settings that the options leave open, for the node of this rank, as gcrypt does. */
static int choose_plan(struct gpucrypt_plan *chosen, struct rank_state *rank, const struct authenticated_header *header,
        enum direction direction)
{
	const struct assignment *assignment = rank->assignment;
	const struct output output = { .kind = OUTPUT_NAMED, .name = assignment->output };
	struct options options = OPTIONS_DEFAULT;
	struct chooser chooser = { .machine = NULL };
	struct file_plan plan = { .run = assignment->plan, .one_engine = assignment->kind == ASSIGN_REKEY };
	int status = GPUCRYPT_OK;

	if (plan.run.threads == 0)
		plan.run.threads = rank_threads;
	plan_of_header(&plan, header, direction);
	if (assignment->kind != ASSIGN_VERIFY) {
		options.plan = plan.run;
		status = plan_choose(&plan, &options, &rank->input, &output, &chooser);
		free(chooser.machine);
	}
	*chosen = plan.run;
	return status;
}

/* Check that this node sees the same source as rank 0 at the start. */
static int check_source(const struct rank_state *rank)
{
	const struct assignment *assignment = rank->assignment;

	return !writes_part_file(assignment) ? GPUCRYPT_OK
	                                     : start_record_unchanged(assignment->started.copies + HEADER_COPY_BYTES,
	                                               rank->recryptor.writer.source, START_PARTS, assignment->output);
}

static int open_engines(struct rank_state *rank)
{
	const struct assignment *assignment = rank->assignment;
	const struct rekey plans = { .decrypt = &rank->before, .encrypt = &rank->plan };
	struct recryptor *job = &rank->recryptor;
	bool rekey = assignment->kind == ASSIGN_REKEY;

	if (assignment->kind == ASSIGN_ENCRYPT)
		return part_writer_open(
		        &job->writer, &rank->output, &assignment->started, &rank->plan, NULL, &rank->report);
	part_reader_describe(&job->reader, rekey ? &assignment->old : &assignment->started.header,
	        rekey ? &assignment->old_keys : &assignment->started.keys, assignment->plaintext_bytes);
	if (!rekey)
		return reader_open_engine(&job->reader, &rank->plan, &rank->report);
	return choose_plan(&rank->before, rank, &assignment->old, DECRYPT)
	        ?: part_writer_describe(&job->writer, &rank->output, &assignment->started, &rank->plan, NULL)
	        ?: recryptor_open_engines(job, &plans, &rank->report);
}

static int open_work(struct rank_state *rank)
{
	const struct assignment *assignment = rank->assignment;
	struct recryptor *job = &rank->recryptor;
	struct sink *sink = assignment->kind == ASSIGN_VERIFY ? NULL : &rank->sink.sink;
	int status = open_files(rank);

	job->plain = (struct source){ .fd = rank->input.fd,
		.name = rank->input.name,
		.size_bytes = assignment->plaintext_bytes,
		.content = assignment->old.header.content };
	job->reader = reader_of(&rank->input, sink, rank->progress);
	job->writer = writer_of(assignment->kind == ASSIGN_REKEY ? &job->plain : &rank->input, sink, rank->progress);
	return status ?: choose_plan(&rank->plan, rank, &assignment->started.header,
	                         writes_part_file(assignment) ? ENCRYPT : DECRYPT)
	              ?: check_source(rank)
	              ?: open_engines(rank);
}

static int run_range(struct rank_state *rank, uint64_t first, uint64_t end)
{
	enum assignment_kind kind = rank->assignment->kind;
	struct recryptor *job = &rank->recryptor;

	return kind == ASSIGN_ENCRYPT ? part_writer_run(&job->writer, first, end, &rank->plan, &rank->report)
	       : kind == ASSIGN_REKEY ? recryptor_run_range(job, first, end, &rank->plan, &rank->report)
	                              : part_reader_run(&job->reader, first, end, &rank->plan, &rank->report);
}

static int run_piece(struct rank_state *rank, struct result *result)
{
	const struct assignment *assignment = rank->assignment;
	const struct header *header = &assignment->started.header.header;
	const struct part_number piece = { result->piece + 1, assignment->n_pieces };
	uint64_t first, end = part_end(&first, header->group_log2, assignment->plaintext_bytes, &piece, PAGE_BYTES),
	                to = end << header->group_log2,
	                n_bytes = (to < assignment->plaintext_bytes ? to : assignment->plaintext_bytes) -
	                          (first << header->group_log2);
	struct piece_digests *digests = &assignment->digests[result->piece];
	int status = run_range(rank, first, end);

	if (status != GPUCRYPT_OK)
		return status;
	memcpy(digests->read, rank->recryptor.reader.digest, sizeof digests->read);
	memcpy(digests->written, rank->recryptor.writer.digest, sizeof digests->written);
	result->n_bytes += n_bytes;
	counter_change(COUNTER_BYTES, n_bytes, MPI_SUM);
	return GPUCRYPT_OK;
}

/* After a failure no rank takes another piece. */
static int run_pieces(struct rank_state *rank, struct result *result)
{
	uint64_t n = rank->assignment->n_pieces;
	int status = GPUCRYPT_OK;

	while (status == GPUCRYPT_OK && (result->piece = counter_change(COUNTER_PIECE, 1, MPI_SUM)) < n)
		status = run_piece(rank, result);
	if (status == GPUCRYPT_OK)
		result->piece = NO_PIECE;
	return status;
}

/* Call this after all ranks have taken their last piece, because rank 0 does not serve the counter while it syncs. */
static int finish(struct rank_state *rank)
{
	if (rank->output.fd >= 0 && fsync(rank->output.fd) != 0)
		return fail_errno(rank->output.name, "cannot sync");
	return check_source(rank);
}

static void close_work(struct rank_state *rank)
{
	recryptor_close(&rank->recryptor);
	if (rank->input.fd >= 0)
		close(rank->input.fd);
	if (rank->output.fd >= 0)
		close(rank->output.fd);
}

void rank_work(const struct assignment *assignment, const struct gpucrypt_progress *progress, struct result *result)
{
	struct rank_state rank = { .assignment = assignment, .progress = progress, .input.fd = -1, .output.fd = -1 };
	MPI_Request request;
	int status = open_work(&rank);

	*result = (struct result){ .piece = NO_PIECE };
	if (status == GPUCRYPT_OK)
		status = run_pieces(&rank, result);
	if (status != GPUCRYPT_OK)
		counter_change(COUNTER_PIECE, assignment->n_pieces, MPI_SUM);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	await_quietly(&request, progress);
	if (status == GPUCRYPT_OK)
		status = finish(&rank);
	result->status = status;
	result->kept_bytes = rank.recryptor.writer.kept_bytes;
	snprintf(result->text, sizeof result->text, "%s", status != GPUCRYPT_OK ? gpucrypt_error() : "");
	fail_clear();
	close_work(&rank);
}
