/* A device record from published micro-benchmarks, by the rules of rules.json: derived, never measured. */
#ifndef PPF_RECORD_DERIVE_H
#define PPF_RECORD_DERIVE_H

#include "ppf/record/records.h"

/*
 * Derive a record from a table of figures, from results of clpeak (JSON or XML), or from both (NULL: there is none); a
 * figure of the table takes precedence.  *text, which the caller frees, is the record's text (records_parse()), with a
 * member "origins" that says of each figure where it was given or by which rule it was derived.  Errors: GPUCRYPT_IO;
 * GPUCRYPT_CORRUPT: a file is damaged or has an unknown figure, or a required figure is missing.
 */
int record_derive(char **text, const char *table, const char *clpeak);

extern const struct builtin_record derivation_rules[]; /* one text */

#endif
