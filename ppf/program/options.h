/* ppf's options and subcommands: one row each in options.c, one source file each. */
#ifndef PPF_PROGRAM_OPTIONS_H
#define PPF_PROGRAM_OPTIONS_H

#include <jansson.h>

#include "command/program.h"
#include "gpucrypt/config.h"
#include "gpucrypt/gpucrypt.h"
#include "ppf/analysis/analyze.h"
#include "ppf/model/overlap.h"
#include "ppf/record/records.h"

#define DEFAULT_BYTES (UINT64_C(256) << 20) /* of input */

struct options {
	struct parsed parsed; /* first */
	bool json;
	unsigned device;      /* measure, run: 1 + the device's number; 0: the best device */
	const char *output;   /* NULL: standard output, and for ppf measure the cache too */
	const char *function; /* analyze, predict */
	struct {
		struct text_list table, key, rotate, plain, cipher, set, preprocessor;
	} analyze;
	struct text_list sources; /* predict, run */
	struct {
		const char *device, *cipher, *table, *counts; /* NULL: not given */
		enum gpucrypt_mode mode;
		enum memory_space key_space;
		unsigned bits, block, work_groups, work_items, copies; /* 0: not given */
		uint64_t size;
	} predict;
	struct {
		const char *clpeak, *table; /* files; NULL: not given */
	} record;
	struct {
		enum memory_space table_space; /* MEMORY_OPEN: local */
		bool sweep;
		const char *prepare; /* C statement; NULL: none */
		struct hex_bytes block, key;
	} run;
	struct {
		uint64_t rate, storage, piece; /* 0: not given */
		struct text_list together;
		unsigned count, start_s;
	} nodes;
	struct {
		struct text_list devices;  /* each as predict.device */
		const char *plot, *format; /* NULL: none, text */
		bool run;
	} compare;
};

/* A function or built-in cipher in one launch on one device. */
struct prediction {
	struct device_record record;
	struct profile profile;
	struct launch launch;
	struct thesis_prediction thesis;
	struct overlap_prediction overlap;
	bool estimated; /* the record has all figures that the overlap model needs */
	double seconds; /* measured; 0: not measured */
};

#define MAX_SOURCE_FILES 16

struct preprocessor_options {
	const char *texts[MAX_TEXTS + 2 * MAX_SOURCE_FILES + 1];
};

/* The analysis of the sources that the options name; preprocessor: memory for its options. */
struct analysis analysis_of_options(const struct options *options, struct preprocessor_options *preprocessor);

/* Counts, block and table words of --source.  memory: NULL, or gets the roles.  Errors: as analyze(), and
 * GPUCRYPT_USAGE if the function has no input, output or work. */
int profile_of_source(
        struct profile *profile, struct launch *launch, struct memory_list *memory, const struct options *options);

/* Block and table words of counts.  Errors: GPUCRYPT_USAGE, as above. */
int check_counts(const struct profile *profile, struct launch *launch, const struct options *options);

/* The launch that the options describe, with the defaults of ppf predict and ppf run for the others. */
struct kernel_config shape_of_options(const struct options *options, unsigned compute_units);

/* Refuse a launch that the device cannot do: GPUCRYPT_USAGE. */
int check_launch(const struct device_record *record, const struct launch *launch);

/* Compute both models from record, profile and launch.  GPUCRYPT_UNKNOWN: the record gives no sensible prediction. */
int prediction_compute(struct prediction *prediction);

/* Predict as ppf predict does with these options, without printing; run_options() also measures, as ppf run does. */
int predict_options(struct prediction *prediction, const struct options *options);
int run_options(struct prediction *prediction, const struct options *options);

/* All of a prediction; NULL: out of memory. */
json_t *prediction_json(const struct prediction *prediction);

void print_counts(const struct profile *profile);

/* A line of ppf compare is parsed as the arguments of this command, which no user can name. */
extern const struct command compare_line;

int cmd_analyze(const struct options *options);
int cmd_measure(const struct options *options);
int cmd_predict(const struct options *options);
int cmd_run(const struct options *options);
int cmd_compare(const struct options *options);
int cmd_nodes(const struct options *options);
int cmd_record(const struct options *options);
int cmd_profiles(const struct options *options);

#endif
