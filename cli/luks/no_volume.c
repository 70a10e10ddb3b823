/* Without libcryptsetup. */
#include "cli/luks/volume.h"

#include "gpucrypt/status.h"

int luks_load(const char *needed_by)
{
	return fail(GPUCRYPT_UNKNOWN, "%s: LUKS volumes need libcryptsetup, and this gcrypt was built without it",
	        needed_by);
}

static int refuse(struct luks_volume *volume, const char *name)
{
	*volume = LUKS_NONE;
	return luks_load(name);
}

int luks_format(struct luks_volume *volume, const char *name, const struct luks_terms *terms,
        const struct gpucrypt_secret *secret)
{
	(void)terms, (void)secret;
	return refuse(volume, name);
}

int luks_open(struct luks_volume *volume, int fd, const char *name)
{
	(void)fd;
	return refuse(volume, name);
}

int luks_check_payload(struct luks_volume *volume)
{
	return refuse(volume, volume->name);
}

bool luks_slot(const struct luks_volume *volume, int number, struct luks_slot *slot)
{
	(void)volume, (void)number, (void)slot;
	return false;
}

int luks_verify_header(const struct luks_volume *volume)
{
	(void)volume;
	return GPUCRYPT_OK;
}

struct luks_cost luks_unlock_cost(const struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	(void)volume, (void)max_kdf_bytes;
	return (struct luks_cost){ 0 };
}

int luks_unlock(struct luks_volume *volume, const struct gpucrypt_secret *secret)
{
	(void)secret;
	return refuse(volume, volume->name);
}

bool luks_kernel_speed(struct luks_speed *speed, const struct suite *suite)
{
	(void)speed, (void)suite;
	return false;
}

void luks_close(struct luks_volume *volume)
{
	*volume = LUKS_NONE;
}
