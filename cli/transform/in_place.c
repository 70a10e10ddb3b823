/* enc --in-place and dec --in-place: convert an image in place.  The detached header, and a journal during the run, lie
 * beside it. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/files/output.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "cli/transform/job.h"
#include "gpucrypt/container/in_place/in_place.h"
#include "gpucrypt/status.h"

#define JOURNAL_SUFFIX ".journal"

/* One of the three files: image, detached header or journal. */
struct place {
	const char *name;     /* not owned */
	struct source source; /* fd -1: not open */
	bool kept;            /* another program uses the file, or a key lies in it */
};

/* The state of the file.  The input of the job is the image when encrypting, the detached header when decrypting. */
struct in_place_files {
	struct place image, side, journal;
	struct in_place files;
};

static struct in_place_files *places_of(const struct job_file *file)
{
	return file->state;
}

static int open_place(struct place *place, int flags, const struct key_files *keys)
{
	struct stat there;
	int fd = open(place->name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, S_IRUSR | S_IWUSR);

	place->source.fd = fd;
	if (fd < 0 || fstat(fd, &there) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", place->name, strerror(errno));
	if (!S_ISREG(there.st_mode))
		return fail(GPUCRYPT_USAGE, "%s: --in-place is for regular files", place->name);
	if (flags & O_CREAT && (there.st_uid != geteuid() || there.st_nlink != 1))
		return fail(GPUCRYPT_EXISTS, "%s: exists: not overwritten", place->name);
	place->kept = true;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return fail(GPUCRYPT_EXISTS, "%s: another program is using it", place->name);
	if (key_files_spare(keys, &there, place->name, "overwritten") != GPUCRYPT_OK)
		return GPUCRYPT_EXISTS;
	place->kept = false;
	return source_open(&place->source, fd, place->name);
}

static void init_places(const struct job *job, struct in_place_files *places)
{
	*places = (struct in_place_files){ .image.source.fd = -1,
		.side.source.fd = -1,
		.journal.source.fd = -1,
		.files = { &places->image.source, &places->side.source, &places->journal.source, -1,
		        job->options->force } };
}

/* The other name is that of the detached header when encrypting, that of the image when decrypting: the file that the
 * plan shows as the output. */
static void name_places(struct job_file *file, const char *operand, char *other, bool encrypts)
{
	struct in_place_files *places = file->state;

	file->input.name = operand;
	file->detached.side_name = other;
	places->image.name = file->output.name = encrypts ? operand : other;
	places->side.name = encrypts ? other : operand;
	places->journal.name = file->journal_name = format_or_exit("%s" JOURNAL_SUFFIX, places->side.name);
}

/* Create the journal as an empty file, and before it, when encrypting, the detached header. */
static int create_others(struct job *job, struct in_place_files *places)
{
	const int created = O_RDWR | O_CREAT | O_NOFOLLOW;
	char *folder = folder_name(places->side.name);
	int status = job_encrypts(job) ? open_place(&places->side, created, &job->keys) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK)
		status = open_place(&places->journal, created, &job->keys);
	if (status == GPUCRYPT_OK) {
		places->files.folder_fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (places->files.folder_fd < 0)
			status =
			        fail(GPUCRYPT_IO, "%s: cannot open its folder: %s", places->side.name, strerror(errno));
	}
	free(folder);
	return status;
}

static int look_at_image(struct job *job, struct job_file *file, const char *operand)
{
	struct in_place_files *places = file->state;
	int status;

	init_places(job, places);
	if (job->options->output)
		return fail(GPUCRYPT_USAGE, "--in-place: not with --output");
	name_places(file, operand, format_or_exit("%s" CONTAINER_SUFFIX, operand), true);
	status = open_place(&places->image, O_RDWR, &job->keys);
	file->input.source = places->image.source;
	if (status == GPUCRYPT_OK)
		status = detached_image_check(&places->image.source, plan_sector_log2(job->options));
	if (status != GPUCRYPT_OK)
		return status;
	if (!job->options->dry_run)
		return create_others(job, places);
	/* A dry run creates nothing; the detached header exists if an earlier run was interrupted. */
	return access(places->side.name, F_OK) == 0 ? open_place(&places->side, O_RDWR | O_NOFOLLOW, &job->keys)
	                                            : GPUCRYPT_OK;
}

/* A dry run reads no secret: take the plan of an interrupted run from the header without authentication. */
static void preview_start(struct job_file *file)
{
	struct examined_header examined;

	if (in_place_examine(&places_of(file)->side.source, &examined) &&
	        examined.unauthenticated.layout == LAYOUT_DETACHED)
		plan_preview(&file->plan, &examined, ENCRYPT);
}

/* Continue an interrupted run with its cipher, mode and sizes. */
static int plan_by_start(struct job *job, struct job_file *file)
{
	struct authenticated_header header;
	struct file_keys keys;
	bool found;
	int status = in_place_find(&found, &header, &keys, &places_of(file)->files, &job->secret.secret);

	wipe(&keys, sizeof keys);
	if (status == GPUCRYPT_OK && found)
		plan_of_header(&file->plan, &header, ENCRYPT);
	return status;
}

/* To continue an interrupted run, ask for the passphrase once instead of twice. */
static int unlock_image(struct job *job, struct job_file *file)
{
	struct examined_header unused;
	int status = plan_file(&file->plan, job->options, NULL, ENCRYPT);

	if (status != GPUCRYPT_OK)
		return status;
	if (job->options->dry_run) {
		preview_start(file);
		return GPUCRYPT_OK;
	}
	return job_get_secret(job, file, !in_place_examine(&places_of(file)->side.source, &unused))
	               ?: plan_by_start(job, file);
}

static int convert_image(struct job *job, struct job_file *file)
{
	return (job_encrypts(job) ? container_encrypt_in_place : container_decrypt_in_place)(
	        &places_of(file)->files, &file->plan.run, &job->secret.secret, file->progress, &file->report);
}

static void close_places(struct job_file *file)
{
	struct in_place_files *places = file->state;
	struct place *const all[] = { &places->image, &places->side, &places->journal };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i]->source.fd >= 0)
			close(all[i]->source.fd);
	if (places->files.folder_fd >= 0)
		close(places->files.folder_fd);
	file->input.source.fd = -1; /* one of these */
}

/* A file that this run or an interrupted run created, and that nobody else uses; and its size. */
static bool may_remove(const struct place *place, off_t *size)
{
	struct stat there;

	if (place->source.fd < 0 || place->kept || fstat(place->source.fd, &there) != 0)
		return false;
	*size = there.st_size;
	return S_ISREG(there.st_mode) && there.st_nlink == 1;
}

static void warn_of_part(const struct job *job, const struct job_file *file, int status)
{
	const struct place *journal = &places_of(file)->journal;
	struct stat there;

	if (status != GPUCRYPT_OK && status != GPUCRYPT_EXISTS && journal->source.fd >= 0 &&
	        fstat(journal->source.fd, &there) == 0 && there.st_size > 0 && !job->options->quiet)
		message_warning(file->input.name, "%s in part: the same command continues",
		        job_encrypts(job) ? "encrypted" : "decrypted");
}

/* Remove the journal of a completed run, and an empty one. */
static void remove_journal(const struct in_place_files *places, bool done)
{
	off_t size;

	if (may_remove(&places->journal, &size) && (done || size == 0))
		unlink(places->journal.name);
}

static int look_at_header(struct job *job, struct job_file *file, const char *operand)
{
	struct in_place_files *places = file->state;
	char *image;
	int status = detached_name_image(&image, job->options, operand);

	init_places(job, places);
	if (status != GPUCRYPT_OK)
		return status;
	name_places(file, operand, image, false);
	status = open_place(&places->side, O_RDWR | O_NOFOLLOW, &job->keys);
	if (status == GPUCRYPT_OK) {
		file->input.source = places->side.source;
		status = plan_file(&file->plan, job->options, &file->input, DECRYPT);
	}
	if (status == GPUCRYPT_OK && file->plan.sector_log2 == 0)
		status = fail(GPUCRYPT_USAGE, "%s: not a detached header: only images are decrypted in place", operand);
	if (status == GPUCRYPT_OK)
		status = open_place(&places->image, O_RDWR, &job->keys);
	return status == GPUCRYPT_OK && !job->options->dry_run ? create_others(job, places) : status;
}

static int unlock_header(struct job *job, struct job_file *file)
{
	int status;

	if (job->options->dry_run)
		return GPUCRYPT_OK;
	status = job_get_secret(job, file, false) ?: job_authenticate(job, file);
	places_of(file)->side.source.unlocked = file->input.source.unlocked;
	return status;
}

static int remove_place(const struct in_place_files *places, const struct place *place)
{
	if (unlink(place->name) != 0)
		return fail_errno(place->name, "cannot be removed");
	return folder_sync(places->files.folder_fd, place->name);
}

/* The journal is removed first: a journal without a detached header would look like data loss. */
static int remove_others(const struct in_place_files *places)
{
	int status = remove_place(places, &places->journal) ?: remove_place(places, &places->side);

	if (status != GPUCRYPT_OK)
		message_failure(NULL, status);
	return status;
}

/* After success, journal and detached header of a decryption are superfluous, and the name of that of an encryption is
 * synced. */
static int close_conversion(struct job *job, struct job_file *file, int status)
{
	struct in_place_files *places = file->state;
	const bool dry = job->options->dry_run, done = status == GPUCRYPT_OK;
	off_t size;

	warn_of_part(job, file, status);
	if (!dry && done && !job_encrypts(job))
		status = remove_others(places);
	else if (!dry)
		remove_journal(places, done);
	if (!dry && job_encrypts(job) && may_remove(&places->side, &size) && size == 0)
		unlink(places->side.name);
	if (!dry && job_encrypts(job) && done)
		status = folder_sync(places->files.folder_fd, places->side.name);
	close_places(file);
	return status;
}

#define IN_PLACE_STEPS                                                                                         \
	.state_bytes = sizeof(struct in_place_files), .has_plan = true, .chooses = true, .run = convert_image, \
	.close = close_conversion

const struct job_kind enc_in_place_kind = { IN_PLACE_STEPS, .direction = ENCRYPT, .look = look_at_image,
	.unlock = unlock_image };
const struct job_kind dec_in_place_kind = { IN_PLACE_STEPS, .direction = DECRYPT, .look = look_at_header,
	.unlock = unlock_header };
