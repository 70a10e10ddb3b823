/* From a file to a tree: parse.c with libclang, parse_none.c where there is none. */
#ifndef PARSE_H
#define PARSE_H

#include "ppf/analysis/analyze.h"
#include "ppf/analysis/tree.h"

/* Read the function and all that it calls.  Statuses as analyze(); unit_free() in any case. */
int unit_read(struct unit *unit, const struct analysis *analysis);

#endif
