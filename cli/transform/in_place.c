#include "cli/transform/in_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "gpucrypt/container/in_place_find.h"
#include "gpucrypt/status.h"
#include "cli/terminal/message.h"
#include "cli/files/output_name.h"
#include "cli/secrets/pem_file.h"
#include "cli/transform/plan.h"
#include "cli/terminal/progress.h"
#include "cli/secrets/secret.h"

#define JOURNAL_SUFFIX ".journal"

/* One of the three files. */
struct place {
	char *name;           /* owned */
	struct source source; /* fd -1: not open */
	bool kept;            /* another program uses it, or a key lies there */
};

struct conversion {
	const struct options *options;
	struct key_files keys; /* none of them may be one of the places */
	struct place image, side, journal;
	struct in_place files;
	struct file_plan plan;
	struct secret *secret;             /* not owned; read when the first image needs it */
	const struct pem_keys *recipients; /* not owned */
	struct machine **machine;          /* not owned */
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

static int name_places(struct conversion *conversion, const char *image)
{
	conversion->image.name = strdup(image);
	if (asprintf(&conversion->side.name, "%s" CONTAINER_SUFFIX, image) < 0)
		conversion->side.name = NULL;
	if (asprintf(&conversion->journal.name, "%s" CONTAINER_SUFFIX JOURNAL_SUFFIX, image) < 0)
		conversion->journal.name = NULL;
	return conversion->image.name && conversion->side.name && conversion->journal.name
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_OTHER, "out of memory");
}

/* The image itself is only looked at. */
static int open_image(struct conversion *conversion)
{
	const struct options *options = conversion->options;
	int status = open_place(&conversion->image, O_RDWR, &conversion->keys);

	if (status == GPUCRYPT_OK)
		status = detached_image_check(&conversion->image.source, plan_sector_log2(options));
	return status;
}

/* Nothing is changed but that the files are there. */
static int open_others(struct conversion *conversion)
{
	const int created = O_RDWR | O_CREAT | O_NOFOLLOW;
	char *folder = folder_name(conversion->side.name);
	int status = open_place(&conversion->side, created, &conversion->keys);

	if (status == GPUCRYPT_OK)
		status = open_place(&conversion->journal, created, &conversion->keys);
	if (status == GPUCRYPT_OK) {
		conversion->files.folder_fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (conversion->files.folder_fd < 0)
			status = fail(
			        GPUCRYPT_IO, "%s: cannot open its folder: %s", conversion->side.name, strerror(errno));
	}
	free(folder);
	return status;
}

/* A dry run has no secret. */
static int preview_start(struct conversion *conversion)
{
	struct examined_header examined;

	if (in_place_examine(&conversion->side.source, &examined) && examined.unauthenticated.layout == LAYOUT_DETACHED)
		plan_preview(&conversion->plan, &examined, ENCRYPT);
	return GPUCRYPT_OK;
}

/* What an earlier run started is continued with its cipher, mode and sizes. */
static int plan_by_start(struct conversion *conversion)
{
	struct authenticated_header header;
	enum start_found record;
	struct file_keys keys;
	bool found;
	int status = in_place_find(&found, &record, &header, &keys, &conversion->files, &conversion->secret->secret);

	wipe(&keys, sizeof keys);
	if (status == GPUCRYPT_OK && found)
		plan_of_header(&conversion->plan, &header, ENCRYPT);
	return status;
}

static int choose_plan(struct conversion *conversion)
{
	const struct options *options = conversion->options;
	const struct output output = { .kind = OUTPUT_NAMED, .name = conversion->image.name };
	struct plan_lines lines;
	int status = plan_file(&conversion->plan, options, NULL, ENCRYPT);

	if (status == GPUCRYPT_OK)
		status = options->dry_run ? preview_start(conversion) : plan_by_start(conversion);
	if (status == GPUCRYPT_OK)
		status = plan_choose(
		        &conversion->plan, options, &conversion->image.source, &output, conversion->machine);
	if (status != GPUCRYPT_OK || !(options->verbose || options->dry_run))
		return status;
	plan_describe(&lines, options, &conversion->plan, conversion->image.name, conversion->side.name);
	if (options->dry_run && options->json)
		return plan_print_json(&lines);
	plan_print(options->dry_run ? stdout : stderr, &lines);
	return GPUCRYPT_OK;
}

static int convert(struct conversion *conversion)
{
	const struct options *options = conversion->options;
	struct progress progress;
	struct report report;
	int status;

	progress_begin(&progress, conversion->image.name, NULL, options);
	status = container_encrypt_in_place(&conversion->files, &conversion->plan.run, &conversion->secret->secret,
	        progress_callback(&progress), &report);
	progress_end(&progress);
	if (report.engine_note[0] && !options->quiet)
		message_warning(NULL, "%s", report.engine_note);
	return status;
}

/* A journal that is done with goes, and what was created and never written to, by this run or one that was
 * stopped. */
static int clean(struct conversion *conversion, int status)
{
	struct place *const made[] = { &conversion->journal, &conversion->side };
	struct stat there;

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		if (made[i]->source.fd >= 0 && !made[i]->kept && fstat(made[i]->source.fd, &there) == 0 &&
		        S_ISREG(there.st_mode) && there.st_nlink == 1 &&
		        (there.st_size == 0 || (status == GPUCRYPT_OK && made[i] == &conversion->journal)))
			unlink(made[i]->name);
	if (status == GPUCRYPT_OK)
		status = folder_sync(conversion->files.folder_fd, conversion->side.name);
	return status;
}

static void close_places(struct conversion *conversion)
{
	struct place *const places[] = { &conversion->image, &conversion->side, &conversion->journal };

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (places[i]->source.fd >= 0)
			close(places[i]->source.fd);
		free(places[i]->name);
	}
	if (conversion->files.folder_fd >= 0)
		close(conversion->files.folder_fd);
}

static void say_failure(const struct conversion *conversion, int status)
{
	const char *image = conversion->image.name;
	int journal = conversion->journal.source.fd;
	struct stat there;

	message_failure(
	        message_names(conversion->side.name) || message_names(conversion->journal.name) ? NULL : image, status);
	if (status != GPUCRYPT_EXISTS && journal >= 0 && fstat(journal, &there) == 0 && there.st_size > 0 &&
	        !conversion->options->quiet)
		message_warning(image, "encrypted in part: the same command continues");
}

/* The passphrase of an image that is continued is asked for once. */
static int get_secret(const struct conversion *conversion)
{
	struct examined_header unused;
	bool started = in_place_examine((struct source *)&conversion->side.source, &unused);
	int status = GPUCRYPT_OK;

	if (!conversion->secret->bytes)
		status = secret_read(conversion->secret, conversion->options, &conversion->options->opening,
		        KEY_FILE_BYTES, conversion->image.name, !started);
	if (conversion->options->opening.recipients.n > 0)
		conversion->secret->secret.next = conversion->recipients->list;
	return status;
}

/* What has been begun, if anything has, is planned as it is. */
static int look_at_side(struct conversion *conversion)
{
	if (access(conversion->side.name, F_OK) != 0)
		return GPUCRYPT_OK;
	return open_place(&conversion->side, O_RDWR | O_NOFOLLOW, &conversion->keys);
}

static int encrypt_one(const struct options *options, const char *name, struct secret *secret,
        const struct pem_keys *recipients, struct machine **machine)
{
	struct conversion conversion = { .options = options,
		.keys = key_files_of(options),
		.image.source.fd = -1,
		.side.source.fd = -1,
		.journal.source.fd = -1,
		.files = { &conversion.image.source, &conversion.side.source, &conversion.journal.source, -1,
		        options->force },
		.secret = secret,
		.recipients = recipients,
		.machine = machine };
	bool dry = options->dry_run;
	int status = name_places(&conversion, name);

	if (status == GPUCRYPT_OK)
		status = open_image(&conversion);
	if (status == GPUCRYPT_OK)
		status = dry ? look_at_side(&conversion) : open_others(&conversion);
	if (status == GPUCRYPT_OK && !dry)
		status = get_secret(&conversion);
	if (status == GPUCRYPT_OK)
		status = choose_plan(&conversion);
	if (status == GPUCRYPT_OK && !dry)
		status = convert(&conversion);
	if (status != GPUCRYPT_OK)
		say_failure(&conversion, status);
	if (!dry)
		status = clean(&conversion, status);
	close_places(&conversion);
	return status;
}

int in_place_encrypt(const struct options *options)
{
	struct secret secret = { 0 };
	struct pem_keys recipients;
	struct machine *machine = NULL;
	int first = recipients_read(&recipients, &options->opening.recipients);

	if (first != GPUCRYPT_OK)
		return first;

	for (unsigned i = 0; i < options->parsed.n_operands; i++) {
		int status = encrypt_one(options, options->parsed.operands[i], &secret, &recipients, &machine);

		if (first == GPUCRYPT_OK)
			first = status;
	}
	secret_wipe(&secret);
	free(machine);
	return first;
}
