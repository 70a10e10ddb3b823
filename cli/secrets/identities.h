/* Private keys of --identity.  The passphrase of a protected key is asked for only if no other key opens a container.
 */
#ifndef IDENTITIES_H
#define IDENTITIES_H

#include "cli/secrets/secret.h"

/* Read the private keys of the files, of which each has at least one; other PEM blocks are skipped.  Files with a
 * protected key are opened later, when header_unlock() needs them: by secret->passphrase, or by a passphrase from the
 * terminal.  passphrase: the source of the passphrase of all protected keys; NULL: ask for each.  The caller frees the
 * secret, after a failure too.  GPUCRYPT_USAGE: a file without a private key, a malformed or weak key, a key that is
 * given twice, or too many keys. */
int identities_read(struct secret *secret, const struct text_list *names, const char *passphrase);

/* Open all files that were not opened yet, or only those whose public keys are not in the clear. */
int identities_open_all(struct secret *secret, bool unknown_only);

/* Is there a file that was not opened yet? */
bool identities_locked(const struct secret *secret);

/* Called by secret_wipe(). */
void identities_free(struct secret *secret);

#endif
