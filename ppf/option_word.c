#include "ppf/option_word.h"

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
		        "%s: refused: this option is also the name of a file in the working directory: "
		        "write ./%s for the file, or rename the file to use the option",
		        word, word);
	return GPUCRYPT_OK;
}
