/* gcrypt key list: the key slots of a container. */
#include "command.h"
#include "describe.h"

int cmd_key(const struct options *options)
{
	return describe(options->operands[1], options, false);
}
