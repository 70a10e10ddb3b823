/* enc, dec, verify and rekey as in gcrypt (cli/transform/job.h), but for the run, which all ranks do. */
#include "mpi/commands.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/exclusive.h"
#include "cli/files/folder.h"
#include "cli/transform/job.h"
#include "gpucrypt/container/parts/join.h"
#include "gpucrypt/container/parts/page_pass.h"
#include "gpucrypt/container/parts/part_writer.h"
#include "gpucrypt/container/parts/rekey.h"
#include "gpucrypt/container/range.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

/* A piece is long enough that its start costs little, and short enough that all ranks end at the same time. */
#define MOST_PIECE_GROUPS 64
#define PIECES_PER_RANK   8

/* One file: what all ranks do, and what they have seen. */
struct distribution {
	struct assignment *assignment; /* owned; locked */
	struct page_digests digests;   /* owned */
};

static void close_distribution(struct distribution *all)
{
	locked_free(all->assignment, sizeof *all->assignment);
	free(all->digests.read);
	free(all->digests.written);
}

static int open_distribution(struct distribution *all, enum assignment_kind kind)
{
	*all = (struct distribution){ .assignment = locked_allocate(sizeof *all->assignment) };
	if (all->assignment == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	all->assignment->kind = kind;
	return GPUCRYPT_OK;
}

static int name_file(char name[PATH_MAX], const char *folder, const char *base, const char *suffix)
{
	int n = snprintf(name, PATH_MAX, "%s%s%s%s", folder, *folder ? "/" : "", base, suffix);

	return n < PATH_MAX ? GPUCRYPT_OK : fail(GPUCRYPT_IO, "%s: its name is too long", base);
}

/* By the header, which is authenticated. */
static int divide(struct distribution *all, const struct job *job, uint64_t plaintext_bytes)
{
	struct assignment *assignment = all->assignment;
	const struct header *header = &assignment->started.header.header;
	uint64_t n_groups = layout_groups(header->group_log2, plaintext_bytes), per_piece;
	int n_ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	per_piece = n_groups / (PIECES_PER_RANK * (unsigned)n_ranks);
	per_piece = per_piece < 1 ? 1 : per_piece > MOST_PIECE_GROUPS ? MOST_PIECE_GROUPS : per_piece;
	assignment->n_groups = n_groups;
	assignment->n_pieces = (n_groups + per_piece - 1) / per_piece;
	assignment->plaintext_bytes = plaintext_bytes;
	assignment->started.header.opener = assignment->old.header.opener = NULL; /* of this process */
	assignment->plan = job->options->plan;
	assignment->plan.cipher = header->cipher_id;
	assignment->plan.mode = header->mode_id;
	assignment->plan.key_bits = 8 * header->key_bytes;
	assignment->plan.chunk_log2 = header->chunk_log2;
	assignment->plan.group_log2 = header->group_log2;
	all->digests.read = calloc(assignment->n_pieces, sizeof *all->digests.read);
	all->digests.written = calloc(assignment->n_pieces, sizeof *all->digests.written);
	return all->digests.read && all->digests.written ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

/* Are the pages those that the rank of this piece has seen?  self: the digests of all pieces. */
static int compare_digest(void *self, const struct part_done *part, bool *good)
{
	const uint8_t(*digests)[MAC_BYTES] = self;

	*good = memcmp(digests[part->number - 1], part->digest, MAC_BYTES) == 0;
	return GPUCRYPT_OK;
}

/* No output gets its name before all pages belong together, and to the version that rank 0 has opened. */
static int check_pages(struct distribution *all, struct job_file *file, struct group_reader *reader)
{
	struct page_pass pass = { .reader = reader,
		.parts = { .count = all->assignment->n_pieces, .align = PAGE_BYTES },
		.compare = compare_digest,
		.self = all->digests.read };
	int status = page_pass_run(&pass);

	if (status == GPUCRYPT_OK &&
	        (pass.n_missing > 0 || memcmp(pass.final + PAGE_MAC, reader->final_mac, MAC_BYTES) != 0))
		status = fail(GPUCRYPT_CORRUPT, "%s: changed while it was read", file->input.name);
	if (status == GPUCRYPT_OK)
		status = page_pass_check_root(&pass);
	if (status == GPUCRYPT_OK)
		report_digest(&file->report, pass.final + PAGE_MAC);
	return status;
}

/* Other ranks open it by its name. */
static int describe_output(struct assignment *assignment, const struct output *output)
{
	struct stat there;

	if (fstat(output->fd, &there) != 0)
		return fail_errno(output->name, "cannot be examined");
	assignment->output_inode = there.st_ino;
	assignment->output_owner = there.st_uid;
	return GPUCRYPT_OK;
}

/* enc: into OUT.part, as one part of one that a later job or gcrypt can continue. */

static int prepare_part_file(struct distribution *all, const struct job *job, struct job_file *file,
        const struct parts_start *start, struct source *part)
{
	struct assignment *assignment = all->assignment;
	struct start_parts parts = start->parts;
	int status = source_open(part, file->output.fd, assignment->output);

	if (status == GPUCRYPT_OK)
		status = parts_open(&assignment->started, start->source, part, start->secrets, &parts);
	if (status == GPUCRYPT_OK)
		status = parts_check_options(&assignment->started, start->source, part, start->plan, start->secrets);
	if (status == GPUCRYPT_OK)
		status = describe_output(assignment, &file->output);
	if (status == GPUCRYPT_OK && !lock_bytes_shared(file->output.fd, 1, 1))
		status = fail_errno(assignment->output, "cannot be locked");
	return status == GPUCRYPT_OK ? divide(all, job, start->source->size_bytes) : status;
}

/* The lock: no rank of any job is left.  It also makes a client of NFS read the pages of the other nodes. */
static int complete_container(
        struct distribution *all, const struct gpucrypt_secret *secret, struct job_file *file, struct source *part)
{
	const struct start_parts pieces = { .count = all->assignment->n_pieces, .align = PAGE_BYTES };
	struct join *join;
	int status = output_lock_part(&file->output, 0);

	if (status != GPUCRYPT_OK)
		return status;
	status = join_open(&join, part, secret);
	if (status == GPUCRYPT_OK)
		status = join_compare(join, &pieces, compare_digest, all->digests.written);
	if (status == GPUCRYPT_CORRUPT) { /* its message names parts of gcrypt enc --part */
		fail_clear();
		status = fail(status, "%s: changed while it was written: start the job again", part->name);
	}
	if (status == GPUCRYPT_OK)
		status = part_records_remove(&file->output, 1); /* of enc --part 1/1 */
	if (status == GPUCRYPT_OK)
		status = join_store_root(join);
	if (status == GPUCRYPT_OK)
		status = join_complete(join, &file->report);
	join_close(join);
	return status;
}

/* By all ranks, into OUT.part; old: the reader of a container that is re-encrypted, else NULL. */
static int write_part_file(struct distribution *all, struct job *job, struct job_file *file,
        const struct parts_start *start, struct group_reader *old, const struct gpucrypt_progress *progress)
{
	struct assignment *assignment = all->assignment;
	struct source part;
	int status = name_file(assignment->input, "", file->input.name, "");

	if (status == GPUCRYPT_OK)
		status = name_file(assignment->output, "", file->output.name, ".part");
	if (status == GPUCRYPT_OK)
		status = prepare_part_file(all, job, file, start, &part);
	if (status == GPUCRYPT_OK)
		status = deal_out(assignment, &all->digests, progress, &file->report);
	if (status == GPUCRYPT_OK && old != NULL)
		status = check_pages(all, file, old);
	return status == GPUCRYPT_OK ? complete_container(all, start->secrets, file, &part) : status;
}

static int encrypt_by_ranks(
        struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	const struct parts_start start = { &file->input.source, &file->plan.run, job_secrets(job), { .count = 1 } };
	struct distribution all;
	int status = open_distribution(&all, ASSIGN_ENCRYPT);

	(void)sink;
	if (status == GPUCRYPT_OK)
		status = write_part_file(&all, job, file, &start, NULL, progress);
	close_distribution(&all);
	return status;
}

static int take_part_file(struct job *job, struct job_file *file)
{
	(void)job;
	return output_take_part(&file->output);
}

/* dec and verify. */

static int check_file(const struct group_reader *reader, const struct job_file *file)
{
	const struct header *header = &reader->header.header;

	if (header->layout != LAYOUT_INLINE || header->content != CONTENT_BYTES)
		return fail(GPUCRYPT_USAGE, "%s: only containers of one file: see gcrypt(1)", file->input.name);
	if (!S_ISREG(file->input.stat.st_mode) || (file->output_name && file->output.kind != OUTPUT_NAMED))
		return fail(GPUCRYPT_USAGE, "%s: input and output must be regular files", file->input.name);
	return GPUCRYPT_OK;
}

/* Unlock the container, and find its end. */
static int prepare_decryption(
        struct distribution *all, const struct job *job, struct job_file *file, struct group_reader *reader)
{
	struct assignment *assignment = all->assignment;
	int status = reader_begin(reader, job_secrets(job), &file->report);

	if (status == GPUCRYPT_OK)
		status = check_file(reader, file);
	if (status == GPUCRYPT_OK)
		status = range_find_end(reader);
	assignment->started.header = reader->header;
	assignment->started.keys = reader->keys;
	if (status == GPUCRYPT_OK && file->output_name &&
	        ftruncate(file->output.fd, (off_t)reader->plaintext_bytes) != 0)
		status = fail_errno(file->output.name, "cannot get its length");
	if (status == GPUCRYPT_OK && file->output_name)
		status = describe_output(assignment, &file->output);
	return status == GPUCRYPT_OK ? divide(all, job, reader->plaintext_bytes) : status;
}

static int name_files(struct assignment *assignment, const struct job_file *file)
{
	char *folder = file->output_name ? folder_name(file->output.name) : NULL;
	int status = name_file(assignment->input, "", file->input.name, "");

	if (status == GPUCRYPT_OK && file->output_name)
		status = folder != NULL ? name_file(assignment->output, folder, file->output.temporary, "")
		                        : fail(GPUCRYPT_OTHER, "out of memory");
	free(folder);
	return status;
}

static int decrypt_by_ranks(
        struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	struct group_reader reader = reader_of(&file->input.source, NULL, NULL);
	struct distribution all;
	int status = open_distribution(&all, file->output_name ? ASSIGN_DECRYPT : ASSIGN_VERIFY);

	(void)sink;
	if (status == GPUCRYPT_OK)
		status = name_files(all.assignment, file);
	if (status == GPUCRYPT_OK)
		status = prepare_decryption(&all, job, file, &reader);
	if (status == GPUCRYPT_OK)
		status = deal_out(all.assignment, &all.digests, progress, &file->report);
	if (status == GPUCRYPT_OK)
		status = check_pages(&all, file, &reader);
	if (status == GPUCRYPT_OK && !file->output_name && header_needs_repair(&reader.header.copies))
		status = fail(GPUCRYPT_CORRUPT, "%s: %s", file->input.name, reader.header.copies.note);
	reader_close(&reader);
	close_distribution(&all);
	return status;
}

/* rekey: from the old container into OUT.part.  OUT gets its name when all old pages that the ranks have read belong to
 * the root, and all new ones are there. */

static int prepare_rekey(struct distribution *all, struct job *job, struct job_file *file, struct group_reader *old,
        struct parts_start *start)
{
	int status = source_rewind(&file->input.source);

	if (status == GPUCRYPT_OK)
		status = container_rekey_open(old, start->source, &start->parts, &job->secret.secret);
	all->assignment->old.header = old->header;
	all->assignment->old.keys = old->keys;
	return status;
}

static int rekey_by_ranks(
        struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	struct group_reader old = reader_of(&file->input.source, NULL, NULL);
	struct source content;
	struct parts_start start = { &content, &file->rekey.plan.run, file->rekey.secrets.list, { .count = 1 } };
	struct distribution all;
	int status = open_distribution(&all, ASSIGN_REKEY);

	(void)sink;
	if (status == GPUCRYPT_OK)
		status = prepare_rekey(&all, job, file, &old, &start);
	if (status == GPUCRYPT_OK)
		status = write_part_file(&all, job, file, &start, &old, progress);
	reader_close(&old);
	close_distribution(&all);
	return status;
}

/* The commands. */

int mpi_enc(const struct options *options)
{
	struct options one_part = *options;
	struct job_kind kind = enc_kind;
	int status = job_check_options(options, ENCRYPT);

	one_part.part = (struct shard){ 1, 1 };
	kind.run = encrypt_by_ranks;
	kind.check_stored = take_part_file;
	kind.chooses = false; /* each rank does */
	return status == GPUCRYPT_OK ? job_run(&kind, &one_part) : status;
}

static int run_decryption(const struct job_kind *of_gcrypt, const struct options *options)
{
	struct job_kind kind = *of_gcrypt;

	kind.of_volumes = NULL;
	kind.chooses = false;
	kind.run = decrypt_by_ranks;
	return job_run(&kind, options);
}

int mpi_dec(const struct options *options)
{
	return run_decryption(&dec_kind, options);
}

int mpi_verify(const struct options *options)
{
	return run_decryption(&verify_kind, options);
}

int mpi_rekey(const struct options *options)
{
	struct options one_part = *options;
	struct job_kind kind = rekey_kind;
	int status = plan_check(options, ENCRYPT);

	one_part.part = (struct shard){ 1, 1 };
	kind.of_volumes = NULL;
	kind.run = rekey_by_ranks;
	kind.check_stored = take_part_file;
	kind.chooses = false;
	return status == GPUCRYPT_OK ? job_run(&kind, &one_part) : status;
}
