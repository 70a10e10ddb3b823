/* gcrypt-mpi: the command line, and the ranks. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args/command.h"
#include "cli/args/program.h"
#include "cli/run_command.h"
#include "cli/secrets/secret.h"
#include "cli/terminal/message.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/start.h"
#include "gpucrypt/status.h"
#include "mpi/commands.h"
#include "mpi/internal.h"

#define FIELD(member) offsetof(struct options, member)
#define MAKES         (CMD_ENC | CMD_REKEY)
#define ALL           (MAKES | CMD_DEC | CMD_VERIFY)
#define SOURCES       "env: file: fd: cmd:"
#define ONE_SECRET    "one secret is enough"
#define STOPPED       "a job that was stopped could not be continued with public keys alone"

/* clang-format off */
static const struct option_row rows[] = {
	{ "cipher", 0, "NAME", &type_cipher, MAKES, 0, FIELD(plan.cipher), 0, 0,
		"aes (the default of enc), camellia, sc2000", NULL },
	{ "bits", 0, "N", &type_number, MAKES, 0, FIELD(plan.key_bits), 1, 9999,
		"key size: 128, 192 or 256 (the default of enc)", "128 192 256" },
	{ "mode", 0, "NAME", &type_mode, MAKES, 0, FIELD(plan.mode), 0, 0,
		"ctr (the default of enc), xts, or ecb (shows equal blocks)", NULL },
	{ "passphrase", 0, "SOURCE", &type_passphrase, ALL, 0, FIELD(opening.passphrase), 0, 0,
		"source: env:VAR, file:PATH, fd:N or cmd:COMMAND", SOURCES },
	{ "key-file", 0, "FILE", &type_key_file, ALL, 0, FIELD(opening.key_file), 0, 0,
		"use a key file instead of a passphrase", NULL },
	{ "recipient", 'r', "PUB.pem", &type_key_list, MAKES, 0, FIELD(opening.recipients), 0, MAX_TEXTS,
		"encrypt for these keys too, PEM or SSH (repeatable)", NULL },
	{ "identity", 'i', "KEY.pem", &type_identities, CMD_DEC | CMD_VERIFY | CMD_REKEY, 0, FIELD(opening.identities), 0, MAX_TEXTS,
		"open with these private keys, PEM or SSH (repeatable)", NULL },
	{ "new-passphrase", 0, "SOURCE", &type_passphrase, CMD_REKEY, 0, FIELD(added.passphrase), 0, 0,
		"of the new container: env:VAR, file:PATH, fd:N or cmd:COMMAND", SOURCES },
	{ "new-key-file", 0, "FILE", &type_key_file, CMD_REKEY, 0, FIELD(added.key_file), 0, 0,
		"the key file of the new container", NULL },
	{ "drop-slot", 0, "N", &type_slots, CMD_REKEY, 0, FIELD(drop_slots), 0, 31,
		"drop key slot N of the old container (repeatable)", NULL },
	{ "output", 'o', "FILE", &type_text, CMD_ENC | CMD_DEC | CMD_REKEY, 0, FIELD(output), 0, 0,
		"write FILE", NULL },
	{ "force", 'f', NULL, &type_risky_flag, CMD_ENC | CMD_DEC | CMD_REKEY, 0, FIELD(force), 0, 0,
		"overwrite", NULL },
	{ "json", 0, NULL, &type_flag, ALL, 0, FIELD(json), 0, 0,
		"print JSON", NULL },
	{ "quiet", 'q', NULL, &type_flag, ALL, 0, FIELD(quiet), 0, 0,
		"print neither progress nor warnings", NULL },
	{ "progress", 0, NULL, &type_choice, ALL, 0, FIELD(progress), 0, 0,
		"show progress even without a terminal; or never", NULL },
	{ "engine", 0, "NAME", &type_engine, ALL, 0, FIELD(plan.engine), 0, 0,
		"opencl, cpu, all (a hybrid of both), or auto (the default)", NULL },
	{ "device", 0, "N", &type_device, ALL, 0, FIELD(plan.device), 0, 999,
		"OpenCL device number, on each node", NULL },
	{ "threads", 'T', "N", &type_number, ALL, 0, FIELD(plan.threads), 1, 4096,
		"CPU threads of each rank", NULL },
	{ "memory", 0, "SIZE", &type_bytes, ALL, 0, FIELD(plan.memory_bytes), 1, UINT64_C(1) << 40,
		"memory for the buffers of each rank (640M)", NULL },
	{ "constant-time", 0, NULL, &type_flag, ALL, 0, FIELD(plan.constant_time), 0, 0,
		"use constant-time implementations only", NULL },
	{ "chunk-log2", 0, "N", &type_number, CMD_ENC, 0, FIELD(plan.chunk_log2), 12, 20,
		"log2 of a chunk's bytes; each chunk has a tag (17)", NULL },
	{ "group-log2", 0, "N", &type_number, CMD_ENC, 0, FIELD(plan.group_log2), 12, 26,
		"log2 of a group's bytes (23)", NULL },
	{ "help", 'h', NULL, &type_flag, ALL, 0, FIELD(parsed.help), 0, 0,
		"print this", NULL },
	{ .type = NULL },
};

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
		"encrypt FILE into FILE.gcr by all ranks" },
	{ "dec", CMD_DEC, "FILE.gcr...", NULL, 1, UINT_MAX, mpi_dec,
		"decrypt FILE.gcr into FILE by all ranks" },
	{ "verify", CMD_VERIFY, "FILE.gcr...", NULL, 1, UINT_MAX, mpi_verify,
		"authenticate everything in FILE.gcr by all ranks" },
	{ "rekey", CMD_REKEY, "FILE.gcr", NULL, 1, 1, mpi_rekey,
		"encrypt FILE.gcr into OUT under a new file key by all ranks" },
	{ .name = NULL },
};
/* clang-format on */

static const struct synonym synonyms[] = { { "encrypt", "enc" }, { "decrypt", "dec" }, { "check", "verify" },
	{ NULL, NULL } };

const struct program program = { "gcrypt-mpi", commands, rows, rules, 0, synonyms };

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
	uint64_t own = 0, sum[2], build[2];

	for (const char *text = VERSION " " __VERSION__; *text; text++)
		own = 31 * own + (unsigned char)*text;
	own = 31 * (31 * own + sizeof(struct assignment)) + sizeof(struct piece);
	build[0] = own;
	build[1] = ~own;
	MPI_Allreduce(build, sum, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
	return sum[0] == own && sum[1] == ~own;
}

static int run_rank(int rank, int argc, char **argv)
{
	int status;

	if (!same_build())
		return rank == 0 ? message_end(fail(GPUCRYPT_USAGE, "the ranks run gcrypt-mpi of different builds"))
		                 : GPUCRYPT_USAGE;
	if (rank != 0) {
		forget_passphrase(argv);
		return rank_follow();
	}
	status = message_end(run_command(argc, argv));
	end_ranks(status);
	return status;
}

int main(int argc, char **argv)
{
	int rank, provided, status;

	program_start();
	keep_from_memory();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	status = run_rank(rank, argc, argv);
	signals_expect_exit();
	MPI_Finalize();
	return status;
}
