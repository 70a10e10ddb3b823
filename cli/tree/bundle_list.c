#include "cli/tree/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpucrypt/status.h"
#include "cli/terminal/memory.h"
#include "command/json.h"
#include "command/message.h"

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
