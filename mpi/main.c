/* gcrypt-mpi: the command line; enc, dec, verify and rekey are as in gcrypt (cli/transform/job.h), but for the run,
 * which all ranks do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/files/folder.h"
#include "cli/run_command.h"
#include "cli/terminal/signals.h"
#include "cli/transform/job.h"
#include "cli/transform/rekey_slots.h"
#include "command/message.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

/* A piece is long enough that its start costs little, and short enough that all ranks end at the same time. */
#define MOST_PIECE_GROUPS 64
#define PIECES_PER_RANK   8
#define MOST_PIECES       (UINT64_C(1) << 20) /* their digests are in the memory of each rank */

/* Divide the groups into pieces, by the authenticated header. */
static void divide(enum assignment_kind kind, const struct job *job, const struct job_file *file, uint64_t n_bytes)
{
	uint64_t n_groups, per_piece;

	assignment->kind = kind;
	assignment->group_log2 =
	        (writes_container() ? &assignment->started.header : &assignment->old)->header.group_log2;
	n_groups = layout_groups(assignment->group_log2, n_bytes);
	per_piece = n_groups / (PIECES_PER_RANK * (unsigned)n_ranks);
	per_piece = per_piece < 1 ? 1 : per_piece > MOST_PIECE_GROUPS ? MOST_PIECE_GROUPS : per_piece;
	if (per_piece < n_groups / MOST_PIECES)
		per_piece = n_groups / MOST_PIECES;
	assignment->n_pieces = (n_groups + per_piece - 1) / per_piece;
	assignment->plaintext_bytes = n_bytes;
	assignment->started.header.opener = assignment->old.opener = NULL; /* of this process */
	assignment->plan = job->options->plan;
	assignment->progress = file->progress;
}

/* Other ranks open the files by their names. */
static int run_ranks(struct job_file *file)
{
	const struct output *output = &file->output;
	const char *base = writes_container() ? output->part : output->temporary;
	int n = snprintf(assignment->input, PATH_MAX, "%s", file->input.name);
	struct stat there;

	if (n < PATH_MAX && file->output_name != NULL) {
		n = snprintf(assignment->output, PATH_MAX, "%.*s%s", (int)(folder_base(output->name) - output->name),
		        output->name, base);
		if (fstat(output->fd, &there) != 0)
			return fail_errno(output->name, "cannot be examined");
		assignment->output_inode = there.st_ino;
		assignment->output_owner = there.st_uid;
	}
	return n < PATH_MAX ? ranks_run(&file->report)
	                    : fail(GPUCRYPT_IO, "%s: its name is too long", file->input.name);
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
static int check_pages(struct job_file *file, struct group_reader *reader)
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

/* enc and rekey: they write OUT.part as gcrypt --part 1/1 does, so a later job or gcrypt can continue it. */

/* The lock: no rank of any job is left.  It also makes a client of NFS read the pages of the other nodes. */
static int complete_container(const struct gpucrypt_secret *secret, struct job_file *file, struct source *part)
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
static int write_part_file(struct job *job, struct job_file *file, struct parts_start *start, struct group_reader *old)
{
	struct group_writer options = writer_of(start->source, NULL, NULL);
	struct source part;
	int status = job_open_part(&part, file)
	        ?: parts_open(&assignment->started, start->source, &part, start->secrets, &start->parts, NULL)
	        ?: part_writer_describe(&options, &part, &assignment->started, start->plan, start->secrets);

	writer_close(&options);
	if (status == GPUCRYPT_OK && !lock_bytes(file->output.fd, F_RDLCK, 1, 1))
		status = fail_errno(part.name, "cannot be locked");
	if (status == GPUCRYPT_OK)
		divide(old != NULL ? ASSIGN_REKEY : ASSIGN_ENCRYPT, job, file, start->source->size_bytes);
	status = status ?: run_ranks(file) ?: old != NULL ? check_pages(file, old) : GPUCRYPT_OK;
	return assignment_end(status ?: complete_container(start->secrets, file, &part));
}

static int encrypt(struct job *job, struct job_file *file)
{
	struct parts_start start = { &file->input.source, &file->plan.run, job_secrets(job), { .count = 1 }, NULL };

	return write_part_file(job, file, &start, NULL);
}

/* Re-encrypt the old container.  OUT gets its name only if all old pages that the ranks have read belong to the root,
 * and all new pages are there. */
static int rekey(struct job *job, struct job_file *file)
{
	const struct rekey_state *state = file->state;
	struct group_reader old = reader_of(&file->input.source, NULL, NULL);
	struct source content;
	struct parts_start start = { &content, &file->new_plan.run, state->secrets.list, { .count = 1 }, NULL };
	int status = source_rewind(&file->input.source)
	                     ?: container_rekey_open(&old, start.source, &start.parts, &job->secret.secret);

	assignment->old = old.header;
	assignment->old_keys = old.keys;
	status = status != GPUCRYPT_OK ? assignment_end(status) : write_part_file(job, file, &start, &old);
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

static int decrypt(struct job *job, struct job_file *file)
{
	struct group_reader reader = reader_of(&file->input.source, NULL, NULL);
	bool verifies = file->output_name == NULL;
	int status = range_begin(&reader, job_secrets(job), &file->report) ?: check_files(&reader, file);

	if (status == GPUCRYPT_OK && !verifies && ftruncate(file->output.fd, (off_t)reader.plaintext_bytes) != 0)
		status = fail_errno(file->output.name, "cannot get its length");
	assignment->old = reader.header;
	assignment->old_keys = reader.keys;
	if (status == GPUCRYPT_OK)
		divide(verifies ? ASSIGN_VERIFY : ASSIGN_DECRYPT, job, file, reader.plaintext_bytes);
	status = assignment_end(status ?: run_ranks(file) ?: check_pages(file, &reader));
	if (status == GPUCRYPT_OK && verifies && header_needs_repair(&reader.header.copies))
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
static int run_job(const struct options *options)
{
	const unsigned bit = options->parsed.command->bits;
	struct job_kind kind = bit == CMD_ENC      ? enc_part_kind
	                       : bit == CMD_DEC    ? dec_kind
	                       : bit == CMD_VERIFY ? verify_kind
	                                           : rekey_kind;
	struct options changed = *options;
	int status = bit == CMD_ENC     ? job_check_options(options, ENCRYPT)
	             : bit == CMD_REKEY ? plan_check(options, ENCRYPT)
	                                : GPUCRYPT_OK;

	kind.of_volumes = kind.of_trees = NULL;
	kind.chooses = false;
	kind.run = bit == CMD_ENC ? encrypt : bit == CMD_REKEY ? rekey : decrypt;
	if (kind.writes_ciphertext) {
		kind.check_stored = take_part_file;
		changed.part = (struct shard){ 1, 1 };
	}
	return status ?: job_run(&kind, &changed);
}

/* The command line. */

#define MAKES      (CMD_ENC | CMD_REKEY)
#define ALL        (MAKES | CMD_DEC | CMD_VERIFY)
#define ONE_SECRET "one secret is enough"
#define STOPPED    "a job that was stopped could not be continued with public keys alone"

/* The options that gcrypt-mpi has in common with gcrypt. */
static const char names[] =
        " cipher bits mode passphrase key-file recipient skip-unusable identity new-passphrase new-key-file drop-slot "
        "output force json quiet progress engine device threads memory constant-time chunk-log2 group-log2 help ";

static struct option_row rows[MAX_OPTION_ROWS];

static void choose_rows(void)
{
	struct option_row *to = rows;

	for (const struct option_row *row = gcrypt_rows; row->type; row++) {
		char name[32];

		snprintf(name, sizeof name, " %s ", row->name != NULL ? row->name : "help"); /* a heading has none */
		if (strstr(names, name) == NULL)
			continue;
		*to = *row;
		to->native &= ALL;
		to++->raw = 0;
	}
}

/* clang-format off */
static const struct option_rule rules[] = {
	{ ALL, 0, "passphrase", RULE_EXCLUDES, "key-file identity", ONE_SECRET },
	{ ALL, 0, "key-file", RULE_EXCLUDES, "identity", ONE_SECRET },
	{ CMD_ENC, 0, "recipient", RULE_NEEDS, "passphrase key-file", STOPPED },
	{ CMD_REKEY, 0, "", RULE_NEEDS, "output", "the old container stays" },
	{ CMD_REKEY, 0, "new-passphrase", RULE_EXCLUDES, "new-key-file", ONE_SECRET },
	{ CMD_REKEY, 0, "identity", RULE_NEEDS, "new-passphrase new-key-file", STOPPED },
	{ .given = NULL },
};

static const struct command commands[] = {
	{ "enc", CMD_ENC, "FILE...", NULL, 1, UINT_MAX, run_job,
		"encrypt FILE into FILE.gcr by all ranks", "" },
	{ "dec", CMD_DEC, "FILE.gcr...", NULL, 1, UINT_MAX, run_job,
		"decrypt FILE.gcr into FILE by all ranks", "" },
	{ "verify", CMD_VERIFY, "FILE.gcr...", NULL, 1, UINT_MAX, run_job,
		"authenticate everything in FILE.gcr by all ranks", "" },
	{ "rekey", CMD_REKEY, "FILE.gcr", NULL, 1, 1, run_job,
		"re-encrypt FILE.gcr into OUT by all ranks", "" },
	{ .name = NULL },
};
/* clang-format on */

static const struct hint hints[] = { { "encrypt", "use gcrypt-mpi enc" }, { "decrypt", "use gcrypt-mpi dec" },
	{ "check", "use gcrypt-mpi verify" }, { NULL, NULL } };

const struct program program = { "gcrypt-mpi", commands, rows, rules, 0, hints, "exit status: see gcrypt(1)", false };

/* Open MPI copies between processes of one node with process_vm_readv(2), which the kernel refuses for processes whose
 * memory is private; other implementations ignore the variable. */
static void keep_from_memory(void)
{
	setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
	setenv("OMPI_MCA_btl_sm_use_cma", "0", 0);
}

/* The environment of every rank has the variable of --passphrase env:VAR, which rank 0 alone reads. */
static void forget_passphrase(char **argv)
{
	for (; *argv != NULL; argv++) {
		const char *source = strstr(*argv, "env:");

		if (source != NULL)
			secret_forget_variable(source + strlen("env:"));
	}
}

/* Structures are sent as they are in memory, so all ranks must be of one build. */
static bool same_build(void)
{
	char own[128] = "", of_rank_0[128];
	int same;

	snprintf(own, sizeof own, VERSION " " __VERSION__ " %zu", sizeof *assignment);
	memcpy(of_rank_0, own, sizeof own);
	MPI_Bcast(of_rank_0, sizeof of_rank_0, MPI_CHAR, 0, MPI_COMM_WORLD);
	same = strncmp(own, of_rank_0, sizeof own) == 0;
	MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	return same;
}

static const char *refuse(int threads)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
	if (threads < MPI_THREAD_SERIALIZED)
		return "the MPI library lacks MPI_THREAD_SERIALIZED: use one that was built with threads";
	return same_build() ? NULL : "the ranks run gcrypt-mpi of different builds";
}

static int run_rank(int argc, char **argv)
{
	int status;

	ranks_open();
	if (own_rank == 0) {
		status = message_end(run_command(argc, argv));
		ranks_end(status);
	} else {
		forget_passphrase(argv);
		status = ranks_follow();
		if (devices_left())
			message_warning(NULL, "%s", devices_left());
	}
	ranks_close();
	return status;
}

int main(int argc, char **argv)
{
	const char *refused;
	int threads, status = GPUCRYPT_USAGE;

	program_start();
	choose_rows();
	keep_from_memory();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
	refused = refuse(threads);
	if (refused == NULL)
		status = run_rank(argc, argv);
	else if (own_rank == 0) /* one line for all ranks */
		status = message_end(fail(GPUCRYPT_USAGE, "%s", refused));
	signals_expect_exit();
	MPI_Finalize();
	return program_end(status);
}
