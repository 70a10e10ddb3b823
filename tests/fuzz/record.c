/* Records.  What parses is written to a text that parses to the same records, and what is derived from published
 * figures parses. */
#include "tests/fuzz/input.h"

#include "ppf/record/records.h"

static void derive(const char *table, const char *clpeak)
{
	static struct device_record device;
	char *text;

	if (succeeded(record_derive(&text, table, clpeak)))
		MUST(device_record_parse(&device, text, "derived") == GPUCRYPT_OK && device.derived);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static struct device_record device, other_device;
	static struct host_record host, other_host;
	static struct storage_record storage, other_storage;
	const struct records records = { &device, &host, &storage },
	                     others = { &other_device, &other_host, &other_storage };
	const struct suite suite = { &cipher_aes, &modes[MODE_CTR], 32, ENCRYPT };
	struct fuzz_input input = { bytes, n_bytes };
	char *text = take_text(&input), *written, *rewritten, name[32];
	int fd = memory_file(bytes, n_bytes, name);

	succeeded(records_parse(&records, NULL, name));
	derive(name, NULL);
	derive(NULL, name);
	close(fd);
	succeeded(records_parse(&records, NULL, name));
	succeeded(records_parse(&(struct records){ .host = &host }, text, "host.json"));
	succeeded(records_parse(&(struct records){ .storage = &storage }, text, "storage.json"));
	if (succeeded(records_parse(&records, text, "record.json"))) {
		written = records_text(&records);
		MUST(written != NULL && records_parse(&others, written, "again") == GPUCRYPT_OK);
		rewritten = records_text(&others);
		MUST(rewritten != NULL && strcmp(written, rewritten) == 0);
		device_record_cycles(&device, (enum resource)0, 3);
		curve_cycles(&device.table_load, 256);
		cpu_speed_name(name, &suite, "vaes512");
		cpu_speed_find(&host.cpu, name);
		MUST(file_write("/dev/null/record.json", written) != GPUCRYPT_OK);
		fail_clear();
		free(written);
		free(rewritten);
	}
	free(text);
	written = records_text(&(struct records){ .host = &host }); /* a part alone, whatever was parsed of it */
	MUST(written != NULL && records_builtin(name) == NULL);
	free(written);
	return 0;
}
