/* enc, dec, verify and rekey as in gcrypt (cli/transform/job.h), but for the run, which all ranks do. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/transform/job.h"
#include "cli/transform/rekey_slots.h"
#include "gpucrypt/container/parts/join.h"
#include "gpucrypt/container/parts/part_reader.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/range.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

/* A piece is long enough that its start costs little, and short enough that all ranks end at the same time. */
#define MOST_PIECE_GROUPS 64
#define PIECES_PER_RANK   8
#define MOST_PIECES       (UINT64_C(1) << 20) /* their digests are in the memory of each rank */

/* A command of gcrypt whose run() is run_by_ranks(). */
struct rank_kind {
	struct job_kind job; /* first: cast from it */
	enum assignment_kind assignment;
	int (*run)(struct assignment *assignment, struct job *job, struct job_file *file);
};

/* Other ranks open the files by their names. */
static int describe_files(struct assignment *assignment, const struct job_file *file)
{
	const struct output *output = &file->output;
	bool part = writes_part_file(assignment);
	int n = snprintf(assignment->input, PATH_MAX, "%s", file->input.name);
	const char *base;
	struct stat there;

	if (n < PATH_MAX && file->output_name != NULL) {
		base = folder_base(output->name);
		n = snprintf(assignment->output, PATH_MAX, "%.*s%s%s", (int)(base - output->name), output->name,
		        part ? base : output->temporary, part ? ".part" : "");
		if (fstat(output->fd, &there) != 0)
			return fail_errno(output->name, "cannot be examined");
		assignment->output_inode = there.st_ino;
		assignment->output_owner = there.st_uid;
	}
	return n < PATH_MAX ? GPUCRYPT_OK : fail(GPUCRYPT_IO, "%s: its name is too long", file->input.name);
}

static int run_by_ranks(struct job *job, struct job_file *file)
{
	const struct rank_kind *kind = (const struct rank_kind *)job->kind;
	struct assignment *assignment = locked_allocate(sizeof *assignment);
	int status;

	if (assignment == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	assignment->kind = kind->assignment;
	status = describe_files(assignment, file) ?: kind->run(assignment, job, file);
	free(assignment->digests);
	locked_free(assignment, sizeof *assignment);
	return status;
}

/* Divide the groups into pieces.  The group size is from the authenticated header. */
static void divide(struct assignment *assignment, const struct job *job, uint64_t plaintext_bytes)
{
	const struct header *header = &assignment->started.header.header;
	uint64_t n_groups = layout_groups(header->group_log2, plaintext_bytes),
	         per_piece = n_groups / (PIECES_PER_RANK * (unsigned)n_ranks);

	per_piece = per_piece < 1 ? 1 : per_piece > MOST_PIECE_GROUPS ? MOST_PIECE_GROUPS : per_piece;
	if (per_piece < n_groups / MOST_PIECES)
		per_piece = n_groups / MOST_PIECES;
	assignment->n_pieces = (n_groups + per_piece - 1) / per_piece;
	assignment->plaintext_bytes = plaintext_bytes;
	assignment->started.header.opener = assignment->old.opener = NULL; /* of this process */
	assignment->plan = job->options->plan;
}

/* Compare the digest of the pages of one part with that of the rank that has read, or written, these pages.  self: the
 * digest of the first piece (digests->read or digests->written). */
static int compare_digest(void *self, const struct part_done *part, bool *good)
{
	const uint8_t *digest = (const uint8_t *)self + (part->number - 1) * sizeof(struct piece_digests);

	*good = memcmp(digest, part->digest, MAC_BYTES) == 0;
	return GPUCRYPT_OK;
}

/* No output gets its name before all pages belong together, and to the version that rank 0 has opened. */
static int check_pages(struct assignment *assignment, struct job_file *file, struct group_reader *reader)
{
	struct page_pass pass = { .reader = reader,
		.parts = { .count = assignment->n_pieces, .align = PAGE_BYTES },
		.compare = compare_digest,
		.self = assignment->digests->read };
	int status = page_pass_run(&pass);

	if (status == GPUCRYPT_OK &&
	        (pass.n_missing > 0 || memcmp(pass.final + PAGE_MAC, reader->final_mac, MAC_BYTES) != 0))
		status = fail(GPUCRYPT_CORRUPT, "%s: changed while it was read", file->input.name);
	return status ?: page_pass_check_root(&pass, &file->report);
}

/* enc: into OUT.part, as one part of one that a later job or gcrypt can continue. */

/* The lock: no rank of any job is left.  It also makes a client of NFS read the pages of the other nodes. */
static int complete_container(
        struct assignment *assignment, const struct gpucrypt_secret *secret, struct job_file *file, struct source *part)
{
	const struct start_parts pieces = { .count = assignment->n_pieces, .align = PAGE_BYTES };
	struct join join;
	int status = output_lock_part(&file->output, 0);

	if (status != GPUCRYPT_OK)
		return status;
	status = join_open(&join, part, secret)
	                 ?: join_compare(&join, &pieces, compare_digest, assignment->digests->written);
	if (status == GPUCRYPT_CORRUPT) { /* its message names parts of gcrypt enc --part */
		fail_clear();
		status = fail(status, "%s: changed while it was written: start the job again", part->name);
	}
	if (status == GPUCRYPT_OK) /* the records are those of enc --part 1/1 */
		status = part_records_remove(&file->output, 1) ?: join_store_root(&join) ?: join_complete(&join, &file->report);
	join_close(&join);
	return status;
}

/* old: the reader of a container that is re-encrypted, else NULL. */
static int write_part_file(struct assignment *assignment, struct job *job, struct job_file *file,
        struct parts_start *start, struct group_reader *old)
{
	struct started *started = &assignment->started;
	struct source part;
	int status = source_open(&part, file->output.fd, assignment->output)
	        ?: parts_open(started, start->source, &part, start->secrets, &start->parts, NULL)
	        ?: parts_check_options(started, start->source, &part, start->plan, start->secrets);

	if (status == GPUCRYPT_OK && !lock_bytes(file->output.fd, F_RDLCK, 1, 1))
		status = fail_errno(assignment->output, "cannot be locked");
	if (status == GPUCRYPT_OK) {
		divide(assignment, job, start->source->size_bytes);
		status = ranks_run(assignment, file->progress, &file->report);
	}
	if (status == GPUCRYPT_OK && old != NULL)
		status = check_pages(assignment, file, old);
	return status ?: complete_container(assignment, start->secrets, file, &part);
}

static int encrypt(struct assignment *assignment, struct job *job, struct job_file *file)
{
	struct parts_start start = { &file->input.source, &file->plan.run, job_secrets(job), { .count = 1 }, NULL };

	return write_part_file(assignment, job, file, &start, NULL);
}

/* Re-encrypt the old container.  OUT gets its name only if all old pages that the ranks have read belong to the root,
 * and all new pages are there. */
static int rekey(struct assignment *assignment, struct job *job, struct job_file *file)
{
	const struct rekey_state *state = file->state;
	struct group_reader old = reader_of(&file->input.source, NULL, NULL);
	struct source content;
	struct parts_start start = { &content, &file->new_plan.run, state->secrets.list, { .count = 1 }, NULL };
	int status = source_rewind(&file->input.source)
	                     ?: container_rekey_open(&old, start.source, &start.parts, &job->secret.secret);

	assignment->old = old.header;
	assignment->old_keys = old.keys;
	if (status == GPUCRYPT_OK)
		status = write_part_file(assignment, job, file, &start, &old);
	reader_close(&old);
	return status;
}

/* dec and verify. */

static int check_files(const struct group_reader *reader, const struct job_file *file)
{
	return reader->header.header.content == CONTENT_BYTES && S_ISREG(file->input.stat.st_mode) &&
	                       (file->output_name == NULL || file->output.kind == OUTPUT_NAMED)
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "%s: only containers of one file, and regular files: see gcrypt(1)",
	                         file->input.name);
}

static int decrypt(struct assignment *assignment, struct job *job, struct job_file *file)
{
	struct group_reader reader = reader_of(&file->input.source, NULL, NULL);
	int status = range_begin(&reader, job_secrets(job), &file->report) ?: check_files(&reader, file);

	if (status == GPUCRYPT_OK && file->output_name != NULL &&
	        ftruncate(file->output.fd, (off_t)reader.plaintext_bytes) != 0)
		status = fail_errno(file->output.name, "cannot get its length");
	assignment->started.header = reader.header;
	assignment->started.keys = reader.keys;
	if (status == GPUCRYPT_OK) {
		divide(assignment, job, reader.plaintext_bytes);
		status = ranks_run(assignment, file->progress, &file->report);
	}
	if (status == GPUCRYPT_OK)
		status = check_pages(assignment, file, &reader);
	if (status == GPUCRYPT_OK && file->output_name == NULL && header_needs_repair(&reader.header.copies))
		status = fail(GPUCRYPT_CORRUPT, "%s: %s", file->input.name, reader.header.copies.note);
	reader_close(&reader);
	return status;
}

/* The commands. */

static int take_part_file(struct job *job, struct job_file *file)
{
	(void)job;
	return output_take_part(&file->output);
}

/* A writer writes one part, which a later job or gcrypt can continue.  Each rank chooses its engine for itself. */
static int run_kind(struct rank_kind kind, const struct options *options)
{
	struct options changed = *options;

	kind.job.of_volumes = kind.job.of_trees = NULL;
	kind.job.chooses = false;
	kind.job.run = run_by_ranks;
	if (kind.job.writes_ciphertext) {
		kind.job.check_stored = take_part_file;
		changed.part = (struct shard){ 1, 1 };
	}
	return job_run(&kind.job, &changed);
}

int mpi_enc(const struct options *options)
{
	return job_check_options(options, ENCRYPT)
	               ?: run_kind((struct rank_kind){ enc_part_kind, ASSIGN_ENCRYPT, encrypt }, options);
}

int mpi_dec(const struct options *options)
{
	return run_kind((struct rank_kind){ dec_kind, ASSIGN_DECRYPT, decrypt }, options);
}

int mpi_verify(const struct options *options)
{
	return run_kind((struct rank_kind){ verify_kind, ASSIGN_VERIFY, decrypt }, options);
}

int mpi_rekey(const struct options *options)
{
	return plan_check(options, ENCRYPT) ?: run_kind((struct rank_kind){ rekey_kind, ASSIGN_REKEY, rekey }, options);
}
