/*
 * The chooser: completes a plan.  Every field that the user left open is filled so that the
 * predicted end-to-end time of the task is least.
 */
#ifndef CHOOSE_H
#define CHOOSE_H

#include "ppf/model/end_to_end.h"
#include "ppf/model/predict.h"

struct choice {
	struct gpucrypt_plan plan; /* complete: nothing is 0 or "auto" that the engine uses */
	struct suite suite;
	const struct machine_device *device;   /* of the machine; NULL: the CPU engine, or several */
	struct program_shape shape;            /* OpenCL only */
	struct part parts[GPUCRYPT_MAX_PARTS]; /* several engines together, of the machine */
	unsigned n_parts;                      /* 0: one engine alone; 1: a device, and before it the CPU */
	struct thesis_prediction thesis;       /* of the whole input in one launch; OpenCL only */
	struct overlap_prediction overlap;     /* the same */
	struct end_to_end end_to_end;
	uint64_t n_bytes; /* that the predictions are about */
	bool predicted;   /* the records had all figures; else the predictions are 0 */
	char why[240];    /* one line for people: what was compared */
};

/*
 * The shape whose kernels are predicted to be the fastest over n_bytes in one launch; where the
 * record predicts nothing, the first that fits.  What is wanted stays.  false: nothing fits.
 */
bool choose_shape(struct program_shape *shape, const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes);

/* A form that fits, and that choose_shape() cannot compare with the others, since the record lacks figures for it
 * alone; NULL: there is none. */
const struct table_form *choose_unpredicted(const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes);

/* Of 256 neighbouring counters: so many that the work-items of a batch have all of them. */
unsigned choose_blocks_per_item(const struct record *record);

/* The dissertation's policy: a work-item a block, one copy of the tables and the round keys in local
 * memory.  The launch stays open. */
void plan_take_policy(struct gpucrypt_plan *plan, const struct cipher *cipher);

/*
 * Complete a plan for several engines together: every GPU and accelerator (or the wanted device), and
 * so many threads of the CPU as predict the least time (or the wanted number, if "all" is wanted); a
 * plan with parts keeps them.  The choice has its cipher and sizes.  n_parts: how many take part, and if it is 1
 * nothing but parts[0] is filled in.  false: none.
 */
bool choose_parts(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task);

/*
 * Choose for a task on a machine whose devices are known.  wanted: what the user fixed; NULL or 0 is
 * open, and the model never chooses mode and key size.  allow_sc2000: "auto" may take SC2000 too.
 * A device that the user did not ask for gives way to the CPU when it cannot be opened
 * (plan.or_cpu).  All engines together are taken when they are 5 % faster than one alone, or wanted.
 * GPUCRYPT_USAGE for what no engine can do; GPUCRYPT_DEVICE when OpenCL was asked for and no device
 * can do it.
 */
int choose(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000);

/*
 * The same on this machine.  OpenCL is asked only if there is no inventory and the CPU takes longer
 * than any OpenCL device takes to start.  *machine is NULL at first and made here; the caller frees
 * it, and hands it in again for the next file.
 */
int choose_here(struct choice *choice, struct machine **machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000);

/* What became of it: its devices were opened, and the next run need not build its programs; or one
 * could not be opened, and the inventory is taken again. */
void choice_ran(const struct choice *choice, struct machine *machine, bool on_device);

/* "CPU", "OpenCL 0", "all": short, for people. */
const char *choice_engine(char text[24], const struct choice *choice);

/* The engine's own description, before it is opened. */
void choice_describe(char text[ENGINE_TEXT], const struct choice *choice);

#endif
