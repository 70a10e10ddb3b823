/* Members of an archive by paths and patterns: an entry is visited if and only if a path, or a pattern by the rules of
 * fnmatch(3), is its name or that of a folder above it, and no excluded pattern is, and folders around it before it.
 * Bytes of the input are characters of names. */
#include "tests/fuzz/input.h"

#include <fnmatch.h>

#include "cli/tree/bundle.h"

#define MAX_PATHS   4
#define MAX_ENTRIES 32
#define NAME_BYTES  24

struct visits {
	bool member;      /* of the present entry */
	unsigned folders; /* before it */
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	MUST(libarchive_load("fuzz") == GPUCRYPT_OK);
	return 0;
}

/* A name of 1 to NAME_BYTES characters, from a small set so that names and patterns often match. */
static void take_name(struct fuzz_input *input, char name[NAME_BYTES + 1])
{
	static const char characters[] = "ab./*?[]-!\\\xff";
	unsigned n = 1 + take_byte(input) % NAME_BYTES;

	for (unsigned i = 0; i < n; i++)
		name[i] = characters[take_byte(input) % (sizeof characters - 1)];
	name[n] = '\0';
}

/* Remove ./ at the start, and for a path slashes at the end. */
static void trim(char *to, const char *name, bool end)
{
	size_t n;

	while (name[0] == '.' && name[1] == '/')
		for (name++; *name == '/'; name++)
			;
	strcpy(to, strcmp(name, ".") == 0 ? "" : name);
	for (n = strlen(to); end && n > 1 && to[n - 1] == '/'; n--)
		to[n - 1] = '\0';
}

static bool covers(const char *path, const char *name)
{
	char start[NAME_BYTES + 3];
	bool pattern = strpbrk(path, "*?[") != NULL;

	for (size_t n = 0; n <= strlen(name); n++) {
		if (name[n] != '/' && name[n] != '\0' && !(n == 0 && *path == '\0'))
			continue;
		memcpy(start, name, n);
		start[n] = '\0';
		if (strcmp(path, start) == 0 || (pattern && fnmatch(path, start, 0) == 0))
			return true;
	}
	return false;
}

static bool names(const char *given, const char *entry)
{
	char path[NAME_BYTES + 1], name[NAME_BYTES + 1];

	trim(path, given, true);
	trim(name, entry, false);
	return covers(path, name);
}

/* Of ./NAME every part that begins the name or is behind a slash counts; what matches the directory itself does not. */
static bool leaves_out(const char *pattern, const char *entry)
{
	char path[NAME_BYTES + 1], name[NAME_BYTES + 3] = "./";
	size_t n = strlen(pattern);

	while (n > 1 && pattern[n - 1] == '/')
		n--;
	snprintf(path, sizeof path, "%.*s", (int)n, pattern);
	trim(name + 2, entry, true);
	if (!name[2])
		return false;
	for (size_t i = 0; name[i]; i++)
		if ((i == 0 && !covers(path, ".") && covers(path, name)) ||
		        (name[i] == '/' && covers(path, name + i + 1)))
			return true;
	return false;
}

static int visit(void *self, struct archive *archive, struct archive_entry *entry)
{
	struct visits *visits = self;
	const char *name = libarchive.entry_pathname(entry);

	MUST(!visits->member && name != NULL);
	visits->member = archive != NULL;
	if (archive)
		return GPUCRYPT_OK;
	MUST(libarchive.entry_filetype(entry) == AE_IFDIR);
	visits->folders++;
	return GPUCRYPT_OK;
}

static void check_entry(struct fuzz_input *input, struct selection *selection, bool found[MAX_PATHS])
{
	struct archive_entry *entry = libarchive.entry_new();
	struct visits visits = { 0 };
	char name[NAME_BYTES + 1];
	bool member = selection->n_paths == 0, excluded = false;
	char archive;

	take_name(input, name);
	libarchive.entry_copy_pathname(entry, name);
	libarchive.entry_set_filetype(entry, take_byte(input) & 1 ? AE_IFDIR : AE_IFREG);
	for (size_t i = 0; i < selection->excluded->n; i++)
		excluded |= leaves_out(selection->excluded->names[i], name);
	for (unsigned i = 0; i < selection->n_paths && !excluded; i++) {
		bool named = names(selection->paths[i].given, name);

		found[i] |= named;
		member |= named;
	}
	MUST(succeeded(selection_visit(selection, (struct archive *)&archive, entry, visit, &visits)));
	MUST(visits.member == (member && !excluded));
	MUST(visits.member || visits.folders == 0);
	libarchive.entry_free(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	char paths[MAX_PATHS][NAME_BYTES + 1], pattern[NAME_BYTES + 1], *members[MAX_PATHS];
	struct options options = OPTIONS_DEFAULT;
	unsigned how = take_byte(&input);
	struct parsed parsed = { .members = members, .n_members = how % (MAX_PATHS + 1) };
	bool found[MAX_PATHS] = { false }, all = true;
	struct name_list excluded = { 0 };
	struct selection selection;

	for (unsigned i = 0; i < parsed.n_members; i++) {
		take_name(&input, paths[i]);
		members[i] = paths[i];
	}
	if (how & 64) {
		take_name(&input, pattern);
		options.exclude = (struct text_list){ { pattern }, 1 };
	}
	MUST(succeeded(patterns_read(&excluded, &options)));
	MUST(succeeded(selection_open(&selection, &parsed, &excluded, "fuzz", (how & 128) != 0)));
	for (unsigned i = 0; i < MAX_ENTRIES && input.n_bytes > 0; i++)
		check_entry(&input, &selection, found);
	for (unsigned i = 0; i < parsed.n_members; i++)
		all &= found[i];
	if (all || parsed.n_members == 1) /* it warns of a second path that names nothing */
		MUST(succeeded(selection_result(&selection)) == all);
	selection_close(&selection);
	name_list_free(&excluded);
	return 0;
}
