/*
 * The chooser completes a plan: each open field gets the value with the shortest predicted end-to-end time.
 */
#ifndef PPF_MODEL_CHOOSE_H
#define PPF_MODEL_CHOOSE_H

#include "ppf/model/end_to_end.h"

#define CHOICE_WHY 240

struct choice {
	struct gpucrypt_plan plan; /* complete: the engine uses no open field */
	struct suite suite;
	const struct machine_device *device; /* owned by the machine; NULL: the CPU engine, or hybrid */
	struct thesis_prediction thesis;     /* prediction for the whole input in one launch; OpenCL only */
	struct overlap_prediction overlap;   /* prediction for the same launch */
	struct end_to_end end_to_end;
	uint64_t n_bytes;     /* size of the predicted task */
	bool predicted;       /* false: the records lack figures, and the predictions are 0 */
	char why[CHOICE_WHY]; /* the compared candidates, as one line for people */
};

/* The user's request, and the machine that it is for. */
struct request {
	const struct machine *machine;
	const struct gpucrypt_plan *wanted;
	const struct task *task;
	bool allow_sc2000;
};

/* The fields of a kernel configuration that the chooser varies; the first one changes fastest. */
enum config_field {
	CONFIG_KEY_SPACE,
	CONFIG_WORK_GROUPS,
	CONFIG_WORK_ITEMS,
	CONFIG_BLOCKS_PER_ITEM,
	CONFIG_REPLICAS,
	CONFIG_TABLE,
	N_CONFIG_FIELDS
};

#define MAX_CONFIG_VALUES 8

/* The values to try for each field, in order of preference: the first of equally fast values wins.  A field that the
 * user set has one value. */
struct config_space {
	unsigned values[N_CONFIG_FIELDS][MAX_CONFIG_VALUES], n[N_CONFIG_FIELDS];
	unsigned n_taken; /* configurations that config_next() returned */
};

/* The configurations for a suite on a device; fields before `first` stay as the plan has them. */
void config_space_open(struct config_space *space, const struct suite *suite, const struct gpucrypt_plan *wanted,
        const struct machine_device *device, enum config_field first);

/* Set the fields to the next configuration; other members stay unchanged.  Returns false after the last one. */
bool config_next(struct kernel_config *kernel, struct config_space *space);

/*
 * Choose the configuration with the fastest predicted kernels over n_bytes in one launch, or the first one that fits if
 * the record allows no prediction.  Fields that the user set keep their values; kernel is not the wanted plan's own.
 * Returns false if no configuration fits.
 */
bool choose_kernel(struct kernel_config *kernel, const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes);

/* Find a table form that fits but that choose_kernel() cannot compare, because the record lacks figures for that form
 * only.  Returns NULL if there is no such form. */
const struct table_form *choose_unpredicted(const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes);

/* The number of blocks per work-item at which the work-items of a warp share 256 neighbouring counters. */
unsigned choose_blocks_per_item(const struct device_record *record);

/* Set the plan for one engine of a machine: 0 is the CPU, then the devices by their numbers in a plan, and n_devices +
 * 1 is the hybrid engine, which is considered if it is named, or if the machine has a GPU.  Returns false if the wanted
 * plan excludes this engine. */
bool plan_of_engine(
        struct gpucrypt_plan *plan, const struct gpucrypt_plan *wanted, const struct machine *machine, unsigned engine);

/* Set the dissertation's policy: one block per work-item, with one replica of the tables and the round keys in local
 * memory.  The launch fields stay open. */
void plan_take_policy(struct gpucrypt_plan *plan, const struct cipher *cipher);

/*
 * Complete the choice's plan for the hybrid engine with every GPU and accelerator (or the wanted device), and with the
 * number of CPU threads that has the shortest predicted time (or the wanted number, if the user wants hybrid).  A
 * wanted plan with parts keeps those parts.  The caller has set the cipher and sizes of the choice.  Returns false if
 * no engine takes part.
 */
bool choose_parts(struct choice *choice, const struct request *request);

/*
 * Choose for a task on a machine with known devices.  wanted: the user's values, with 0 in open fields;
 * mode and key size are never chosen by prediction.  allow_sc2000: SC2000 may be chosen too.
 * If a device that the user did not ask for cannot be opened, the CPU is used (plan.or_cpu).  The hybrid engine is
 * chosen if it is wanted, or 5 % faster than the best single engine.
 * Errors: GPUCRYPT_USAGE if no engine supports the options; GPUCRYPT_DEVICE if the user wants OpenCL and no device
 * fits.
 */
int choose(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000);

/*
 * As choose(), for the machine that the process runs on.  OpenCL is loaded only if there is no cached inventory and
 * the CPU needs longer than the start of any OpenCL device.  *machine is NULL in the first call, which allocates the
 * machine; the caller passes the machine again for the next file, and frees the machine.
 */
int choose_here(struct choice *choice, struct machine **machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000);

/* Call this after the work.  on_device true: the devices were opened, and their programs are recorded as built; false:
 * a device could not be opened, and the inventory is renewed. */
void choice_ran(const struct choice *choice, struct machine *machine, bool on_device);

/* Name the engine: "CPU", "OpenCL 0", "all". */
const char *choice_engine(char text[24], const struct choice *choice);

/* Describe the engine without opening a device. */
void choice_describe(char text[ENGINE_TEXT], const struct choice *choice, const struct machine *machine);

#endif
