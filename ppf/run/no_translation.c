/* In place of translate*.c where there is no libclang. */
#include "gpucrypt/status.h"
#include "ppf/run/translate.h"

int translate(struct translation *translation, const struct translation_request *request)
{
	(void)translation;
	return fail(
	        GPUCRYPT_OTHER, "%s: not translated: this program was built without libclang", request->analysis.file);
}
