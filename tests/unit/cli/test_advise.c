/* gcrypt advise: who wins, in words and in JSON, on machines that do not exist. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advise/advise.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/h200_machine.h"

#define SIZE     (UINT64_C(16) << 30)
#define MAX_TEXT (1 << 20)

static struct machine *machine; /* of each test */
static struct advice advice;

void test_set_up(void)
{
	machine = h200_machine();
}

void test_tear_down(void)
{
	advise_free(&advice);
	advice = (struct advice){ .n_rows = 0 };
}

static void advise(struct gpucrypt_plan plan)
{
	const struct options options = { .plan = plan, .size_bytes = SIZE };

	advise_free(&advice);
	assert_ok(advise_rows(&advice, machine, &options));
}

static struct advice_row *row_of(const char *name, unsigned bits, bool cpu)
{
	for (struct advice_row *row = advice.rows; row < advice.rows + advice.n_rows; row++)
		if (!strcmp(row->choice.suite.cipher->name, name) && 8 * row->choice.suite.key_bytes == bits &&
		        !row->choice.device == cpu && row->choice.plan.n_parts == 0)
			return row;
	print_error("no row %s %u\n", name, bits);
	abort();
}

/* All rows are slow, but for what a test says. */
static void slow(void)
{
	for (unsigned i = 0; i < advice.n_rows; i++) {
		advice.rows[i].seconds = predicted_range(1000);
		advice.rows[i].choice.end_to_end.seconds = 1000;
	}
}

static char *printed(void (*print)(FILE *, const struct advice *, const json_t *))
{
	char *text = kept_allocate(MAX_TEXT);
	FILE *stream = fmemopen(text, MAX_TEXT, "w");
	json_t *json = advise_json(&advice);

	print(stream, &advice, json);
	json_decref(json);
	fclose(stream);
	return text;
}

static void assert_has(const char *expected)
{
	assert_contains(printed(advise_print), expected);
}

TEST(test_rows)
{
	advise((struct gpucrypt_plan){ 0 });
	assert_int_equal(advice.n_rows, 18); /* one GPU alone is no hybrid */
	assert_int_equal(advice.bits, 256);
	assert_string_equal(advice.mode->name, "ctr");
	for (unsigned i = 0; i < advice.n_rows; i++) {
		const struct choice *choice = &advice.rows[i].choice;

		assert_true(choice->predicted);
		assert_true(choice->end_to_end.seconds > 0);
		assert_true(advice.rows[i].files.seconds >= choice->end_to_end.seconds);
		assert_true(!choice->device || choice->thesis.total_si > choice->thesis.total_sa);
	}
	advise((struct gpucrypt_plan){ .cipher = GPUCRYPT_CAMELLIA, .key_bits = 192, .mode = GPUCRYPT_XTS });
	assert_int_equal(advice.n_rows, 2); /* the CPU and the device */
	assert_int_equal(advice.bits, 192);
	advise((struct gpucrypt_plan){ .engine = GPUCRYPT_CPU });
	assert_int_equal(advice.n_rows, 9);
	advise((struct gpucrypt_plan){ .device = 1 });
	assert_int_equal(advice.n_rows, 9);
}

TEST(test_nothing_can_do_it)
{
	struct options options = { .plan.device = 2, .size_bytes = SIZE };

	assert_fails(
	        advise_rows(&advice, machine, &options), GPUCRYPT_DEVICE, "device 1: not found (this machine has 1)");
	advise_free(&advice);
	machine->n_devices = 0;
	strcpy(machine->failure, "no platform");
	options.plan = (struct gpucrypt_plan){ .engine = GPUCRYPT_OPENCL };
	assert_fails(advise_rows(&advice, machine, &options), GPUCRYPT_DEVICE, "no OpenCL device: no platform");
}

/* The least seconds win, SC2000 only if it was named, and 5 % of a prediction are nothing. */
TEST(test_verdict_of_predictions)
{
	struct verdict v;

	advise((struct gpucrypt_plan){ 0 });
	slow();
	row_of("aes", 256, true)->seconds = predicted_range(2);
	row_of("camellia", 256, false)->seconds = predicted_range(3);
	row_of("sc2000", 256, false)->seconds = predicted_range(1);
	row_of("aes", 128, false)->seconds = predicted_range(0.5);
	advise_verdict(&v, &advice, NULL, 256);
	assert_int_equal(v.n_equal, 1);
	assert_ptr_equal(v.equal[0], row_of("aes", 256, true));
	assert_ptr_equal(v.next, row_of("camellia", 256, false));
	assert_true(v.factor == 1.5);
	advice.sc2000 = true;
	advise_verdict(&v, &advice, NULL, 256);
	assert_ptr_equal(v.equal[0], row_of("sc2000", 256, false));
	advice.sc2000 = false;

	row_of("camellia", 256, false)->seconds = predicted_range(2.09);
	advise_verdict(&v, &advice, NULL, 256);
	assert_int_equal(v.n_equal, 2);
	assert_ptr_equal(v.equal[1], row_of("camellia", 256, false));
	row_of("camellia", 256, false)->seconds = predicted_range(2.11);
	advise_verdict(&v, &advice, NULL, 256);
	assert_int_equal(v.n_equal, 1);
}

/* Measurements overrule predictions. A row equals the best one if it is no slower than half of the best one's runs. */
TEST(test_verdict_of_measurements)
{
	struct advice_row *cpu, *gpu;
	struct verdict v;
	char text[PATTERN_TEXT];

	machine->devices[machine->n_devices++] = machine->devices[0]; /* so that there is a hybrid */
	advise((struct gpucrypt_plan){ .cipher = GPUCRYPT_AES, .key_bits = 256 });
	cpu = row_of("aes", 256, true);
	gpu = row_of("aes", 256, false);
	slow();
	assert_int_equal(advice.n_rows, 4);
	assert_int_equal(advice.rows[3].choice.plan.n_parts, 2);
	advice.rows[2].seconds = (struct seconds_range){ 1500, 1500, 1500 };
	advice.measured = true;
	cpu->choice.end_to_end.seconds = 1;
	gpu->choice.end_to_end.seconds = 2;
	cpu->seconds = (struct seconds_range){ 3, 3.1, 3.2 };
	gpu->seconds = (struct seconds_range){ 2, 2.1, 2.2 };
	advise_verdict(&v, &advice, &cipher_aes, 256);
	assert_int_equal(v.n_equal, 1);
	assert_ptr_equal(v.equal[0], gpu);
	assert_has("\naes-256      device 0, 1.5 times as fast as the next\n");
	advise_sentence(text, &advice);
	assert_string_equal(text, "In memory, 16 GiB with 256-bit keys in ctr: aes on device 0 "
	                          "(NVIDIA H200), 2 s and 8.59 GB/s measured, 1.5 times as fast "
	                          "as aes on the CPU.");

	cpu->seconds.least = 2.15; /* more than half of the other's runs, less than the slowest */
	advise_verdict(&v, &advice, &cipher_aes, 256);
	assert_int_equal(v.n_equal, 1);
	cpu->seconds.least = 2.05;
	assert_has("\naes-256      equal: device 0, CPU, 500 times as fast as the next\n");
	advise_sentence(text, &advice);
	assert_string_equal(text, "In memory, 16 GiB with 256-bit keys in ctr: aes on device 0 "
	                          "(NVIDIA H200) and aes on the CPU are equal, 2 s and 8.59 GB/s "
	                          "measured, 500 times as fast as aes on all engines "
	                          "together.");

	gpu->failed = true;
	assert_has("\naes-256      CPU, 488 times as fast as the next\n");
	for (unsigned i = 0; i < advice.n_rows; i++)
		advice.rows[i].failed = true;
	advise_sentence(text, &advice);
	assert_non_null(strstr(text, "no prediction, because"));
}

/* 16 GiB at 1 GB/s, without the form, would take longer than the device's 10 s; at 2 GB/s they do not. */
TEST(test_instruction_form_decides)
{
	const struct instruction_form *form = instruction_form_choose(&cipher_camellia);
	struct cpu_speed *without =
	        (struct cpu_speed *)(uintptr_t)cpu_speed_find(&machine->host.cpu, "camellia-256-ctr-none");
	char text[PATTERN_TEXT], expected[512];

	assert_non_null(without);
	without->pace.all_threads = 1e9;
	advise((struct gpucrypt_plan){ .cipher = GPUCRYPT_CAMELLIA, .key_bits = 256 });
	slow();
	row_of("camellia", 256, true)->seconds = predicted_range(4);
	row_of("camellia", 256, false)->seconds = predicted_range(10);
	snprintf(expected, sizeof(expected),
	        " The CPU is faster than device 0 (10 s) because of the instruction form %s: without such forms, the CPU "
	        "would take at least 17.2 s.",
	        form ? form->name : "");
	advise_sentence(text, &advice);
	assert_true((strstr(text, expected) != NULL) == (form != NULL));

	without->pace.all_threads = 2e9;
	advise_sentence(text, &advice);
	assert_null(strstr(text, "because"));
	without->pace.all_threads = 1e9;
	row_of("camellia", 256, true)->seconds = predicted_range(11);
	advise_sentence(text, &advice);
	assert_null(strstr(text, "because"));
}

/* Tables and verdicts, of rows that have all figures, some, or none. */
TEST(test_text)
{
	const struct advice given = {
		.machine = machine, .n_bytes = SIZE, .mode = &modes[MODE_CTR], .bits = 256, .measured = true
	};
	json_t *json = json_load_file("tests/unit/cli/advice.json", 0, NULL);
	FILE *stream = golden_stream();

	assert_non_null(json);
	advise_print(stream, &given, json);
	advise_print_rows(stream, &given, json);
	json_decref(json);
	assert_golden(stream, "tests/unit/cli/advice.txt");
}

/* The numbers in the text give the results in the text. */
TEST(test_explanation_can_be_worked_out)
{
	double g, pt, ct, l, tbl, k, key, sa, inst_l, inst, si, again;
	const char *at;
	char *text;

	advise((struct gpucrypt_plan){ .cipher = GPUCRYPT_CAMELLIA, .key_bits = 128, .device = 1 });
	text = printed(advise_explain);
	at = strstr(text, "L_local_rgl N_key\n");
	assert_non_null(at);
	assert_int_equal(sscanf(strchr(at, '='), "= %lf x (%lf + %lf) + %lf x %lf + %lf x %lf = %lf", &g, &pt, &ct, &l,
	                         &tbl, &k, &key, &sa),
	        8);
	again = g * (pt + ct) + l * tbl + k * key;
	assert_true(again > 0.9999 * sa && again < 1.0001 * sa);
	at = strstr(text, "L_inst N_inst = ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "L_inst N_inst = %lf + %lf x %lf = %lf", &sa, &inst_l, &inst, &si), 4);
	assert_true(sa + inst_l * inst > 0.9999 * si && sa + inst_l * inst < 1.0001 * si);
	assert_non_null(strstr(text, "(6.3)"));
	assert_non_null(strstr(text, "(6.2)"));
	assert_non_null(strstr(text, "overlap model"));
	assert_non_null(strstr(text, "file to file"));
}

/* JSON. */

static json_t *get(const json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	if (!value)
		fail_msg("no member %s", name);
	return value;
}

TEST(test_json)
{
	struct advice_row *row;
	const json_t *r;
	json_t *json;
	char *text;

	advise((struct gpucrypt_plan){ 0 });
	assert_ok(advise_points(&advice));
	for (unsigned i = 0; i < advice.n_rows; i++)
		advice.rows[i].measured = json_pack("{s:f}", "kernel_s", 0.01);
	advice.measured = true;
	advice.n_bytes = (UINT64_C(1) << 53) + 1;
	row = row_of("camellia", 192, false);
	json = advise_json(&advice);
	text = json_dumps(json, 0);
	json_decref(json);
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	assert_string_equal(json_string_value(get(json, "bytes")), "9007199254740993");
	assert_string_equal(json_string_value(get(json, "mode")), "ctr");
	assert_string_equal(json_string_value(get(json, "rests_on")), "measurement");
	assert_non_null(json_string_value(get(json, "advice")));
	assert_string_equal(json_string_value(get(json_array_get(get(json, "devices"), 0), "name")), "NVIDIA H200");
	assert_int_equal(json_array_size(get(json, "rows")), 18);
	assert_int_equal(json_array_size(get(json, "verdicts")), 9);
	r = json_array_get(get(json, "rows"), (size_t)(row - advice.rows));
	assert_string_equal(json_string_value(get(r, "cipher")), "camellia");
	assert_int_equal(json_integer_value(get(r, "bits")), 192);
	assert_string_equal(json_string_value(get(r, "engine")), "opencl");
	assert_int_equal(json_integer_value(get(r, "device")), 0);
	assert_true(json_real_value(get(get(get(r, "thesis"), "l_enc_total"), "sa")) == row->choice.thesis.total_sa);
	assert_true(json_real_value(get(get(r, "estimate"), "cycles")) == row->choice.overlap.total_cycles);
	assert_true(json_real_value(get(get(r, "memory"), "seconds")) == row->choice.end_to_end.seconds);
	assert_true(json_object_size(get(get(r, "files"), "stage_s")) >= 4);
	assert_int_equal(json_integer_value(get(get(r, "plan"), "work_groups")), row->choice.plan.kernel.work_groups);
	assert_true(json_real_value(get(get(r, "measured"), "kernel_s")) == 0.01);
	assert_int_equal(json_array_size(get(r, "points")), 17);
	assert_true(json_is_null(get(json_array_get(get(r, "points"), 0), "measured_s")));
	assert_true(json_is_null(get(json_array_get(get(json, "rows"), 0), "thesis")));
	json_decref(json);
	free(text);
}
