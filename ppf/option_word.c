#include "option_word.h"

#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/status.h"

bool option_word(const char *word)
{
	return word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0;
}

int option_word_check(const char *word, bool after_operand)
{
	struct stat there;
	int name_bytes = (int)strcspn(word, "="); /* the value may be a secret */

	if (after_operand)
		return fail(GPUCRYPT_USAGE,
		        "%.*s: comes after an operand: put options first, or write ./%.*s for a "
		        "file of this name",
		        name_bytes, word, name_bytes, word);
	if (lstat(word, &there) == 0)
		return fail(GPUCRYPT_USAGE,
		        "%s: an option, and the name of a file here: write ./%s for the file, else "
		        "rename it",
		        word, word);
	return GPUCRYPT_OK;
}
