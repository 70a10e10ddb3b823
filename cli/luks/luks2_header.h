/* The bytes of a LUKS2 header: two copies, each with a JSON text (LUKS2 On-Disk Format Specification, 2 and 3). */
#ifndef LUKS2_HEADER_H
#define LUKS2_HEADER_H

/* Replace the payload's cipher, in both copies; the mode stays.  The file is in memory, and nobody else uses it. */
int luks_set_cipher(int fd, const char *cipher);

/* GPUCRYPT_CORRUPT if the checksum of a copy is wrong, or the copies are of different ages. */
int luks_check_copies(int fd, const char *name);

/* GPUCRYPT_UNKNOWN unless one segment reaches to the volume's end, which is all that libcryptsetup's functions tell,
 * no digest takes more than LUKS_BUDGET, and the areas of key slots have keys of 16 to 64 bytes.  *digest_iterations:
 * the maximum over the digests. */
int luks_check_text(unsigned *digest_iterations, const char *text, const char *name);

#endif
