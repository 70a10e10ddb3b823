/* bench --from: read the JSON of an earlier run, print it and draw it. */
#include "tests/fuzz/input.h"

#include <jansson.h>

#include "cli/bench/bench.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static FILE *nowhere;
	struct bench bench = { 0 };
	char name[32];
	int fd = memory_file(bytes, n_bytes, name);
	json_t *json;

	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	if (succeeded(bench_read(&bench, name))) {
		bench_print(nowhere, &bench);
		bench_plot_script(nowhere, &bench);
		bench_complete(&bench);
		json = bench_json(&bench);
		MUST(json != NULL);
		json_decref(json);
	}
	bench_free(&bench);
	close(fd);
	return 0;
}
