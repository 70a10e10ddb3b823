/* advise --luks2: what the volume costs when dm-crypt opens it. */
#include "cli/advise/advise.h"
#include "cli/luks/volume.h"
#include "command/figure.h"
#include "command/json.h"

void advise_print_volume(FILE *stream, const struct advice *advice)
{
	const struct suite *suite = &advice->enc.suite;
	struct luks_speed speed;
	char write[16], read[16];

	if (advice->enc.n_bytes > 0 && luks_kernel_speed(&speed, suite))
		fprintf(stream,
		        "dm-crypt uses no device: with %s-%u-xts this kernel writes %s GB/s and reads %s GB/s on one CPU\n",
		        suite->cipher->name, 8 * suite->key_bytes, figure_text(write, speed.encrypt),
		        figure_text(read, speed.decrypt));
	else
		fputs("dm-crypt uses no device: this kernel cannot be asked how fast it is; `cryptsetup benchmark` measures it\n",
		        stream);
}

json_t *advise_volume_json(const struct advice *advice)
{
	struct luks_speed speed;
	json_t *object;

	if (advice->enc.n_bytes == 0 || !luks_kernel_speed(&speed, &advice->enc.suite))
		return json_null();
	object = json_object();
	json_set(object, "encrypt_gb_s", json_real(speed.encrypt));
	json_set(object, "decrypt_gb_s", json_real(speed.decrypt));
	return object;
}
