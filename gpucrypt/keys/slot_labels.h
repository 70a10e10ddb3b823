/* Labels of key slots, in a slot of their own type, which earlier releases skip (gcrypt(5), "Labels"). */
#ifndef SLOT_LABELS_H
#define SLOT_LABELS_H

#include <stdint.h>

#include "gpucrypt/keys/slot.h"

#define MAX_LABEL_BYTES 96

/* "": none. Any bytes but zero: whoever prints a label removes control characters. */
struct slot_labels {
	char texts[N_KEY_SLOTS][MAX_LABEL_BYTES + 1];
};

/* slots: the eight key slots of a header copy.  A label whose slot has changed since is not read. */
void slot_labels_read(struct slot_labels *labels, const uint8_t *slots);

/* Replace the labels; without any, their slot becomes unused.  GPUCRYPT_USAGE: no slot is free. */
int slot_labels_write(uint8_t *slots, const struct slot_labels *labels);

/* text: NULL or "" for none.  GPUCRYPT_USAGE: longer than MAX_LABEL_BYTES. */
int slot_label_set(struct slot_labels *labels, unsigned slot, const char *text);

#endif
