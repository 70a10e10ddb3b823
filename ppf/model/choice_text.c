/* Describes a choice as text. */
#include <stdio.h>

#include "ppf/model/choose.h"
#include "gpucrypt/engine/engine_all.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

const char *choice_engine(char text[24], const struct choice *choice)
{
	if (choice->n_parts > 0)
		snprintf(text, 24, "%s", engine_all.name);
	else if (choice->device != NULL)
		snprintf(text, 24, "OpenCL %u", choice->plan.device - 1);
	else
		snprintf(text, 24, "CPU");
	return text;
}

static void describe_engine(char text[ENGINE_TEXT], const struct choice *choice, const struct machine_device *device,
        const struct program_shape *shape, unsigned threads)
{
	if (device != NULL)
		opencl_describe(text, ENGINE_TEXT, &device->device, shape);
	else
		cpu_describe(text, ENGINE_TEXT, &choice->suite, &choice->plan, threads);
}

void choice_describe(char text[ENGINE_TEXT], const struct choice *choice)
{
	char texts[GPUCRYPT_MAX_PARTS][ENGINE_TEXT];
	const char *all[GPUCRYPT_MAX_PARTS];

	for (unsigned i = 0; i < choice->n_parts; i++) {
		const struct part *part = &choice->parts[i];
		describe_engine(texts[i], choice, part->device, &part->shape, part->threads);
		all[i] = texts[i];
	}
	if (choice->n_parts > 0)
		all_describe(text, all, choice->n_parts);
	if (choice->n_parts == 0)
		describe_engine(text, choice, choice->device, &choice->shape, choice->plan.threads);
}
