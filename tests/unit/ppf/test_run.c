/* The translation of a C source to OpenCL C: results on the host, and a planted fault on the device. */
#include "tests/unit/sources.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#include "ppf/isolate.h"
#include "ppf/run/device_run.h"
#include "tests/unit/ppf/language.inc"

#define LANGUAGE "tests/unit/ppf/language.inc"
#define SPECK    "examples/ciphers/speck128.c"
#define BLOCKS   (PERIOD_BLOCKS + 5000)

static struct memory_list memory;
static struct translation translation;
static struct host_results results;

static void run_speck_on_host(void)
{
	const struct translation_request request = {
		.analysis = { .file = SPECK, .function = "speck128_encrypt", .by_value = true, .memory = &memory },
		.memory = &memory,
		.block_bytes = 16
	};

	analyzed(&request.analysis);
	assert_ok(translate(&translation, &request));
	assert_ok(host_run(&results, &translation, NULL, SPECK));
}

/* The compiler of this test and the program that is printed from the tree find the same. */
TEST(host_computes_what_the_source_says)
{
	static const char *const set[] = { "context->rounds=7", NULL };
	const struct translation_request request = { .analysis = { .file = LANGUAGE,
		                                             .function = "language_encrypt",
		                                             .by_value = true,
		                                             .set = set,
		                                             .prepare = "language_prepare(context, random)",
		                                             .memory = &memory },
		.memory = &memory,
		.block_bytes = 16 };
	struct context context;
	uint8_t block[16];

	analyzed(&request.analysis);
	assert_ok(translate(&translation, &request));
	assert_ok(host_run(&results, &translation, NULL, LANGUAGE));
	assert_int_equal(translation.n_bytes[OBJECT_KEY], (sizeof context + 15) / 16 * 16);
	memcpy(&context, results.keys, sizeof context);
	assert_int_equal(context.rounds, 7);
	/* The kernel has the value where the source reads the member. */
	assert_non_null(strstr(translation.kernel, "++) < ((i32 )7u)"));
	for (size_t i = 0; i < PERIOD_BLOCKS; i += 7) {
		language_encrypt(&context, results.plaintext + 16 * i, block);
		assert_memory_equal(block, results.ciphertext + 16 * i, 16);
	}
	host_results_free(&results);
}

/* A program that makes one system call, and then says that it has ended well. */
static int run_call(long number, long a, const char *b, long e)
{
	int status;

	snprintf(translation.host, sizeof translation.host,
	        "static const char text[] = \"%s\";\n"
#if defined(__x86_64__)
	        "static void call(long n, long a, long e) {\n"
	        "\tregister long r10 __asm__(\"r10\") = 0, r8 __asm__(\"r8\") = e;\n"
	        "\t__asm__ volatile(\"syscall\" : \"+a\"(n) : \"D\"(a), \"S\"(text), \"d\"(0L), \"r\"(r10), \"r\"(r8)\n"
	        "\t\t: \"rcx\", \"r11\", \"memory\"); }\n"
#else
	        "static void call(long n, long a, long e) {\n"
	        "\tregister long x8 __asm__(\"x8\") = n, x0 __asm__(\"x0\") = a, x2 __asm__(\"x2\") = 0;\n"
	        "\tregister const char *x1 __asm__(\"x1\") = text;\n"
	        "\tregister long x3 __asm__(\"x3\") = 0, x4 __asm__(\"x4\") = e;\n"
	        "\t__asm__ volatile(\"svc 0\" : \"+r\"(x0) : \"r\"(x8), \"r\"(x1), \"r\"(x2), \"r\"(x3), \"r\"(x4)\n"
	        "\t\t: \"memory\"); }\n"
#endif
	        "void ppf_start(void) { call(%ld, %ld, %ld); for (;;) call(%d, 0, 0); }\n",
	        b, number, a, e, SYS_exit);
	status = host_run(&results, &translation, NULL, "source");
	host_results_free(&results);
	return status;
}

static void run_crashing(void *result, const void *request)
{
	(void)result;
	raise(*(const int *)request);
}

/* Whatever a driver does to the process of the device, the program goes on. */
TEST(crashes_are_reported)
{
	struct isolation isolation = { .name = "f",
		.crashed = "it crashes",
		.late = "it takes too long",
		.status = GPUCRYPT_DEVICE,
		.work = run_crashing,
		.result = &isolation };

	isolation.request = &(int){ SIGKILL }; /* which cmocka does not catch */
	assert_fails_about(isolate(&isolation), GPUCRYPT_DEVICE, "f: it crashes: Killed");
	isolation.request = &(int){ SIGALRM };
	assert_fails_about(isolate(&isolation), GPUCRYPT_DEVICE, "f: stopped: it takes too long");
}

/* The only program that it may execute is itself, by a descriptor that is closed. */
TEST(host_program_has_no_rights)
{
	translation = (struct translation){ .block_bytes = { 16, 16 } };
	assert_fails_about(run_call(SYS_write, 2, "", 0), GPUCRYPT_OTHER, "results are incomplete");
	assert_fails_about(run_call(SYS_openat, AT_FDCWD, "/etc/passwd", 0), GPUCRYPT_CORRUPT, "Bad system call");
	assert_status(run_call(SYS_socket, 2, "", 0), GPUCRYPT_CORRUPT);
	for (int fd = 3; fd < 8; fd++) {
		assert_fails_about(
		        run_call(SYS_execveat, fd, "/bin/true", AT_EMPTY_PATH), GPUCRYPT_CORRUPT, "Bad system call");
	}
}

TEST(device_reports_a_planted_fault)
{
	const struct kernel_config shape = {
		.work_groups = 2, .work_items = 64, .table_space = MEMORY_LOCAL, .key_space = MEMORY_LOCAL
	};
	struct session session;
	struct device_run run;
	double seconds = 0;

	run_speck_on_host();
	assert_ok(session_open(&session, 0));
	assert_ok(device_run_open(&run, &session, &translation, &results, 16 * BLOCKS, SPECK));
	session.plant = true;
	assert_status(device_run_time(&run, &shape, &seconds), GPUCRYPT_CORRUPT);
	session.plant = false;
	device_run_close(&run);
	assert_ok(device_run_open(&run, &session, &translation, &results, 16 * BLOCKS, SPECK));
	assert_ok(device_run_time(&run, &shape, &seconds));
	assert_true(seconds > 0);
	device_run_close(&run);
	session_close(&session);
	host_results_free(&results);
}
