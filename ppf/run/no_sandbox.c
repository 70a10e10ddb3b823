/* Without libseccomp. */
#include "gpucrypt/status.h"
#include "ppf/run/sandbox.h"

int sandbox_load(const char *needed_by)
{
	return fail(GPUCRYPT_UNKNOWN, "%s: not run: this program was built without libseccomp", needed_by);
}

bool sandbox_enter(int program, const char *path)
{
	(void)program, (void)path;
	return false;
}
