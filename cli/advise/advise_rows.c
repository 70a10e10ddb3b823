/* The rows: every cipher, key size and engine that is left open, with its prediction. */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/advise/advise.h"
#include "command/json.h"
#include "gpucrypt/container/layout.h"
#include "gpucrypt/status.h"

#define DEFAULT_BYTES     (UINT64_C(16) << 30)
#define DEFAULT_SHARE     1 /* per cent */
#define FIRST_POINT_BYTES (UINT64_C(256) << 10)

static const unsigned key_bits[] = { 128, 192, 256 };

#define N_KEY_BITS (sizeof key_bits / sizeof *key_bits)

int advise_predict(
        struct choice *choice, const struct advice *advice, const struct advice_row *row, uint64_t n_bytes, bool files)
{
	const struct task task = { .n_bytes = n_bytes,
		.reads_storage = files,
		.writes_storage = files,
		.tags = !advice->volume,
		.direction = ENCRYPT };
	const struct gpucrypt_plan plan = row->choice.plan; /* choice may be the row's own */

	return choose(choice, advice->machine, &plan, &task, true);
}

struct seconds_range predicted_range(double seconds)
{
	return (struct seconds_range){ seconds, seconds, seconds * (1 + PREDICTION_SPREAD) };
}

/* An engine that cannot process the input becomes a note instead of a row. */
static int add_row(struct advice *advice, const struct gpucrypt_plan *plan)
{
	struct advice_row *row = &advice->rows[advice->n_rows];
	struct choice files;
	int status;

	row->choice.plan = *plan;
	status = advise_predict(&row->choice, advice, row, advice->n_bytes, false)
	                 ?: advise_predict(&files, advice, row, advice->n_bytes, true);
	if (status == GPUCRYPT_DEVICE) {
		snprintf(advice->note, sizeof advice->note, "%s", gpucrypt_error());
		fail_clear();
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK)
		return status;
	if (row->choice.device)
		row->unpredicted = choose_unpredicted(row->choice.device, &row->choice.suite, plan, advice->n_bytes);
	row->files = files.end_to_end;
	row->seconds = predicted_range(row->choice.end_to_end.seconds);
	advice->n_rows++;
	return GPUCRYPT_OK;
}

/* A hybrid in which one engine does all the work repeats that engine's row: leave the hybrid out unless the user asked
 * for it. */
static int add_hybrid(struct advice *advice, const struct gpucrypt_plan *plan, bool asked)
{
	unsigned n_rows = advice->n_rows;
	int status = add_row(advice, plan);

	if (!asked && advice->n_rows > n_rows && advice->rows[n_rows].choice.plan.n_parts == 0) {
		advice->rows[n_rows] = (struct advice_row){ .failed = false };
		advice->n_rows = n_rows;
	}
	return status;
}

static int add_engines(struct advice *advice, const struct gpucrypt_plan *wanted)
{
	unsigned n = advice->machine->n_devices;
	struct gpucrypt_plan plan;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i <= n + 1 && status == GPUCRYPT_OK; i++)
		if (plan_of_engine(&plan, wanted, advice->machine, i))
			status = i > n ? add_hybrid(advice, &plan, wanted->engine == GPUCRYPT_HYBRID)
			               : add_row(advice, &plan);
	return status;
}

/* dm-crypt has no SC2000, and enc --luks2 makes no volumes of 192 bits. */
static int add_ciphers(struct advice *advice, const struct gpucrypt_plan *wanted)
{
	struct gpucrypt_plan plan = *wanted;
	int status = GPUCRYPT_OK;

	for (const struct cipher *const *c = ciphers; *c; c++)
		for (size_t b = 0; b < N_KEY_BITS && status == GPUCRYPT_OK; b++) {
			plan.cipher = (*c)->id;
			plan.key_bits = key_bits[b];
			if ((!wanted->cipher || wanted->cipher == plan.cipher) &&
			        (!wanted->key_bits || wanted->key_bits == plan.key_bits) &&
			        (!advice->volume || ((*c)->libcrypto && plan.key_bits != 192)))
				status = add_engines(advice, &plan);
		}
	return status;
}

static int no_row(const struct advice *advice, const struct gpucrypt_plan *wanted)
{
	const struct machine *machine = advice->machine;

	if (*machine->failure)
		return fail(GPUCRYPT_DEVICE, "no OpenCL device: %s", machine->failure);
	if (wanted->device > machine->n_devices)
		return fail(GPUCRYPT_DEVICE, "device %u: not found (this machine has %u)", wanted->device - 1,
		        machine->n_devices);
	return fail(GPUCRYPT_DEVICE, "nothing can do it: %s", advice->note);
}

/* Can a file in this folder share storage with another one?  False if no file can be made. */
static bool shares_storage(void)
{
	int from = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR),
	    to = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
	bool shares = from >= 0 && to >= 0 && ftruncate(from, PAGE_BYTES) == 0 && ioctl(to, FICLONE, from) == 0;

	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return shares;
}

/* The same choice as enc makes for a file; rows do not know the rules by which enc prefers a cipher or an engine. */
static void choose_for_enc(struct advice *advice, const struct options *options, const struct gpucrypt_plan *wanted)
{
	const struct task task = { .n_bytes = advice->n_bytes,
		.reads_storage = true,
		.writes_storage = true,
		.tags = !advice->volume,
		.update = advice->update,
		.changed = advice->changed,
		.copies = advice->copies,
		.direction = ENCRYPT };
	bool allow_sc2000 = options->allow != GPUCRYPT_CIPHER_AUTO;

	if (choose(&advice->enc, advice->machine, wanted, &task, allow_sc2000) != GPUCRYPT_OK)
		advice->enc = (struct choice){ .n_bytes = 0 };
	fail_clear();
}

int advise_rows(struct advice *advice, struct machine *machine, const struct options *options)
{
	struct gpucrypt_plan wanted = options->plan;
	struct suite suite;
	size_t n_ciphers = 0;
	int status;

	while (ciphers[n_ciphers])
		n_ciphers++;
	if (options->luks2)
		wanted.mode = GPUCRYPT_XTS;
	status = suite_of_plan(&suite, &wanted, ENCRYPT);
	*advice = (struct advice){ .machine = machine,
		.quiet = options->quiet,
		.volume = options->luks2,
		.update = options->update_bytes > 0,
		.copies = options->update_bytes > 0 && !shares_storage(),
		.changed = (option_given(options, "share") ? options->share : DEFAULT_SHARE) / 100.0,
		.n_bytes = options->update_bytes ?: options->size_bytes ?: DEFAULT_BYTES };
	if (status != GPUCRYPT_OK)
		return status;
	advice->mode = suite.mode;
	advice->bits = 8 * suite.key_bytes;
	advice->sc2000 = wanted.cipher || options->allow;
	advice->rows = calloc(n_ciphers * N_KEY_BITS * (machine->n_devices + 2), sizeof *advice->rows);
	if (!advice->rows)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = add_ciphers(advice, &wanted);
	if (status == GPUCRYPT_OK && advice->n_rows == 0)
		status = no_row(advice, &wanted);
	if (status == GPUCRYPT_OK)
		choose_for_enc(advice, options, &wanted);
	return status;
}

void advise_free(struct advice *advice)
{
	for (struct advice_row *row = advice->rows; row < advice->rows + advice->n_rows; row++) {
		json_decref(row->measured);
		json_decref(row->points);
	}
	free(advice->rows);
	*advice = (struct advice){ 0 };
}

uint64_t advise_point_bytes(const struct advice *advice, size_t i)
{
	uint64_t n_bytes = FIRST_POINT_BYTES << i;

	return n_bytes < advice->n_bytes ? n_bytes : advice->n_bytes;
}

static int add_point(struct advice_row *row, const struct advice *advice, uint64_t n_bytes)
{
	struct choice choice;
	int status = advise_predict(&choice, advice, row, n_bytes, false);

	if (status == GPUCRYPT_OK)
		json_array_append_new(row->points,
		        json_pack("{s:o, s:o, s:o, s:o, s:n, s:o, s:n}", "bytes", json_count(n_bytes), "sa_cycles",
		                json_figure(choice.thesis.total_sa), "si_cycles", json_figure(choice.thesis.total_si),
		                "estimate_cycles", json_figure(choice.overlap.total_cycles), "kernel_cycles",
		                "predicted_s", json_figure(choice.end_to_end.seconds), "measured_s"));
	return status;
}

int advise_points(struct advice *advice)
{
	uint64_t n_bytes;
	int status = GPUCRYPT_OK;

	for (struct advice_row *row = advice->rows; row < advice->rows + advice->n_rows; row++) {
		row->points = json_array();
		do {
			n_bytes = advise_point_bytes(advice, json_array_size(row->points));
			status = status ?: add_point(row, advice, n_bytes);
		} while (status == GPUCRYPT_OK && n_bytes < advice->n_bytes);
	}
	return status;
}

/* Many nodes. */

/* A node writes as enc does from file to file, with the sync at the end of each part. */
int advise_nodes(struct advice *advice, const struct options *options)
{
	const struct end_to_end *time = &advice->enc.end_to_end;
	struct advice_nodes *nodes = &advice->nodes;
	double work_s = time->first_s + time->rest_s + time->stage_s[STAGE_SYNC];

	if (advice->enc.n_bytes == 0 || !advice->enc.predicted)
		return fail(GPUCRYPT_DEVICE, "--nodes: the records lack a figure for this prediction");
	nodes->n = options->nodes;
	nodes->job = (struct nodes_job){ .n_bytes = advice->n_bytes,
		.piece_bytes = UINT64_C(1) << GROUP_LOG2_DEFAULT,
		.node_bytes_per_s = (double)advice->n_bytes / work_s,
		.start_s = time->start_s + time->end_s,
		.storage_bytes_per_s = (double)options->storage_rate };
	return GPUCRYPT_OK;
}

/* The fastest rows. */

/* A row with SC2000 takes part only if the user named SC2000. */
static bool takes_part(
        const struct advice *advice, const struct advice_row *row, const struct cipher *cipher, unsigned bits)
{
	const struct suite *suite = &row->choice.suite;

	if (8 * suite->key_bytes != bits || row->failed || row->seconds.least <= 0)
		return false;
	return cipher ? suite->cipher == cipher : !suite->cipher->only_named || advice->sc2000;
}

/* The row that takes least, of those whose time is over `above`, or of those on one device. */
static const struct advice_row *fastest(
        const struct advice *advice, const struct cipher *cipher, unsigned bits, double above, bool on_device)
{
	const struct advice_row *best = NULL;

	for (const struct advice_row *row = advice->rows; row < advice->rows + advice->n_rows; row++)
		if (takes_part(advice, row, cipher, bits) && row->seconds.least > above &&
		        (!on_device || row->choice.device) && (!best || row->seconds.least < best->seconds.least))
			best = row;
	return best;
}

const struct advice_row *advise_fastest_device(const struct advice *advice, const struct suite *suite)
{
	return fastest(advice, suite->cipher, 8 * suite->key_bytes, -1, true);
}

/* A row ties with the best one if half of its runs took no longer, or if the predictions differ by less than their
 * error. */
static double equal_limit(const struct advice *advice, const struct advice_row *best)
{
	return advice->measured ? best->seconds.middle : best->seconds.most;
}

void advise_verdict(struct verdict *verdict, const struct advice *advice, const struct cipher *cipher, unsigned bits)
{
	const struct advice_row *best = fastest(advice, cipher, bits, -1, false);

	*verdict = (struct verdict){ 0 };
	if (!best)
		return;
	verdict->equal[verdict->n_equal++] = best;
	for (const struct advice_row *row = advice->rows; row < advice->rows + advice->n_rows; row++)
		if (row != best && takes_part(advice, row, cipher, bits) &&
		        row->seconds.least <= equal_limit(advice, best) && verdict->n_equal < MAX_ADVICE_EQUAL)
			verdict->equal[verdict->n_equal++] = row;
	verdict->next = fastest(advice, cipher, bits, equal_limit(advice, best), false);
	if (verdict->next)
		verdict->factor = verdict->next->seconds.least / best->seconds.least;
}
