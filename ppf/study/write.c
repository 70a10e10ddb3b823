/* Figures as files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/status.h"
#include "ppf/record/cache.h"
#include "ppf/gnuplot.h"
#include "ppf/study/study.h"

static int put_file(const char *folder, const char *name, const char *ending, const char *text)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);

	if (n < 0 || (size_t)n >= sizeof(path))
		return fail(GPUCRYPT_IO, "%s: the path is too long", folder);
	return file_replace(path, text);
}

struct study_origin study_origin(const struct study *study)
{
	struct study_origin origin = { .quick = study->quick, .device_clock = study->bench.device_time };

	snprintf(origin.device, sizeof(origin.device), "%s", study->device->name);
	snprintf(origin.driver, sizeof(origin.driver), "%s", study->device->driver);
	write_date(origin.date);
	return origin;
}

json_t *study_json(const struct study_origin *origin, const struct figure *figure)
{
	json_t *json = figure_json(figure);

	if (json == NULL ||
	        json_object_update_new(json, json_pack("{s:s, s:s, s:s, s:b, s:s}", "device", origin->device, "driver",
	                                             origin->driver, "date", origin->date, "quick", origin->quick,
	                                             "clock", origin->device_clock ? "device" : "host")) != 0) {
		json_decref(json);
		fail(GPUCRYPT_OTHER, "no JSON: a name is not UTF-8, or out of memory");
		return NULL;
	}
	return json;
}

int study_read(struct study_origin *origin, struct figure *figure, const char *folder, const char *name)
{
	const char *device = NULL, *driver = NULL, *date = NULL, *clock = NULL;
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s.json", folder, name), quick = 0, status;
	char *text = n < 0 || (size_t)n >= sizeof(path) ? NULL : file_text(path);
	json_t *json = text == NULL ? NULL : json_loads(text, 0, NULL);

	*origin = (struct study_origin){ .device_clock = false };
	if (text == NULL)
		return *gpucrypt_error() ? GPUCRYPT_IO : fail(GPUCRYPT_IO, "%s: the path is too long", folder);
	if (json_unpack(json, "{s:s, s:s, s:s, s:b, s:s}", "device", &device, "driver", &driver, "date", &date, "quick",
	            &quick, "clock", &clock) != 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: not a figure of ppf study", path);
	else
		status = figure_read(figure, json, path);
	/* Files are named after it. */
	if (status == GPUCRYPT_OK && strcmp(figure->name, name) != 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: is of another figure", path);
	if (status == GPUCRYPT_OK) {
		snprintf(origin->device, sizeof(origin->device), "%s", device);
		snprintf(origin->driver, sizeof(origin->driver), "%s", driver);
		snprintf(origin->date, sizeof(origin->date), "%s", date);
		origin->quick = quick != 0;
		origin->device_clock = strcmp(clock, "device") == 0;
	}
	json_decref(json);
	free(text);
	return status;
}

static int write_json(const struct study_origin *origin, const char *folder, const struct figure *figure)
{
	json_t *json = study_json(origin, figure);
	char *text = json == NULL ? NULL : json_dumps(json, JSON_INDENT(2));
	int status = text == NULL ? fail(GPUCRYPT_OTHER, "no JSON: out of memory")
	                          : put_file(folder, figure->name, ".json", text);

	free(text);
	json_decref(json);
	return status;
}

static int write_picture(const char *folder, const struct figure *figure)
{
	char *svg = NULL;
	int status = gnuplot_picture(&svg, figure_script, figure);

	if (status == GPUCRYPT_OK)
		status = put_file(folder, figure->name, ".svg", svg);
	free(svg);
	return status;
}

static int write_page(const struct study_origin *origin, const char *folder, const struct figure *figures,
        const bool *pictures, unsigned n)
{
	char remark[160], *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	int status;

	if (stream == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	snprintf(remark, sizeof(remark), "%s, driver %.60s, kernel times by the %s's clock%s", origin->date,
	        origin->driver, origin->device_clock ? "device" : "host",
	        origin->quick ? "; small sizes (--quick)" : "");
	figure_page(stream, origin->device, remark, figures, pictures, n);
	status = fclose(stream) != 0 ? fail(GPUCRYPT_OTHER, "out of memory") : put_file(folder, "index", ".html", text);
	free(text);
	return status;
}

int study_write(
        const struct study_origin *origin, const char *folder, const struct figure *figures, unsigned n, bool *drawn)
{
	bool *pictures = calloc(n + 1, sizeof(*pictures));
	int status = pictures == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : GPUCRYPT_OK;

	*drawn = gnuplot_present() == GPUCRYPT_OK;
	if (!*drawn)
		fail_clear();
	if (status == GPUCRYPT_OK && mkdir(folder, 0777) != 0 && errno != EEXIST)
		status = fail(GPUCRYPT_IO, "%s: cannot create: %s", folder, strerror(errno));
	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++) {
		status = write_json(origin, folder, &figures[i]);
		if (status == GPUCRYPT_OK && *drawn && figures[i].n_rows > 0) {
			status = write_picture(folder, &figures[i]);
			pictures[i] = status == GPUCRYPT_OK;
		}
	}
	if (status == GPUCRYPT_OK)
		status = write_page(origin, folder, figures, pictures, n);
	free(pictures);
	return status;
}
