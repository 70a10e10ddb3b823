/* In place of parse.c where there is no libclang. */
#include "gpucrypt/status.h"
#include "ppf/analysis/analyze.h"
#include "ppf/analysis/tree.h"
#include "ppf/isolate.h"

bool analyze_available(void)
{
	return false;
}

void unit_read(struct unit *unit, const struct analysis *analysis)
{
	(void)unit;
	isolate_end(
	        fail(GPUCRYPT_UNKNOWN, "%s: not analysed: this program was built without libclang", analysis->file));
}
