/* ppf study --figure rsa: what computes something else than libcrypto is told and never timed. */
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "gpucrypt/status.h"
#include "ppf/study/figures.h"
#include "ppf/study/rsa.h"

#define PLANTED "1024, t=32, strided"

static struct study study;
static struct figure figure;

static int open_study(void **state)
{
	(void)state;
	if (study_open(&study, 0, true) != GPUCRYPT_OK)
		return 1;
	/* A record that need not be measured. */
	study.record = malloc(sizeof *study.record);
	if (study.record == NULL || record_parse(study.record, record_builtin("cpu"), "cpu") != GPUCRYPT_OK)
		return 1;
	study.record->operator_cycles[OPERATOR_WIDE] = 1;
	study.record->fusion_cycles[FUSION_CHAIN] = 1;
	return 0;
}

static int close_study(void **state)
{
	(void)state;
	study_close(&study);
	return 0;
}

static const struct figure_note *note_of(const char *variant)
{
	for (unsigned i = 0; i < figure.n_notes; i++)
		if (!strcmp(figure.notes[i].variant, variant))
			return &figure.notes[i];
	return NULL;
}

/* Time is left for the first kernels only; the others say so. */
static void a_planted_error_has_no_time(void **state)
{
	const struct study_figure rsa = { "rsa", "RSA", 1, figure_rsa };
	char row[48];
	const char *last = study.device->gpu ? "4096, t=128, coalesced" : "4096, t=32, coalesced";

	(void)state;
	study.plant = PLANTED;
	study_run(&study, &rsa, &figure);
	assert_string_equal(figure.failure, "");
	assert_non_null(note_of(PLANTED));
	assert_int_equal(note_of(PLANTED)->kind, NOTE_WRONG);
	assert_true(isnan(figure_y(&figure, rsa_forms[RSA_STRIDED], rsa_row(row, 1024, 32))));
	assert_non_null(note_of(last));
	for (unsigned bits = 1024; bits <= 4096; bits += 1024) {
		assert_true(figure_y(&figure, RSA_ONE_THREAD, rsa_row(row, bits, 0)) > 0);
		assert_true(figure_y(&figure, RSA_ALL_THREADS, rsa_row(row, bits, 0)) > 0);
	}
	assert_int_equal(figure.n_conclusions, 5);
}

/* What is right is timed, and predicted. */
static void what_is_right_has_a_time(void **state)
{
	const struct study_figure rsa = { "rsa", "RSA", 2, figure_rsa };
	char row[48];

	(void)state;
	study.plant = NULL;
	study_run(&study, &rsa, &figure);
	assert_null(note_of(PLANTED));
	assert_true(figure_y(&figure, rsa_forms[RSA_STRIDED], rsa_row(row, 1024, 32)) > 0);
}

/* Seconds of the tables, as messages a second. */
static void the_paper_is_beside(void **state)
{
	char row[48];

	(void)state;
	assert_true(rsa_printed(1024, 0, RSA_CARRIES) == 1.840);
	assert_true(rsa_printed(2048, 3, RSA_COALESCED) == 10.048);
	assert_true(rsa_printed(3072, 0, RSA_STRIDED) == 0);
	assert_true(fabs(figure_y(&figure, RSA_GPU "coalesced, carries", rsa_row(row, 1024, 32)) - 569878) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_planted_error_has_no_time),
		cmocka_unit_test(what_is_right_has_a_time), cmocka_unit_test(the_paper_is_beside) };

	return cmocka_run_group_tests(tests, open_study, close_study);
}
