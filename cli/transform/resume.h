/* enc --resume: continue a run that was stopped.  Runs by parts choose and report their output in the same way. */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "cli/transform/job.h"

/* Choose OUT.part, or what is left of its naming, as the output; GPUCRYPT_USAGE unless both files are regular. */
int resume_choose_output(struct job *job, struct job_file *file, const struct output_terms *terms);

/* Say how much an earlier run had done. */
void resume_report(const struct job *job, const struct job_file *file);

#endif
