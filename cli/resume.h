/* enc --resume: continue a run that was stopped. */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "gpucrypt/report.h"
#include "input.h"
#include "options.h"
#include "output.h"
#include "plan.h"

/* Refuse what does not go with --resume. */
int resume_check(const struct options *options);
int resume_check_files(const struct input *input, const struct output *output);

/* A cipher that the options leave open is that of the part file, which is open as the output, if it will be
 * continued. */
int resume_plan(struct file_plan *plan, struct source *source, const struct output *output,
        const struct gpucrypt_secret *secret);

/* container_resume() into the part file. */
int resume_crypt(struct source *source, const struct output *output, struct sink *sink,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report);

#endif
