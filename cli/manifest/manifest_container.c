/* Is a file the container of a record? */
#include "cli/manifest/manifest.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/container/page.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

static bool read_all(int fd, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	return pread(fd, bytes, n_bytes, (off_t)offset) == (ssize_t)n_bytes;
}

/* The header is not authenticated: a wrong size of groups leads to other bytes, which are not the recorded MAC. */
static bool read_final_mac(uint8_t mac[MAC_BYTES], int fd, uint64_t size_bytes)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct examined_header examined;
	unsigned group_log2;
	uint64_t n_groups;

	if (!read_all(fd, copies, sizeof copies, 0))
		return false;
	if (header_examine(&examined, copies) != GPUCRYPT_OK) {
		fail_clear();
		return false;
	}
	group_log2 = examined.unauthenticated.group_log2;
	n_groups = layout_groups_in(group_log2, size_bytes);
	return n_groups > 0 && read_all(fd, mac, MAC_BYTES, layout_page_offset(group_log2, n_groups - 1) + PAGE_MAC);
}

bool manifest_has_container(const struct manifest_record *record)
{
	int fd = open(record->container, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	uint8_t mac[MAC_BYTES];
	struct stat there;
	bool same;

	if (fd < 0)
		return false;
	same = fstat(fd, &there) == 0 && S_ISREG(there.st_mode) && read_final_mac(mac, fd, (uint64_t)there.st_size) &&
	       memcmp(mac, record->digest, sizeof mac) == 0;
	close(fd);
	return same;
}
