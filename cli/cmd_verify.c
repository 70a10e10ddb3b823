/* gcrypt verify: authenticate everything in a container, write nothing. */
#include "command.h"
#include "transform.h"

int cmd_verify(const struct options *options)
{
	static const struct transform verification = { .direction = DECRYPT, .verifies = true };

	return transform_files(&verification, options);
}
