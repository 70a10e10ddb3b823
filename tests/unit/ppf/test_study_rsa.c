/* ppf study --figure rsa: what computes something else than libcrypto is reported and never timed. */
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "gpucrypt/status.h"
#include "ppf/study/figures.h"
#include "ppf/record/records.h"
#include "ppf/study/rsa.h"

#define PLANTED "1024, t=32, strided"

static struct study study;
static struct figure figure;

void program_set_up(void)
{
	assert_int_equal(study_open(&study, 0, true), GPUCRYPT_OK);
	/* A record that need not be measured. */
	study.record = malloc(sizeof *study.record);
	assert_non_null(study.record);
	assert_int_equal(device_record_parse(study.record, records_builtin("cpu"), "cpu"), GPUCRYPT_OK);
	study.record->operator_cycles[OPERATOR_WIDE] = 1;
	study.record->fusion_cycles[FUSION_CHAIN] = 1;
}

void program_tear_down(void)
{
	study_close(&study);
}

static const struct figure_note *note_of(const char *variant)
{
	for (unsigned i = 0; i < figure.n_notes; i++)
		if (!strcmp(figure.notes[i].variant, variant))
			return &figure.notes[i];
	return NULL;
}

/* Time is left for the first kernels only; the others say so. */
TEST(a_planted_error_has_no_time)
{
	const struct study_figure rsa = { "rsa", "RSA", 1, figure_rsa };
	char row[48];
	const char *last = study.device->gpu ? "4096, t=128, coalesced" : "4096, t=32, coalesced";

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

/* A correct result is timed and predicted. */
TEST(what_is_right_has_a_time)
{
	const struct study_figure rsa = { "rsa", "RSA", 2, figure_rsa };
	char row[48];

	study.plant = NULL;
	study_run(&study, &rsa, &figure);
	assert_null(note_of(PLANTED));
	assert_true(figure_y(&figure, rsa_forms[RSA_STRIDED], rsa_row(row, 1024, 32)) > 0);
}

/* Seconds of the tables, as messages a second. */
TEST(the_paper_is_beside)
{
	char row[48];

	assert_true(rsa_printed(1024, 0, RSA_CARRIES) == 1.840);
	assert_true(rsa_printed(2048, 3, RSA_COALESCED) == 10.048);
	assert_true(rsa_printed(3072, 0, RSA_STRIDED) == 0);
	assert_true(fabs(figure_y(&figure, RSA_GPU "coalesced, carries", rsa_row(row, 1024, 32)) - 569878) < 1);
}
