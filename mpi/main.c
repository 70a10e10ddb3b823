/* gcrypt-mpi: the command line, and the ranks. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args/command.h"
#include "command/program.h"
#include "cli/run_command.h"
#include "cli/secrets/secret.h"
#include "command/message.h"
#include "cli/terminal/signals.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

#define MAKES      (CMD_ENC | CMD_REKEY)
#define ALL        (MAKES | CMD_DEC | CMD_VERIFY)
#define ONE_SECRET "one secret is enough"
#define STOPPED    "a job that was stopped could not be continued with public keys alone"

/* The options that gcrypt-mpi has in common with gcrypt. */
static const char *const names[] = { "cipher", "bits", "mode", "passphrase", "key-file", "recipient", "skip-unusable",
	"identity", "new-passphrase", "new-key-file", "drop-slot", "output", "force", "json", "quiet", "progress",
	"engine", "device", "threads", "memory", "constant-time", "chunk-log2", "group-log2", "help" };

static struct option_row rows[MAX_OPTION_ROWS];

static void choose_rows(void)
{
	struct option_row *to = rows;

	for (const struct option_row *row = gcrypt_rows; row->type; row++) {
		bool chosen = !row->name; /* a heading */

		for (size_t i = 0; !chosen && i < sizeof names / sizeof *names; i++)
			chosen = !strcmp(row->name, names[i]);
		if (chosen) {
			*to = *row;
			to->native &= ALL;
			to++->raw = 0;
		}
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
	{ "enc", CMD_ENC, "FILE...", NULL, 1, UINT_MAX, mpi_enc,
		"encrypt FILE into FILE.gcr by all ranks", "" },
	{ "dec", CMD_DEC, "FILE.gcr...", NULL, 1, UINT_MAX, mpi_dec,
		"decrypt FILE.gcr into FILE by all ranks", "" },
	{ "verify", CMD_VERIFY, "FILE.gcr...", NULL, 1, UINT_MAX, mpi_verify,
		"authenticate everything in FILE.gcr by all ranks", "" },
	{ "rekey", CMD_REKEY, "FILE.gcr", NULL, 1, 1, mpi_rekey,
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

	snprintf(own, sizeof own, VERSION " " __VERSION__ " %zu %zu", sizeof(struct assignment), sizeof(struct result));
	memcpy(of_rank_0, own, sizeof own);
	MPI_Bcast(of_rank_0, sizeof of_rank_0, MPI_CHAR, 0, MPI_COMM_WORLD);
	same = strncmp(own, of_rank_0, sizeof own) == 0;
	MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	return same;
}

/* One line for all ranks. */
static int refuse(const char *why)
{
	return own_rank == 0 ? message_end(fail(GPUCRYPT_USAGE, "%s", why)) : GPUCRYPT_USAGE;
}

static int run_rank(int argc, char **argv, int threads)
{
	int status;

	if (threads < MPI_THREAD_SERIALIZED)
		return refuse("the MPI library lacks MPI_THREAD_SERIALIZED: use one that was built with threads");
	if (!same_build())
		return refuse("the ranks run gcrypt-mpi of different builds");
	if (own_rank != 0) {
		forget_passphrase(argv);
		status = ranks_follow();
		if (devices_left())
			message_warning(NULL, "%s", devices_left());
		return status;
	}
	status = message_end(run_command(argc, argv));
	ranks_end(status);
	return status;
}

int main(int argc, char **argv)
{
	int threads, status;

	program_start();
	choose_rows();
	keep_from_memory();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
	ranks_open();
	status = run_rank(argc, argv, threads);
	ranks_close();
	signals_expect_exit();
	MPI_Finalize();
	return program_end(status);
}
