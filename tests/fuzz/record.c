/* Device records.  What parses is written to a text that parses to the same record. */
#include "tests/fuzz/input.h"

#include "ppf/record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static struct record record, again;
	struct fuzz_input input = { bytes, n_bytes };
	char *text = take_text(&input), *written, *rewritten, name[32];
	int fd = memory_file(bytes, n_bytes, name);

	succeeded(record_read(&record, name));
	close(fd);
	succeeded(record_read(&record, name));
	if (succeeded(record_parse(&record, text, "record.json"))) {
		written = record_text(&record);
		MUST(written != NULL && record_parse(&again, written, "again") == GPUCRYPT_OK);
		rewritten = record_text(&again);
		MUST(rewritten != NULL && strcmp(written, rewritten) == 0);
		record_cycles(&record, (enum resource)0, 3);
		record_table_load_cycles(&record, 256);
		cpu_speed_name(name, "aes", 256, "ctr", true);
		record_cpu_speed(&record, name);
		free(written);
		free(rewritten);
	}
	free(text);
	return 0;
}
