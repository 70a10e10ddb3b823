/* gcrypt enc: files into containers, or with --raw through the bare cipher. */
#include "command.h"
#include "transform.h"

int cmd_enc(const struct options *options)
{
	static const struct transform encryption = { .direction = ENCRYPT };

	return transform_files(&encryption, options);
}
