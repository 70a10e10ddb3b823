/*
 * RSA on a device, predicted: arithmetic and no tables.  A product is what the analysis counts in
 * kernels/study/rsa.cl, its costs are those of the record's micro-benchmarks; no run of it is an input.
 */
#ifndef RSA_MODEL_H
#define RSA_MODEL_H

#include "ppf/model/overlap.h"
#include "ppf/study/rsa_device.h"

/* Products that number^exponent takes, conversion included. */
unsigned rsa_products(uint64_t exponent);

struct rsa_prediction {
	unsigned products;       /* of a message */
	double cycles[N_BOUNDS]; /* of a batch of messages and a product, by resource */
	enum bottleneck bound;   /* of all */
	double batch_cycles;     /* joined: of a batch of messages and a product */
	double seconds;          /* of the kernel, for all messages */
};

/* The kernel with n messages, coalesced.  false: there is no profile, or the record lacks a figure.
 */
bool predict_rsa(struct rsa_prediction *prediction, const struct device_record *record, const struct rsa_key *key,
        const struct rsa_shape *shape, size_t n);

#endif
