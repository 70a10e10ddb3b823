/* gcrypt dec: containers, or with --raw bare ciphertext, back into files. */
#include "command.h"
#include "transform.h"

int cmd_dec(const struct options *options)
{
	static const struct transform decryption = { .direction = DECRYPT };

	return transform_files(&decryption, options);
}
