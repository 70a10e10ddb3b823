/* ppf's options and subcommands: one row each in options.c, one source file each. */
#ifndef PPF_OPTIONS_H
#define PPF_OPTIONS_H

#include "cli/args/option_table.h"
#include "cli/args/program.h"
#include "gpucrypt/config.h"
#include "gpucrypt/gpucrypt.h"

struct options {
	struct parsed parsed; /* first */
	bool json;
	unsigned device;      /* measure, study: 1 + its number; 0: the best */
	const char *output;   /* measure: NULL: standard output, and the cache */
	const char *function; /* analyze, predict */
	struct {
		struct text_list table, key, rotate, plain, cipher, set, preprocessor;
	} analyze;
	struct {
		const char *device, *cipher, *table, *counts, *source; /* NULL: not given */
		enum gpucrypt_mode mode;
		enum memory_space key_space;
		unsigned bits, block, work_groups, work_items, copies; /* 0: not given */
		uint64_t size;
	} predict;
	struct {
		const char *figure, *folder, *from; /* NULL: all; none; measured */
		bool quick, list;
	} study;
};

/* The analysis of a source file that the options ask for. */
struct analysis analysis_of_options(const struct options *options, const char *file);

int cmd_analyze(const struct options *options);
int cmd_measure(const struct options *options);
int cmd_predict(const struct options *options);
int cmd_study(const struct options *options);
int cmd_profiles(const struct options *options);

#endif
