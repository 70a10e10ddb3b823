#include <string.h>
#include <unistd.h>

#include "cli/luks/volume.h"

static const uint8_t magic[] = { 'L', 'U', 'K', 'S', 0xba, 0xbe };

bool luks_found(const struct source *source)
{
	uint8_t start[sizeof magic];

	return pread(source->fd, start, sizeof start, 0) == (ssize_t)sizeof start &&
	       memcmp(start, magic, sizeof magic) == 0;
}
