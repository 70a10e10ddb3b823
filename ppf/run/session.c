#include "ppf/run/session.h"

#include <stdlib.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"
#include "ppf/measure/measure_parts.h"
#include "ppf/record/records.h"

static int warm_device(struct bench *bench)
{
	static const struct chain chain = { .kernel = "logic", .operations = 1 };
	int status = measure_build_chains(bench);

	return status == GPUCRYPT_OK ? bench_warm(bench, &chain) : status;
}

int session_open(struct session *session, unsigned number)
{
	int status;

	*session = (struct session){ .device = NULL };
	inventory_take(&session->inventory);
	session->device = inventory_choose(&session->inventory, number);
	if (session->device == NULL)
		return GPUCRYPT_DEVICE;
	session->number = 1 + (unsigned)(session->device - session->inventory.devices);
	status = bench_open(&session->bench, session->device);
	if (status == GPUCRYPT_OK)
		status = warm_device(&session->bench);
	if (status != GPUCRYPT_OK)
		session_close(session);
	return status;
}

void session_close(struct session *session)
{
	bench_close(&session->bench);
	free(session->record);
	session->record = NULL;
}

static int find_record(struct session *session)
{
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);
	bool found = device_record_cached(session->record, cache, session->device->name, session->device->driver, note);

	json_decref(cache);
	if (found)
		return GPUCRYPT_OK;
	if (measure_device(session->record, session->number, NULL) != GPUCRYPT_OK)
		return GPUCRYPT_DEVICE;
	if (device_record_keep(session->record) != GPUCRYPT_OK)
		fail_clear(); /* it serves this run */
	return GPUCRYPT_OK;
}

int session_record(struct session *session, const struct device_record **record)
{
	int status = GPUCRYPT_OK;

	if (session->record == NULL) {
		session->record = calloc(1, sizeof(*session->record));
		status = session->record == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : find_record(session);
		if (status != GPUCRYPT_OK) {
			free(session->record);
			session->record = NULL;
		}
	}
	*record = session->record;
	return status;
}

double session_seconds(struct session *session, double *runs, unsigned n)
{
	double middle = median(runs, n);

	if (runs[0] > 0)
		session->spread += (middle / runs[0] - 1 - session->spread) / ++session->n_spreads;
	return robust_seconds(runs, n, session->device->cpu);
}
