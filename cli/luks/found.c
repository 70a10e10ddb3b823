#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/luks/volume.h"
#include "gpucrypt/status.h"

static const uint8_t magic[] = { 'L', 'U', 'K', 'S', 0xba, 0xbe };

int luks_found(bool *found, const struct source *source)
{
	uint8_t start[sizeof magic];
	ssize_t n;

	do
		n = pread(source->fd, start, sizeof start, 0);
	while (n < 0 && errno == EINTR);
	*found = n == (ssize_t)sizeof start && memcmp(start, magic, sizeof magic) == 0;
	return n >= 0 || errno == ESPIPE ? GPUCRYPT_OK : fail_errno(source->name, "cannot read");
}
