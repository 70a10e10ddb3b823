/* A rank at work: it opens the files by their names, and gets pieces one after the other. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/exclusive.h"
#include "cli/transform/plan.h"
#include "gpucrypt/container/parts/part_reader.h"
#include "gpucrypt/container/parts/part_writer.h"
#include "gpucrypt/container/recrypt.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

/* Open files and engine. */
struct rank_files {
	struct source input, output;
	struct fd_sink sink;
	struct gpucrypt_plan plan, before; /* before: of the decryption in a rekey */
	struct recryptor recryptor;        /* when encrypting only its writer, when decrypting only its reader */
	struct report report;
};

/* The functions of each kind of assignment. */
struct work_kind {
	int (*open)(struct rank_files *files, const struct assignment *assignment);
	int (*run)(struct rank_files *files, uint64_t first, uint64_t end, struct piece *piece);
	int (*finish)(struct rank_files *files, const struct assignment *assignment);
};

static int open_file(struct source *source, const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* no waiting for the writer of a FIFO */

	*source = (struct source){ .fd = fd, .name = name };
	return fd < 0 ? fail_errno(name, "cannot open") : source_open(source, fd, name);
}

/* Is the output OUT.part? */
static bool writes_part_file(const struct assignment *assignment)
{
	return assignment->kind == ASSIGN_ENCRYPT || assignment->kind == ASSIGN_REKEY;
}

/* The file of rank 0, and no other that somebody has put under its name.  The lock keeps other jobs out of OUT.part
 * while any rank of this one lives. */
static int check_output(const struct source *output, const struct assignment *assignment)
{
	struct stat there;

	if (fstat(output->fd, &there) != 0)
		return fail_errno(output->name, "cannot be examined");
	if (!S_ISREG(there.st_mode) || there.st_ino != assignment->output_inode ||
	        there.st_uid != assignment->output_owner || there.st_nlink > PART_LINKS)
		return fail(GPUCRYPT_EXISTS, "%s: is not the file that rank 0 has opened", output->name);
	if (writes_part_file(assignment) && !lock_bytes_shared(output->fd, 1, 1))
		return fail(GPUCRYPT_EXISTS, "%s: cannot be locked: %s", output->name, strerror(errno));
	return GPUCRYPT_OK;
}

static int open_files(struct rank_files *files, const struct assignment *assignment)
{
	int status = open_file(&files->input, assignment->input, O_RDONLY);

	if (status != GPUCRYPT_OK || assignment->output[0] == '\0')
		return status;
	status = open_file(&files->output, assignment->output, O_RDWR | O_NOFOLLOW);
	if (status == GPUCRYPT_OK)
		status = check_output(&files->output, assignment);
	if (status == GPUCRYPT_OK)
		status = fd_sink_open(&files->sink, files->output.fd, assignment->output);
	if (status == GPUCRYPT_OK)
		fd_sink_allow_any_order(&files->sink);
	return status;
}

/* Every node sees the source that rank 0 started with. */
static int check_source(const struct rank_files *files, const struct assignment *assignment)
{
	return start_record_unchanged(assignment->started.copies + HEADER_COPY_BYTES, files->recryptor.writer.source,
	        START_PARTS, assignment->output);
}

static int open_encryption(struct rank_files *files, const struct assignment *assignment)
{
	int status;

	files->recryptor.writer = writer_of(&files->input, &files->sink.sink, NULL);
	status = check_source(files, assignment);
	return status == GPUCRYPT_OK ? part_writer_open(&files->recryptor.writer, &files->output, &assignment->started,
	                                       &files->plan, NULL, &files->report)
	                             : status;
}

static int encrypt_piece(struct rank_files *files, uint64_t first, uint64_t end, struct piece *piece)
{
	struct group_writer *writer = &files->recryptor.writer;
	uint64_t kept = writer->kept_bytes;
	int status = part_writer_run(writer, first, end, &files->plan, &files->report);

	piece->n_bytes = writer_bytes(writer);
	piece->kept_bytes = writer->kept_bytes - kept;
	memcpy(piece->written, writer->digest, sizeof piece->written);
	return status;
}

static int sync_output(struct rank_files *files, const struct assignment *assignment)
{
	(void)assignment;
	return files->output.fd < 0 || fsync(files->output.fd) == 0 ? GPUCRYPT_OK
	                                                            : fail_errno(files->output.name, "cannot sync");
}

static int finish_encryption(struct rank_files *files, const struct assignment *assignment)
{
	int status = sync_output(files, assignment);

	return status == GPUCRYPT_OK ? check_source(files, assignment) : status;
}

static int open_decryption(struct rank_files *files, const struct assignment *assignment)
{
	bool writes = assignment->kind == ASSIGN_DECRYPT;

	if (writes)
		fd_sink_leave_zeros(&files->sink);
	files->recryptor.reader = reader_of(&files->input, writes ? &files->sink.sink : NULL, NULL);
	return part_reader_open(&files->recryptor.reader, &assignment->started.header, &assignment->started.keys,
	        assignment->plaintext_bytes, &files->plan, &files->report);
}

static int decrypt_piece(struct rank_files *files, uint64_t first, uint64_t end, struct piece *piece)
{
	struct group_reader *reader = &files->recryptor.reader;
	int status = part_reader_run(reader, first, end, &files->plan, &files->report);

	piece->n_bytes = reader->to - reader->from;
	memcpy(piece->read, reader->digest, sizeof piece->read);
	return status;
}

static int open_rekey(struct rank_files *files, const struct assignment *assignment)
{
	const struct rekey plans = { .decrypt = &files->before, .encrypt = &files->plan };
	struct recryptor *job = &files->recryptor;
	int status;

	job->plain = (struct source){ .fd = files->input.fd,
		.name = files->input.name,
		.size_bytes = assignment->plaintext_bytes,
		.content = assignment->old.header.header.content };
	job->reader = reader_of(&files->input, &files->sink.sink, NULL);
	job->writer = writer_of(&job->plain, &files->sink.sink, NULL);
	part_reader_describe(&job->reader, &assignment->old.header, &assignment->old.keys, assignment->plaintext_bytes);
	status = check_source(files, assignment);
	if (status == GPUCRYPT_OK)
		status = part_writer_describe(&job->writer, &files->output, &assignment->started, &files->plan, NULL);
	return status == GPUCRYPT_OK ? recryptor_open_engines(job, &plans, &files->report) : status;
}

static int rekey_piece(struct rank_files *files, uint64_t first, uint64_t end, struct piece *piece)
{
	struct recryptor *job = &files->recryptor;
	int status = recryptor_run_range(job, first, end, &files->plan, &files->report);

	piece->n_bytes = writer_bytes(&job->writer);
	memcpy(piece->read, job->reader.digest, sizeof piece->read);
	memcpy(piece->written, job->writer.digest, sizeof piece->written);
	return status;
}

static const struct work_kind kinds[] = {
	[ASSIGN_ENCRYPT] = { open_encryption, encrypt_piece, finish_encryption },
	[ASSIGN_DECRYPT] = { open_decryption, decrypt_piece, sync_output },
	[ASSIGN_VERIFY] = { open_decryption, decrypt_piece, sync_output },
	[ASSIGN_REKEY] = { open_rekey, rekey_piece, finish_encryption },
};

/* The model chooses for this rank's node, as gcrypt does, what the options leave open. */
static int choose_plan(struct gpucrypt_plan *chosen, struct rank_files *files, const struct assignment *assignment,
        const struct authenticated_header *header, enum direction direction)
{
	const struct output output = { .kind = OUTPUT_NAMED, .name = assignment->output };
	struct options options = OPTIONS_DEFAULT;
	struct chooser chooser = { .machine = NULL };
	struct file_plan plan = { .run = assignment->plan, .one_engine = assignment->kind == ASSIGN_REKEY };
	int status;

	*chosen = assignment->plan;
	chosen->threads = plan.run.threads = assignment->plan.threads ? assignment->plan.threads : rank_threads();
	if (assignment->kind == ASSIGN_VERIFY)
		return GPUCRYPT_OK;
	plan_of_header(&plan, header, direction);
	options.plan = plan.run;
	status = plan_choose(&plan, &options, &files->input, &output, &chooser);
	if (status == GPUCRYPT_OK)
		*chosen = plan.run;
	free(chooser.machine);
	return status;
}

static int choose_plans(struct rank_files *files, const struct assignment *assignment)
{
	int status = choose_plan(&files->plan, files, assignment, &assignment->started.header,
	        writes_part_file(assignment) ? ENCRYPT : DECRYPT);

	if (status == GPUCRYPT_OK && assignment->kind == ASSIGN_REKEY)
		status = choose_plan(&files->before, files, assignment, &assignment->old.header, DECRYPT);
	return status;
}

static void close_files(struct rank_files *files)
{
	recryptor_close(&files->recryptor);
	if (files->input.fd >= 0)
		close(files->input.fd);
	if (files->output.fd >= 0)
		close(files->output.fd);
}

static void note_failure(struct piece *piece, int status)
{
	piece->status = status;
	snprintf(piece->text, sizeof piece->text, "%s", status != GPUCRYPT_OK ? gpucrypt_error() : "");
	fail_clear();
}

static void run_piece(
        struct rank_files *files, const struct assignment *assignment, struct piece *piece, uint64_t number)
{
	unsigned group_log2 = assignment->started.header.header.group_log2;
	uint64_t n = assignment->n_pieces,
	         first = layout_part_start(group_log2, assignment->n_groups, number, n, PAGE_BYTES),
	         end = layout_part_start(group_log2, assignment->n_groups, number + 1, n, PAGE_BYTES);

	*piece = (struct piece){ .number = number };
	note_failure(piece, kinds[assignment->kind].run(files, first, end, piece));
}

void worker_run(struct worker *worker)
{
	const struct assignment *assignment = worker->assignment;
	const struct work_kind *kind = &kinds[assignment->kind];
	struct rank_files files = { .input.fd = -1, .output.fd = -1 };
	struct piece piece = { .number = NO_PIECE };
	uint64_t number;
	int status = open_files(&files, assignment);

	if (status == GPUCRYPT_OK)
		status = choose_plans(&files, assignment);
	if (status == GPUCRYPT_OK)
		status = kind->open(&files, assignment);
	note_failure(&piece, status);
	while ((number = worker->next(worker, &piece)) != NO_PIECE)
		run_piece(&files, assignment, &piece, number);
	if (status == GPUCRYPT_OK)
		status = kind->finish(&files, assignment);
	close_files(&files);
	piece = (struct piece){ .number = NO_PIECE };
	note_failure(&piece, status);
	worker->next(worker, &piece);
}
