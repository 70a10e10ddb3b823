/* dec --part: one of several runs that decrypt into NAME.part; the last one to end gives the file its name. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/transform/job.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/status.h"

/* NAME.part and the state of its parts: the state of the job_file. */
struct parts_output {
	struct part_decryption decryption;
	struct part_number part;
	struct source file; /* NAME.part */
	bool is_complete;   /* all parts are: it gets its name */
	bool others_run;    /* so it is not known what is missing */
	char missing[PART_LIST_BYTES];
};

/* Preparing. */

static int start_file(struct parts_output *parts, struct job_file *file)
{
	return output_start_part(&file->output)
	               ?: job_open_part(&parts->file, file)
	               ?: part_decryption_start(&parts->decryption, &parts->file, parts->part.count)
	               ?: output_name_part(&file->output, false);
}

/* An earlier run must have started the file for the same version of the container and the same number of parts. */
static int prepare_part(struct job *job, struct job_file *file)
{
	struct parts_output *parts = file->state;
	bool there = true;
	int status;

	parts->part = parts_number(job->options);
	status = part_decryption_open(&parts->decryption, job_source(file), job_secrets(job), &file->report)
	                 ?: output_open_part(&file->output, &there);
	if (status == GPUCRYPT_OK && !there)
		status = start_file(parts, file);
	return status ?: output_lock_part(&file->output, parts->part.number)
	               ?: job_open_part(&parts->file, file)
	               ?: part_decryption_check(&parts->decryption, &parts->file, parts->part.count);
}

/* Running.  A file without start record was complete, all but its name. */

static int run_part(struct job *job, struct job_file *file)
{
	struct parts_output *parts = file->state;

	(void)job;
	if (parts->decryption.is_cut)
		return GPUCRYPT_OK;
	return part_record_renew(&file->output, &parts->part)
	               ?: part_decryption_run(&parts->decryption, file->sink, &parts->part, &file->plan.run,
	                          file->progress, &file->report);
}

/* Finishing. */

static int store_record(struct parts_output *parts, const struct output *output)
{
	uint8_t record[START_RECORD_BYTES];

	return part_decryption_record(&parts->decryption, parts->part.number, record)
	               ?: part_record_store(output, &parts->part, record);
}

static int check_record(struct parts_output *parts, const struct output *output, uint64_t number)
{
	const struct part_number part = { number, parts->part.count };
	uint8_t record[START_RECORD_BYTES];
	bool good;
	int status = part_record_load(output, &part, record, &good);

	if (status == GPUCRYPT_OK && good)
		status = part_decryption_compare(&parts->decryption, number, record, &good);
	if (status == GPUCRYPT_OK && !good)
		part_list_add(parts->missing, number);
	return status;
}

static int check_records(struct parts_output *parts, const struct job_file *file)
{
	int status = GPUCRYPT_OK;

	for (uint64_t i = 1; status == GPUCRYPT_OK && i <= parts->part.count; i++)
		status = check_record(parts, &file->output, i);
	parts->is_complete = status == GPUCRYPT_OK && parts->missing[0] == '\0';
	if (status == GPUCRYPT_OK && !parts->is_complete && parts->decryption.is_cut)
		status = fail(GPUCRYPT_EXISTS, "%s: not overwritten: it has no start record of this container's parts",
		        file->part_name);
	return status;
}

/* A run gives its lock up before it tries to get all: of the runs that end at the same time, the last one gets them.  A
 * run that works holds a lock, and its record is not valid. */
static int finish_part(struct job *job, struct job_file *file)
{
	struct parts_output *parts = file->state;
	struct output *output = &file->output;
	bool locked = false;
	int status = (parts->decryption.is_cut ? GPUCRYPT_OK : store_record(parts, output))
	                     ?: output_lock_all_parts(output, parts->part.number, &locked);

	(void)job;
	if (status != GPUCRYPT_OK)
		return status;
	parts->others_run = !locked;
	if (locked)
		status = check_records(parts, file);
	if (status != GPUCRYPT_OK || !parts->is_complete)
		return status;
	/* The sync gives the complete file its mode and time. */
	return part_decryption_cut(&parts->decryption, &parts->file) ?: output_take_part(output) ?: output_sync(output);
}

static int close_part(struct job *job, struct job_file *file, int status)
{
	struct parts_output *parts = file->state;

	(void)job;
	/* Until the file got its name, only the records showed that it is complete. */
	if (status == GPUCRYPT_OK && parts->is_complete)
		status = output_open_folder(&file->output) ?: part_records_remove(&file->output, parts->part.count);
	reader_close(&parts->decryption.reader);
	return status;
}

static void report_part(const struct job *job, const struct job_file *file)
{
	const struct parts_output *parts = file->state;
	const char *name = file->output.name;

	(void)job;
	if (parts->is_complete)
		fprintf(stderr, "%s: complete: all %" PRIu64 " parts\n", name, parts->part.count);
	else if (parts->others_run)
		fprintf(stderr,
		        "%s: part %" PRIu64 " of %" PRIu64
		        " is complete; another run still writes the file, or has completed it\n",
		        name, parts->part.number, parts->part.count);
	else
		fprintf(stderr, "%s: part %" PRIu64 " of %" PRIu64 " is complete; missing: %s\n", name,
		        parts->part.number, parts->part.count, parts->missing);
}

const struct job_kind dec_part_kind = { DEC_CONTAINER_STEPS, .state_bytes = sizeof(struct parts_output),
	.choose_output = parts_choose_output, .prepare = prepare_part, .run = run_part, .check_stored = finish_part,
	.report = report_part, .close = close_part };
