/* A tree, or the bytes of a file, into an archive: the source of an encryption, made piece by piece as it is asked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/tree/bundle_state.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"
#include "cli/terminal/memory.h"
#include "command/message.h"

int bundle_failed(int status, struct archive *archive, const char *name, const char *what)
{
	const char *why = libarchive.error_string(archive);

	return fail((enum gpucrypt_status)status, "%s: %s: %s", name, what, why ? why : "libarchive does not say why");
}

static void warn_of_entry(const struct bundle *bundle, const char *path, const char *what, const char *why)
{
	message_warning(NULL, "%s/%s: %s%s%s", bundle->name, path, what, why ? ": " : "", why ? why : "");
}

void bundle_miss(struct bundle *bundle, const char *path, const char *what, const char *why)
{
	bundle->n_incomplete++;
	warn_of_entry(bundle, path, what, why);
}

static void note_entry(const struct bundle *bundle, const char *path, const char *what)
{
	if (!bundle->terms.quiet)
		warn_of_entry(bundle, path, what, NULL);
}

/* Skip the output itself, and sockets, which no archive holds. */
static bool left_out(struct bundle *bundle, const struct place *place)
{
	const struct stat *skip = &bundle->terms.skip;

	if (place->stat.st_dev == skip->st_dev && place->stat.st_ino == skip->st_ino)
		return true;
	if (S_ISSOCK(place->stat.st_mode))
		note_entry(bundle, place->path, "a socket: left out");
	return S_ISSOCK(place->stat.st_mode);
}

static void count_entry(struct counted *counted, const char *path)
{
	if (counted->n++ == 0)
		snprintf(counted->first, sizeof counted->first, "%s", path);
}

static void warn_of_restore(const struct bundle *bundle, const struct counted *counted, const char *what)
{
	if (counted->n > 0 && !bundle->terms.quiet)
		message_warning(
		        bundle->name, "only root can restore %s: %llu, first %s", what, counted->n, counted->first);
}

/* Archive the second and later names of a file as links to the first name. Regular files only: extraction rejects a
 * link to a symbolic link. */
static void find_link(struct bundle *bundle, struct archive_entry **entry, const struct place *place)
{
	struct archive_entry *spare = NULL;

	if (S_ISREG(place->stat.st_mode) && place->stat.st_nlink > 1)
		libarchive.entry_linkify(bundle->links, entry, &spare);
	if (libarchive.entry_hardlink(*entry))
		libarchive.entry_sparse_clear(*entry);
	libarchive.entry_free(spare); /* NULL with the strategy of tar */
}

/* Is a name of the entry no UTF-8?  libarchive warns, and stores the names as bytes with hdrcharset=BINARY. */
static bool has_bytes_as_names(struct archive_entry *entry)
{
	return (libarchive.entry_pathname(entry) && !libarchive.entry_pathname_utf8(entry)) ||
	       (libarchive.entry_hardlink(entry) && !libarchive.entry_hardlink_utf8(entry)) ||
	       (libarchive.entry_symlink(entry) && !libarchive.entry_symlink_utf8(entry)) ||
	       (libarchive.entry_uname(entry) && !libarchive.entry_uname_utf8(entry)) ||
	       (libarchive.entry_gname(entry) && !libarchive.entry_gname_utf8(entry));
}

/* libarchive takes names for text in the locale's encoding, and pax archives hold UTF-8: in the locale of UTF-8 names
 * stay as they are. */
static int write_header(struct bundle *bundle, struct archive_entry *entry)
{
	locale_t outside = uselocale(bundle->utf8);
	int result = libarchive.write_header(bundle->archive, entry);

	if (result == ARCHIVE_WARN && has_bytes_as_names(entry))
		result = ARCHIVE_OK;
	uselocale(outside);
	return result;
}

/* *archived: the entry's content can follow. */
static int announce(struct bundle *bundle, struct archive_entry *entry, const struct place *place, bool *archived)
{
	int result = write_header(bundle, entry);

	*archived = result != ARCHIVE_FAILED;
	if (result == ARCHIVE_FATAL)
		return bundle_pack_failed(bundle);
	if (result != ARCHIVE_OK)
		bundle_miss(bundle, place->path, *archived ? "archived in part" : "left out",
		        libarchive.error_string(bundle->archive));
	return GPUCRYPT_OK;
}

/* Head of one entry; fd is the tree's from now on, or closed. */
static int add(struct bundle *bundle, struct place *place)
{
	struct archive_entry *entry = memory_or_exit(libarchive.entry_new2(bundle->archive));
	bool content, archived;
	int status;

	if (S_ISBLK(place->stat.st_mode) || S_ISCHR(place->stat.st_mode))
		count_entry(&bundle->devices, place->path);
	if (place->stat.st_uid != geteuid())
		count_entry(&bundle->of_others, place->path);
	if (!entry_fill(entry, bundle->disk, place))
		bundle_miss(bundle, place->path, "not everything about it can be read",
		        libarchive.error_string(bundle->disk));
	find_link(bundle, &entry, place);
	content = S_ISREG(place->stat.st_mode) && !libarchive.entry_hardlink(entry);
	if (content)
		bundle_copy_measure(bundle, place, entry);
	status = announce(bundle, entry, place, &archived);
	if (status == GPUCRYPT_OK && archived && content && bundle->file.size > 0) {
		bundle_copy_begin(bundle, place, entry);
		place->fd = -1;
		return status;
	}
	bundle_copy_end(bundle);
	libarchive.entry_free(entry);
	return status;
}

/* The folder's entries come next. */
static void enter(struct bundle *bundle, int fd)
{
	if (walk_enter(&bundle->walk, fd))
		return;
	if (errno != EXDEV)
		bundle_miss(bundle, bundle->walk.path ? bundle->walk.path : ".", "cannot be listed", strerror(errno));
	else
		note_entry(bundle, bundle->walk.path, "another file system: its content is left out");
}

/* A second thread that opens each file slows down the reading of a tree that is in memory.  The thread is started when
 * the reader has waited for storage (voluntary context switches) at least once for every four names. */
#define WATCHED_NAMES 32

static void follow(struct bundle *bundle)
{
	struct rusage used;
	long n_waits = bundle->n_waits;

	ahead_follow(bundle->ahead);
	if (++bundle->n_names % WATCHED_NAMES != 0 || bundle->ahead || getrusage(RUSAGE_THREAD, &used) != 0)
		return;
	bundle->n_waits = used.ru_nvcsw;
	if (used.ru_nvcsw - n_waits >= WATCHED_NAMES / 4)
		bundle->ahead = ahead_open(bundle->terms.fd, &bundle->terms.limits, bundle->n_names);
}

static int add_next(struct bundle *bundle)
{
	struct place place = { .fd = -1 };
	int status = GPUCRYPT_OK;

	place.name = walk_next(&bundle->walk, &place.folder_fd);
	follow(bundle);
	if (!place.name)
		return bundle_pack_finish(bundle);
	place.path = bundle->walk.path;
	if (strlen(place.path) + sizeof "/" > PATH_MAX) { /* libarchive adds a slash to a folder's name */
		bundle_miss(bundle, place.path, "left out", strerror(ENAMETOOLONG));
		return GPUCRYPT_OK;
	}
	if (place_open(&place) != 0) {
		bundle_miss(bundle, place.path, errno == ENOENT ? "vanished: left out" : "left out",
		        errno == ENOENT ? NULL : strerror(errno));
		return GPUCRYPT_OK;
	}
	if (!left_out(bundle, &place))
		status = add(bundle, &place);
	if (place.fd < 0)
		return status;
	if (status == GPUCRYPT_OK && S_ISDIR(place.stat.st_mode))
		enter(bundle, place.fd);
	else
		close(place.fd);
	return status;
}

/* The tree itself, by its own descriptor and a copy of that. */
static int add_root(struct bundle *bundle)
{
	struct place place = { .folder_fd = bundle->terms.fd, .name = ".", .path = "." };
	int status;

	bundle->started = true;
	if (place_open(&place) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot be read: %s", bundle->terms.name, strerror(errno));
	status = add(bundle, &place);
	if (status == GPUCRYPT_OK) {
		bundle->walk.limits = &bundle->terms.limits;
		enter(bundle, place.fd);
	} else
		close(place.fd);
	return status;
}

void *bundle_map(size_t n_bytes, int protection)
{
	void *bytes = mmap(NULL, n_bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory_or_exit(bytes == MAP_FAILED ? NULL : bytes);
}

static int open_archive(struct bundle *bundle)
{
	struct archive *archive = bundle->archive;

	bundle->disk = memory_or_exit(libarchive.read_disk_new());
	bundle->links = memory_or_exit(libarchive.entry_linkresolver_new());
	bundle->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	bundle->zeros = bundle_map(ZEROS_BYTES, PROT_READ);
	libarchive.read_disk_set_standard_lookup(bundle->disk);
	libarchive.entry_linkresolver_set_strategy(bundle->links, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE);
	if (libarchive.write_set_format_pax(archive) != ARCHIVE_OK ||
	        libarchive.write_set_format_option(archive, "pax", "xattrheader", "SCHILY") != ARCHIVE_OK)
		return bundle_pack_failed(bundle);
	return bundle_pack_start(bundle);
}

/* As for a file that is not compressed. */
static int check_length(const struct bundle *bundle)
{
	const struct source *plain = &bundle->plain;

	return plain->size_bytes == UINT64_MAX || plain->size_bytes == bundle->n_plain
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_IO, "%s: its size changed while it was read: %" PRIu64 " bytes, then %" PRIu64,
	                         plain->name, plain->size_bytes, bundle->n_plain);
}

static int compress_piece(struct bundle *bundle)
{
	size_t got;
	int status = source_read(&bundle->plain, bundle->piece, PIECE_BYTES, &got);

	if (status != GPUCRYPT_OK)
		return status;
	bundle->n_plain += got;
	if (got > 0 && libarchive.write_data(bundle->archive, bundle->piece, got) != (la_ssize_t)got)
		return bundle_pack_failed(bundle);
	return got == PIECE_BYTES ? GPUCRYPT_OK : check_length(bundle) ?: bundle_pack_finish(bundle);
}

int bundle_step(struct bundle *bundle)
{
	if (bundle->terms.fd < 0)
		return compress_piece(bundle);
	if (!bundle->started)
		return add_root(bundle);
	return bundle->file.entry ? bundle_copy(bundle) : add_next(bundle);
}

/* libarchive compresses archives: this one is the bytes of its only entry. */
static int start_compression(struct bundle *bundle)
{
	struct archive_entry *entry = memory_or_exit(libarchive.entry_new());
	int status;

	libarchive.entry_set_filetype(entry, AE_IFREG);
	status = libarchive.write_set_format_raw(bundle->archive) == ARCHIVE_OK ? bundle_pack_start(bundle)
	                                                                        : bundle_pack_failed(bundle);
	if (status == GPUCRYPT_OK && libarchive.write_header(bundle->archive, entry) != ARCHIVE_OK)
		status = bundle_pack_failed(bundle);
	libarchive.entry_free(entry);
	return status;
}

int bundle_open(struct bundle **opened, struct source *source, const struct bundle_terms *terms)
{
	struct bundle *bundle = *opened = memory_or_exit(calloc(1, sizeof *bundle));
	bool tree = terms->fd >= 0;

	bundle->terms = *terms;
	bundle->name = path_trim(terms->name);
	bundle->plain = *source;
	bundle->file.place.fd = -1;
	bundle->piece = memory_or_exit(malloc(PIECE_BYTES));
	bundle_pack_open(bundle, source);
	source->content = !tree ? CONTENT_BYTES_ZSTD : terms->zstd_level != 0 ? CONTENT_PAX_ZSTD : CONTENT_PAX;
	return tree ? open_archive(bundle) : start_compression(bundle);
}

int bundle_result(const struct bundle *bundle)
{
	warn_of_restore(bundle, &bundle->devices, "device nodes (see dec --devices)");
	warn_of_restore(bundle, &bundle->of_others, "the owners of files");
	if (bundle->n_incomplete == 0)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_IO, "%s: encrypted, but %llu of its files not as they were", bundle->terms.name,
	        bundle->n_incomplete);
}

void bundle_close(struct bundle *bundle)
{
	if (!bundle)
		return;
	if (bundle->file.entry) {
		bundle->file.short_told = true; /* it was left, which is no news about it */
		bundle_copy_end(bundle);
	}
	ahead_close(bundle->ahead);
	bundle_pack_close(bundle);
	libarchive.read_free(bundle->disk);
	libarchive.entry_linkresolver_free(bundle->links);
	if (bundle->utf8)
		freelocale(bundle->utf8);
	walk_close(&bundle->walk);
	if (bundle->zeros)
		munmap(bundle->zeros, ZEROS_BYTES);
	wipe(bundle->piece, PIECE_BYTES);
	free(bundle->piece);
	free(bundle->name);
	free(bundle);
}
