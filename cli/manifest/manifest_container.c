/* Is a file the container of a record? */
#include "cli/manifest/manifest.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/container/page.h"

static bool read_all(int fd, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	return pread(fd, bytes, n_bytes, (off_t)offset) == (ssize_t)n_bytes;
}

/* The final page is where the size of the groups puts it; no other 32 bytes of the file are the recorded MAC. */
static bool has_final_mac(int fd, uint64_t size_bytes, const uint8_t recorded[MAC_BYTES])
{
	uint8_t mac[MAC_BYTES];

	for (unsigned log2 = GROUP_LOG2_MIN; log2 <= GROUP_LOG2_MAX; log2++) {
		uint64_t n_groups = layout_groups_in(log2, size_bytes);

		if (n_groups > 0 && read_all(fd, mac, sizeof mac, layout_page_offset(log2, n_groups - 1) + PAGE_MAC) &&
		        memcmp(mac, recorded, sizeof mac) == 0)
			return true;
	}
	return false;
}

bool manifest_has_container(const struct manifest_record *record)
{
	int fd = open(record->container, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat there;
	bool same;

	if (fd < 0)
		return false;
	same = fstat(fd, &there) == 0 && S_ISREG(there.st_mode) &&
	       has_final_mac(fd, (uint64_t)there.st_size, record->digest);
	close(fd);
	return same;
}
