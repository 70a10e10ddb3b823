#include "cli/terminal/start.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/terminal/signals.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/device/loader.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/gpucrypt.h"

/* exit() in a library must reach the handler of signals.c before libcrypto is torn down, which other threads still use:
 * handlers run in reverse order, and libcrypto would register its own later. */
static void keep_libcrypto_until_end(void)
{
	OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

/* A descriptor below 3 that is closed would be taken by the first file opened, and get messages or
 * plaintext.  It is opened the wrong way round, so that using it still fails as it should. */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(GPUCRYPT_IO);
}

/* Keys in memory get into no core file, and no process of the same user reads them. */
static void keep_memory_private(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}

int program_end(int status)
{
	signals_expect_exit();
	if (devices_failed())
		_exit(status);
	return status;
}

void program_start(void)
{
	open_standard_descriptors();
	keep_memory_private();
	icd_environment();
	probe_main();
	keep_libcrypto_until_end();
	signals_install();
}
