/* Extraction of an archive: whatever it is, nothing appears outside of its folder, and all of it can be
 * removed.  The first byte says whether it is in zstd, whether permissions are restored, and whether members are
 * chosen. */
#include "tests/fuzz/input.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tree/bundle.h"
#include "cli/files/folder.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

static char around[] = "/tmp/gcrypt-fuzz-extract-XXXXXX";
static int around_fd = -1;

static void leave(void)
{
	remove_tree(AT_FDCWD, around);
}

static void start(void)
{
	if (around_fd >= 0)
		return;
	MUST(mkdtemp(around) != NULL);
	atexit(leave);
	around_fd = open(around, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	MUST(around_fd >= 0);
}

static unsigned n_entries(void)
{
	DIR *folder = opendir(around);
	unsigned n = 0;

	MUST(folder != NULL);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n - 2; /* . and .. */
}

static void extract(int folder_fd, unsigned how, const uint8_t *bytes, size_t n_bytes)
{
	static char folder[] = "./sub/", pattern[] = "*[a-k]";
	char *members[] = { folder, pattern };
	const struct parsed parsed = { .members = members, .n_members = how & 4 ? 2 : 0 };
	unsigned content = how & 1 ? CONTENT_PAX_ZSTD : CONTENT_PAX;
	struct extraction extraction = { .folder_fd = folder_fd, .name = "fuzz", .same_permissions = (how & 2) != 0 };
	const struct name_list excluded = { 0 };
	struct selection selection;
	struct bundle_visitor visitor = extraction_visitor(&extraction, &selection);
	size_t half = n_bytes / 2;
	struct bundle_sink sink;
	int status;

	MUST(libarchive_load("fuzz") == GPUCRYPT_OK);
	MUST(selection_open(&selection, &parsed, &excluded, "fuzz", true) == GPUCRYPT_OK);
	status = bundle_sink_open(&sink, content, "fuzz", &visitor);
	if (status == GPUCRYPT_OK)
		status = sink.handoff.sink.write(&sink.handoff.sink, bytes, half, 0);
	if (status == GPUCRYPT_OK)
		status = sink.handoff.sink.write(&sink.handoff.sink, bytes + half, n_bytes - half, half);
	bundle_sink_close(&sink, status);
	selection_close(&selection);
	fail_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	int folder_fd;

	if (n_bytes == 0)
		return 0;
	start();
	MUST(mkdirat(around_fd, "tree", S_IRWXU) == 0);
	folder_fd = openat(around_fd, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	MUST(folder_fd >= 0);
	extract(folder_fd, bytes[0], bytes + 1, n_bytes - 1);
	close(folder_fd);
	MUST(n_entries() == 1);
	MUST(remove_tree(around_fd, "tree") == 0);
	return 0;
}
