/* Members of an archive that are chosen, and their list. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/terminal/memory.h"
#include "cli/tree/bundle.h"
#include "command/json.h"
#include "command/message.h"
#include "gpucrypt/status.h"

struct folder_around {
	struct folder_around *around;
	struct archive_entry *entry; /* owned */
	bool visited;
};

/* The tree's own folder is the empty name. */
static const char *skip_dots(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 1 + strspn(name + 1, "/");
	return strcmp(name, ".") == 0 ? name + 1 : name;
}

/* noted: note every path that names it. */
static bool find_member(struct selection *selection, const char *name, bool noted)
{
	bool found = false;

	for (unsigned i = 0; i < selection->n_paths; i++)
		if (path_covers(selection->paths[i].path, skip_dots(name))) {
			selection->paths[i].found |= noted;
			found = true;
		}
	return found;
}

static void leave_folder(struct selection *selection)
{
	struct folder_around *folder = selection->folders;

	selection->folders = folder->around;
	libarchive.entry_free(folder->entry);
	free(folder);
}

/* A folder comes before what is in it (gcrypt(5)). */
static void leave_folders(struct selection *selection, const char *name)
{
	while (selection->folders) {
		char *folder = path_trim(skip_dots(libarchive.entry_pathname(selection->folders->entry)));
		const char *rest = path_below(folder, strlen(folder), skip_dots(name));

		free(folder);
		if (rest && *rest)
			return;
		leave_folder(selection);
	}
}

/* Copy name, mode, owner and times of a folder, but no access control list, no extended attributes, and no owner's name
 * that is longer than any system allows: a container of 100 KB can make these huge, and the copies of all folders of a
 * path stay in memory. */
static struct archive_entry *copy_folder(struct archive_entry *entry)
{
	struct archive_entry *copy = memory_or_exit(libarchive.entry_new());
	const char *user = libarchive.entry_uname(entry), *group = libarchive.entry_gname(entry);

	libarchive.entry_copy_stat(copy, libarchive.entry_stat(entry));
	libarchive.entry_unset_atime(copy);
	libarchive.entry_unset_ctime(copy);
	libarchive.entry_unset_birthtime(copy);
	libarchive.entry_copy_pathname(copy, libarchive.entry_pathname(entry));
	if (user && strlen(user) <= NAME_MAX)
		libarchive.entry_copy_uname(copy, user);
	if (group && strlen(group) <= NAME_MAX)
		libarchive.entry_copy_gname(copy, group);
	return copy;
}

/* Longer names are refused when they are made. */
static void enter_folder(struct selection *selection, struct archive_entry *entry)
{
	struct folder_around *folder;

	if (!selection->extracts || libarchive.entry_filetype(entry) != AE_IFDIR ||
	        strlen(libarchive.entry_pathname(entry)) >= PATH_MAX)
		return;
	folder = memory_or_exit(malloc(sizeof *folder));
	*folder = (struct folder_around){ selection->folders, copy_folder(entry), false };
	selection->folders = folder;
}

static int visit_folders(struct folder_around *folder,
        int (*visit)(void *self, struct archive *archive, struct archive_entry *entry), void *self)
{
	int status;

	if (!folder || folder->visited)
		return GPUCRYPT_OK;
	status = visit_folders(folder->around, visit, self);
	folder->visited = true;
	return status ?: visit(self, NULL, folder->entry);
}

/* The tree's own folder is never excluded. */
static bool excluded(const struct selection *selection, const char *name)
{
	name = skip_dots(name);
	return *name && patterns_exclude(selection->excluded, ".", name);
}

static bool chosen(struct selection *selection, const char *name, bool noted)
{
	return !excluded(selection, name) && (selection->n_paths == 0 || find_member(selection, name, noted));
}

/* The content is that of another name, which the archive has before. */
static bool misses_content(struct selection *selection, struct archive_entry *entry)
{
	const char *target = libarchive.entry_hardlink(entry);

	if (!selection->extracts || !target || chosen(selection, target, false))
		return false;
	selection->n_missed_links++;
	message_warning(selection->name,
	        "'%s' is not extracted: its content is stored under the name '%s': choose that name too",
	        libarchive.entry_pathname(entry), target);
	return true;
}

int selection_visit(struct selection *selection, struct archive *archive, struct archive_entry *entry,
        int (*visit)(void *self, struct archive *archive, struct archive_entry *entry), void *self)
{
	const char *name = libarchive.entry_pathname(entry);

	if (!name)
		return visit(self, archive, entry);
	leave_folders(selection, name);
	if (!chosen(selection, name, true)) {
		enter_folder(selection, entry);
		return GPUCRYPT_OK;
	}
	selection->n_members++;
	if (misses_content(selection, entry))
		return GPUCRYPT_OK;
	return visit_folders(selection->folders, visit, self) ?: visit(self, archive, entry);
}

int selection_open(struct selection *selection, const struct parsed *parsed, const struct name_list *excluded,
        const char *name, bool extracts)
{
	*selection = (struct selection){ .name = name, .excluded = excluded, .extracts = extracts };
	if (parsed->n_members == 0)
		return GPUCRYPT_OK;
	selection->paths = memory_or_exit(calloc(parsed->n_members, sizeof *selection->paths));
	for (; selection->n_paths < parsed->n_members; selection->n_paths++) {
		struct selected_path *path = &selection->paths[selection->n_paths];

		path->given = parsed->members[selection->n_paths];
		if (!*path->given)
			return fail(GPUCRYPT_USAGE, "%s: a PATH after -- is empty", name);
		path->path = path_trim(skip_dots(path->given));
	}
	return GPUCRYPT_OK;
}

/* One path is the failure, the others are reported before it. */
int selection_result(const struct selection *selection)
{
	const char *first = NULL;

	for (unsigned i = 0; i < selection->n_paths; i++) {
		const struct selected_path *path = &selection->paths[i];

		if (!path->found && first)
			message_warning(selection->name, "no member matches '%s'", path->given);
		else if (!path->found)
			first = path->given;
	}
	if (first)
		return fail(GPUCRYPT_IO, "%s: no member matches " QUOTED_NAME " (gcrypt list prints the names)",
		        selection->name, first);
	if (selection->n_missed_links > 0)
		return fail(GPUCRYPT_IO, "%s: decrypted, but %llu hard links not: their content was not chosen",
		        selection->name, selection->n_missed_links);
	return GPUCRYPT_OK;
}

void selection_close(struct selection *selection)
{
	while (selection->folders)
		leave_folder(selection);
	for (unsigned i = 0; i < selection->n_paths; i++)
		free(selection->paths[i].path);
	free(selection->paths);
	selection->paths = NULL;
	selection->n_paths = 0;
}

static const struct {
	unsigned type;
	const char *name;
} kinds[] = { { AE_IFREG, "file" }, { AE_IFDIR, "directory" }, { AE_IFLNK, "symbolic link" }, { AE_IFIFO, "fifo" },
	{ AE_IFCHR, "character device" }, { AE_IFBLK, "block device" } };

static const char *kind(struct archive_entry *entry)
{
	if (libarchive.entry_hardlink(entry))
		return "hard link";
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].type == libarchive.entry_filetype(entry))
			return kinds[i].name;
	return "unknown";
}

static const char *target(struct archive_entry *entry)
{
	const char *hard = libarchive.entry_hardlink(entry);

	return hard ? hard : libarchive.entry_symlink(entry);
}

/* One line for each name, different for different names: backslash and newline as \\ and \n, and
 * each byte that message_clean() replaces as \ooo. */
static void print_name(const char *name)
{
	char *clean = strdup(name);

	if (clean)
		message_clean(clean, true);
	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '\\')
			fputs("\\\\", stdout);
		else if (name[i] == '\n')
			fputs("\\n", stdout);
		else if (!clean || clean[i] != name[i])
			printf("\\%03o", (unsigned char)name[i]);
		else
			putchar(name[i]);
	}
	free(clean);
}

/* Print an entry as `ls -l` does: type and mode, owner and group, size, time of last change in UTC. */
static void print_details(struct archive_entry *entry)
{
	time_t changed = libarchive.entry_mtime(entry);
	const char *user = libarchive.entry_uname(entry), *group = libarchive.entry_gname(entry);
	char when[32] = "?";
	struct tm tm;

	if (gmtime_r(&changed, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
	printf("%s ", libarchive.entry_strmode(entry));
	if (user && group) {
		print_name(user);
		putchar('/');
		print_name(group);
	} else
		printf("%lld/%lld", (long long)libarchive.entry_uid(entry), (long long)libarchive.entry_gid(entry));
	printf(" %12lld %s ", (long long)libarchive.entry_size(entry), when);
}

static void print_text(const struct listing *listing, struct archive_entry *entry)
{
	if (listing->verbose)
		print_details(entry);
	print_name(libarchive.entry_pathname(entry));
	if (listing->verbose && target(entry)) {
		fputs(libarchive.entry_hardlink(entry) ? " link to " : " -> ", stdout);
		print_name(target(entry));
	}
	putchar('\n');
}

static void print_json(const struct listing *listing, struct archive_entry *entry)
{
	json_t *object = json_object();
	char mode[8];

	json_set_name(object, "name", libarchive.entry_pathname(entry));
	json_set(object, "type", json_string(kind(entry)));
	snprintf(mode, sizeof mode, "%04o", (unsigned)libarchive.entry_perm(entry));
	json_set(object, "mode", json_string(mode));
	json_set(object, "uid", json_integer(libarchive.entry_uid(entry)));
	json_set(object, "gid", json_integer(libarchive.entry_gid(entry)));
	json_set(object, "size", json_count((uint64_t)libarchive.entry_size(entry)));
	json_set(object, "mtime", json_integer(libarchive.entry_mtime(entry)));
	if (target(entry))
		json_set_name(object, "target", target(entry));
	fputs(listing->n_entries ? ",\n  " : "{\"entries\": [\n  ", stdout);
	if (json_dumpf(object, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) != 0 && !ferror(stdout))
		memory_or_exit(NULL);
	json_decref(object);
}

static int visit(void *self, struct archive *archive, struct archive_entry *entry)
{
	struct listing *listing = self;

	(void)archive;
	if (!libarchive.entry_pathname(entry))
		return fail(GPUCRYPT_CORRUPT, "an entry of the archive in it has no name");
	(listing->json ? print_json : print_text)(listing, entry);
	listing->n_entries++;
	return ferror(stdout) ? fail(GPUCRYPT_IO, "standard output: cannot write") : GPUCRYPT_OK;
}

static int finish(void *self)
{
	const struct listing *listing = self;

	if (listing->json)
		puts(listing->n_entries ? "\n]}" : "{\"entries\": []}");
	return GPUCRYPT_OK;
}

struct bundle_visitor listing_visitor(struct listing *listing, struct selection *selection)
{
	return (struct bundle_visitor){ .self = listing, .visit = visit, .finish = finish, .selection = selection };
}
