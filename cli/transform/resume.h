/* enc --resume: continue a run that was stopped. */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "gpucrypt/pipeline/report.h"
#include "cli/files/input.h"
#include "cli/args/options.h"
#include "cli/files/output.h"
#include "cli/transform/plan.h"

/* Refuse what does not go with --resume. */
int resume_check_files(const struct input *input, const struct output *output);

/* If the part file, which is open as the output, will be continued and no cipher is named, take the cipher from its
 * header. */
int resume_plan(struct file_plan *plan, struct source *source, const struct output *output,
        const struct gpucrypt_secret *secret);

/* container_resume() into the part file. */
int resume_crypt(struct source *source, const struct output *output, struct sink *sink,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report);

#endif
