/* The entries of an archive in words, a line each, or as JSON. */
#ifndef BUNDLE_LIST_H
#define BUNDLE_LIST_H

#include "cli/tree/bundle.h"

struct listing {
	bool json, verbose;
	unsigned long long n_entries;
};

struct bundle_visitor listing_visitor(struct listing *listing, struct selection *selection);

#endif
