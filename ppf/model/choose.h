/*
 * The chooser completes a plan: open fields get the values with the least predicted end-to-end time of the task.
 */
#ifndef CHOOSE_H
#define CHOOSE_H

#include "ppf/model/end_to_end.h"
#include "ppf/model/predict.h"

struct choice {
	struct gpucrypt_plan plan; /* complete: no field that the engine uses is open */
	struct suite suite;
	const struct machine_device *device;   /* of the machine; NULL: the CPU engine, or hybrid */
	struct program_shape shape;            /* OpenCL only */
	struct part parts[GPUCRYPT_MAX_PARTS]; /* hybrid */
	unsigned n_parts;                      /* 0: not hybrid; 1: a device, and before it the CPU */
	struct thesis_prediction thesis;       /* of the whole input in one launch; OpenCL only */
	struct overlap_prediction overlap;     /* the same */
	struct end_to_end end_to_end;
	uint64_t n_bytes; /* of the task that is predicted */
	bool predicted;   /* the records have all figures; else the predictions are 0 */
	char why[240];    /* one line for people: what was compared */
};

/*
 * The shape whose kernels are predicted to be the fastest over n_bytes in one launch; where the
 * record predicts nothing, the first that fits.  What is wanted stays.  false: nothing fits.
 */
bool choose_shape(struct program_shape *shape, const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes);

/* A form that fits, and that choose_shape() does not compare with the others, because the record lacks figures for this
 * form only; NULL: there is none. */
const struct table_form *choose_unpredicted(const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes);

/* So many blocks per work-item that the work-items of a warp share 256 neighbouring counters. */
unsigned choose_blocks_per_item(const struct device_record *record);

/* The dissertation's policy: a work-item a block, one copy of the tables and the round keys in local
 * memory.  The launch stays open. */
void plan_take_policy(struct gpucrypt_plan *plan, const struct cipher *cipher);

/*
 * Complete a plan for the hybrid engine: every GPU and accelerator (or the wanted device), and the number of
 * threads of the CPU with the least predicted time (or the wanted number, if hybrid is wanted); a
 * plan with parts keeps them.  The choice has its cipher and sizes.  If choice->n_parts is 1, only parts[0] is set.
 * false: no engine takes part.
 */
bool choose_parts(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task);

/*
 * Choose for a task on a machine whose devices are known.  wanted: what the user fixed, with 0 in open fields;
 * mode and key size are never chosen by prediction.  allow_sc2000: SC2000 may be chosen too.
 * If a device that the user did not ask for cannot be opened, the CPU is used (plan.or_cpu).  The hybrid engine is
 * chosen if it is wanted, or 5 % faster than the best single engine.
 * GPUCRYPT_USAGE for options that no engine can follow; GPUCRYPT_DEVICE if OpenCL is wanted and no device
 * fits.
 */
int choose(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000);

/*
 * The same on this machine.  OpenCL is loaded only if there is no cached inventory and the CPU needs longer
 * than the start of any OpenCL device.  *machine is NULL at first and allocated here; the caller passes it again for
 * the next file, and frees it.
 */
int choose_here(struct choice *choice, struct machine **machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000);

/* To be called after the work.  on_device: the devices were opened, and their programs are remembered as built; else
 * a device could not be opened, and the inventory is renewed. */
void choice_ran(const struct choice *choice, struct machine *machine, bool on_device);

/* "CPU", "OpenCL 0", "all" */
const char *choice_engine(char text[24], const struct choice *choice);

/* The engine's description, without opening the engine. */
void choice_describe(char text[ENGINE_TEXT], const struct choice *choice);

#endif
