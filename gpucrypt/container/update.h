/*
 * A new version of a container (docs/decisions/0030-update.md).  Each old group is authenticated and compared with the
 * new content: an unchanged group keeps its page and its payload, a changed one is encrypted with a fresh salt, and the
 * final page gets the new root.
 */
#ifndef GPUCRYPT_CONTAINER_UPDATE_H
#define GPUCRYPT_CONTAINER_UPDATE_H

#include "gpucrypt/container/group.h"

struct old_groups;

struct byte_range {
	uint64_t from, to;
};

/* For each of n_items pieces of 2^log2 bytes, whether one of the ranges has bytes of it; the caller frees the array. */
int ranges_mark(bool **marked, const struct byte_range *ranges, size_t n_ranges, unsigned log2, uint64_t n_items);

struct update {
	struct source *source;    /* the new content: a file or a block device */
	struct source *container; /* the old container, a regular file, or a detached header joined with its image */
	struct sink *sink;        /* gets the new container; NULL: changes are only counted */
	int fd; /* of the sink's file, into which the bytes of unchanged groups are copied; -1: only changed groups and
	           the last group are written */
	const struct byte_range *changed; /* of the new content: only the last group, and groups with bytes of these
	                                     ranges, are compared; NULL: all groups */
	size_t n_changed;
	const struct gpucrypt_plan *plan; /* gives the engine; the header gives all else */
	const struct gpucrypt_secret *secret;
	const struct gpucrypt_progress *progress; /* or NULL */
};

/* The new container has the old file key, key slots and sizes.  If the header has another length than the new content,
 * all groups are written.  GPUCRYPT_CORRUPT: the old container is not authentic, or is not the sum of its groups. */
int container_update(const struct update *update, struct report *report);

/* The files of a container that is updated in place. */
struct update_target {
	struct fd_sink pages; /* the container, or its detached header */
	struct fd_sink image; /* fd -1: there is none */
};

/* Write the groups of the journal into the container, and sync it; after an interruption, call this again.  The journal
 * is what container_update() wrote with fd -1, complete and on storage.  GPUCRYPT_CORRUPT, without any write: container
 * and journal together do not have the journal's root. */
int container_update_apply(struct source *container, const struct update_target *target, struct source *journal,
        const struct gpucrypt_secret *secret);

/* Steps of container_update() and container_update_part(): once the reader has the old header and its keys, give both
 * to the writer, which then keeps unchanged groups; close reader and writer. */
int old_groups_begin(struct group_writer *writer, struct old_groups *old);
void old_groups_close(struct group_writer *writer, struct old_groups *old);

/* The old container, group by group, for the group writer. */
struct old_groups {
	const struct update *update;
	struct group_reader reader;
	uint64_t n_groups;
	bool *changed; /* for each group, whether it is compared; owned; NULL: all are compared */
};

/* Authenticate the page of an old group, and its payload if the group must be compared.  Sets group->old if it must;
 * the slot then has the old page, and the group its keys.  Sets group->kept if it is kept without a comparison. */
int old_group_load(const struct old_groups *old, struct group *group, uint64_t item);

/* Add the old page to the old root; check root and length at the old final page.  Call this in order, while the slot
 * has the old page. */
int old_group_check_root(struct old_groups *old, const struct group *group, uint64_t item);

/* Write a group that is kept.  It shares its storage with the old container if the file system can do that. */
int old_group_keep(const struct old_groups *old, struct sink *sink, struct group *group, uint64_t item);

#endif
