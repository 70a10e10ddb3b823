/* Words of the command line that a shell may have made of a file's name: `*.gcr` also stands for a
 * file that is called --new-recipient=m.gcr.  Both programs ask here before they take a word as an
 * option. */
#ifndef PPF_OPTION_WORD_H
#define PPF_OPTION_WORD_H

#include <stdbool.h>

/* Does it look like an option?  Neither - nor -- does. */
bool option_word(const char *word);

/* GPUCRYPT_USAGE where it comes after an operand, or is also the name of a file in the working
 * folder. */
int option_word_check(const char *word, bool after_operand);

#endif
