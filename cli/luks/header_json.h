/* The JSON text of a LUKS2 header (LUKS2 On-Disk Format Specification, 2 and 3). */
#ifndef LUKS_HEADER_JSON_H
#define LUKS_HEADER_JSON_H

/* Replace the payload's cipher, in both copies; the mode stays.  The file is in memory, and nobody else uses it. */
int luks_set_cipher(int fd, const char *cipher);

/* GPUCRYPT_UNKNOWN unless one segment reaches to the volume's end, which is all that libcryptsetup's functions tell. */
int luks_check_segments(const char *text, const char *name);

#endif
