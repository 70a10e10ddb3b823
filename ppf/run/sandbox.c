#include "ppf/run/sandbox.h"

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/libseccomp.h"
#include "ppf/shared_library.h"

static struct {
	LIBSECCOMP_FUNCTIONS(SHARED_LIBRARY_MEMBER)
} libseccomp;

int sandbox_load(const char *needed_by)
{
	static struct shared_library library = { .file = LIBSECCOMP,
		.package = "libseccomp2",
		.names = LIBSECCOMP_FUNCTIONS(SHARED_LIBRARY_NAME),
		.functions = &libseccomp };

	return shared_library_load(&library, needed_by);
}

bool sandbox_enter(int program, const char *path)
{
	static const int calls[] = { SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(exit), SCMP_SYS(exit_group) };
	scmp_filter_ctx filter = libseccomp.init(SCMP_ACT_KILL_PROCESS);
	bool added = filter && libseccomp.attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;

	for (size_t i = 0; added && i < sizeof calls / sizeof *calls; i++)
		added = libseccomp.rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
	return added &&
	       libseccomp.rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(execveat), 2,
	               SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)program), SCMP_A1(SCMP_CMP_EQ, (uintptr_t)path)) == 0 &&
	       libseccomp.load(filter) == 0;
}
