#include "cli/transform/in_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/files/output_name.h"
#include "cli/terminal/message.h"
#include "gpucrypt/container/in_place_find.h"
#include "gpucrypt/status.h"

#define JOURNAL_SUFFIX ".journal"

/* One of the three files: image, detached header or journal. */
struct place {
	const char *name;     /* not owned */
	struct source source; /* fd -1: not open */
	bool kept;            /* another program uses the file, or a key lies in it */
};

/* The image is the input of the job. */
struct in_place_files {
	struct place image, side, journal;
	struct in_place files;
};

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

static int name_places(struct job_file *file, const char *image)
{
	struct in_place_files *places = file->in_place;

	file->input.name = file->output.name = places->image.name = image;
	if (asprintf(&file->detached.side_name, "%s" CONTAINER_SUFFIX, image) < 0)
		file->detached.side_name = NULL;
	if (asprintf(&file->journal_name, "%s" CONTAINER_SUFFIX JOURNAL_SUFFIX, image) < 0)
		file->journal_name = NULL;
	places->side.name = file->detached.side_name;
	places->journal.name = file->journal_name;
	return places->side.name && places->journal.name ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

/* Create the detached header and the journal as empty files. */
static int create_others(struct job *job, struct in_place_files *places)
{
	const int created = O_RDWR | O_CREAT | O_NOFOLLOW;
	char *folder = folder_name(places->side.name);
	int status = open_place(&places->side, created, &job->keys);

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

/* A dry run creates nothing; the detached header exists if an earlier run was interrupted. */
static int open_existing_side(struct job *job, struct in_place_files *places)
{
	if (access(places->side.name, F_OK) != 0)
		return GPUCRYPT_OK;
	return open_place(&places->side, O_RDWR | O_NOFOLLOW, &job->keys);
}

static int look_at_files(struct job *job, struct job_file *file, const char *operand)
{
	struct in_place_files *places = file->in_place = malloc(sizeof *places);
	int status;

	if (!places)
		return fail(GPUCRYPT_OTHER, "out of memory");
	*places = (struct in_place_files){ .image.source.fd = -1,
		.side.source.fd = -1,
		.journal.source.fd = -1,
		.files = { &places->image.source, &places->side.source, &places->journal.source, -1,
		        job->options->force } };
	status = name_places(file, operand);
	if (status == GPUCRYPT_OK)
		status = open_place(&places->image, O_RDWR, &job->keys);
	file->input.source = places->image.source;
	if (status == GPUCRYPT_OK)
		status = detached_image_check(&places->image.source, plan_sector_log2(job->options));
	if (status != GPUCRYPT_OK)
		return status;
	return job->options->dry_run ? open_existing_side(job, places) : create_others(job, places);
}

/* A dry run reads no secret: take the plan of an interrupted run from the header without authentication. */
static void preview_start(struct job_file *file)
{
	struct examined_header examined;

	if (in_place_examine(&file->in_place->side.source, &examined) &&
	        examined.unauthenticated.layout == LAYOUT_DETACHED)
		plan_preview(&file->plan, &examined, ENCRYPT);
}

/* Continue an interrupted run with its cipher, mode and sizes. */
static int plan_by_start(struct job *job, struct job_file *file)
{
	struct authenticated_header header;
	enum start_found record;
	struct file_keys keys;
	bool found;
	int status = in_place_find(&found, &record, &header, &keys, &file->in_place->files, &job->secret.secret);

	wipe(&keys, sizeof keys);
	if (status == GPUCRYPT_OK && found)
		plan_of_header(&file->plan, &header, ENCRYPT);
	return status;
}

/* To continue an interrupted run, ask for the passphrase once instead of twice. */
static int unlock_file(struct job *job, struct job_file *file)
{
	struct examined_header unused;
	int status = plan_file(&file->plan, job->options, NULL, ENCRYPT);

	if (status != GPUCRYPT_OK)
		return status;
	if (job->options->dry_run) {
		preview_start(file);
		return GPUCRYPT_OK;
	}
	status = job_get_secret(job, file, !in_place_examine(&file->in_place->side.source, &unused));
	return status == GPUCRYPT_OK ? plan_by_start(job, file) : status;
}

static int run_in_place(
        struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	(void)sink;
	return container_encrypt_in_place(
	        &file->in_place->files, &file->plan.run, &job->secret.secret, progress, &file->report);
}

/* Remove the journal of a completed run, and empty files that this run or an interrupted run created. */
static void remove_unused(struct in_place_files *places, bool done)
{
	struct place *const made[] = { &places->journal, &places->side };
	struct stat there;

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		if (made[i]->source.fd >= 0 && !made[i]->kept && fstat(made[i]->source.fd, &there) == 0 &&
		        S_ISREG(there.st_mode) && there.st_nlink == 1 &&
		        (there.st_size == 0 || (done && made[i] == &places->journal)))
			unlink(made[i]->name);
}

static int close_places(struct job *job, struct job_file *file, int status)
{
	struct in_place_files *places = file->in_place;
	struct stat there;

	if (!places)
		return status;
	if (status != GPUCRYPT_OK && status != GPUCRYPT_EXISTS && places->journal.source.fd >= 0 &&
	        fstat(places->journal.source.fd, &there) == 0 && there.st_size > 0 && !job->options->quiet)
		message_warning(file->input.name, "encrypted in part: the same command continues");
	if (!job->options->dry_run)
		remove_unused(places, status == GPUCRYPT_OK);
	if (!job->options->dry_run && status == GPUCRYPT_OK)
		status = folder_sync(places->files.folder_fd, places->side.name);
	if (places->side.source.fd >= 0)
		close(places->side.source.fd);
	if (places->journal.source.fd >= 0)
		close(places->journal.source.fd);
	if (places->files.folder_fd >= 0)
		close(places->files.folder_fd);
	free(places);
	return status;
}

const struct job_kind in_place_kind = { .direction = ENCRYPT,
	.has_plan = true,
	.chooses = true,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = run_in_place,
	.close = close_places };
