/* libcryptsetup's functions, for volume.c. */
#ifndef LIBCRYPTSETUP_H
#define LIBCRYPTSETUP_H

#include <libcryptsetup.h>

#include "ppf/shared_library.h"

#define LIBCRYPTSETUP_FUNCTIONS(X)           \
	X(crypt_, benchmark)                 \
	X(crypt_, dump_json)                 \
	X(crypt_, format)                    \
	X(crypt_, free)                      \
	X(crypt_, get_cipher)                \
	X(crypt_, get_cipher_mode)           \
	X(crypt_, get_data_offset)           \
	X(crypt_, get_integrity_info)        \
	X(crypt_, get_iv_offset)             \
	X(crypt_, get_label)                 \
	X(crypt_, get_pbkdf_type_params)     \
	X(crypt_, get_sector_size)           \
	X(crypt_, get_type)                  \
	X(crypt_, get_uuid)                  \
	X(crypt_, get_volume_key_size)       \
	X(crypt_, init)                      \
	X(crypt_, keyslot_add_by_volume_key) \
	X(crypt_, keyslot_get_encryption)    \
	X(crypt_, keyslot_get_key_size)      \
	X(crypt_, keyslot_get_pbkdf)         \
	X(crypt_, keyslot_max)               \
	X(crypt_, keyslot_status)            \
	X(crypt_, load)                      \
	X(crypt_, metadata_locking)          \
	X(crypt_, reencrypt_status)          \
	X(crypt_, set_data_offset)           \
	X(crypt_, set_log_callback)          \
	X(crypt_, volume_key_get)            \
	X(crypt_, volume_key_verify)

struct libcryptsetup {
	LIBCRYPTSETUP_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

#endif
