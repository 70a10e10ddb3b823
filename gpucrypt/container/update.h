/*
 * A new version of a container (docs/decisions/0030-update.md).  Each old group is authenticated and compared with the
 * new content: an unchanged group keeps its page and its payload, a changed one is encrypted with a fresh salt, and the
 * final page gets the new root.
 */
#ifndef GPUCRYPT_CONTAINER_UPDATE_H
#define GPUCRYPT_CONTAINER_UPDATE_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/group_writer.h"

struct byte_range {
	uint64_t from, to;
};

struct update {
	struct source *source;    /* the new content: a file or a block device */
	struct source *container; /* the old container, a regular file, or a detached header joined with its image */
	struct sink *sink;        /* gets the new container; NULL: changes are only counted */
	int fd; /* of the sink's file, for the bytes of unchanged groups; -1: only changed groups are written, and the
	           last one */
	const struct byte_range *changed; /* of the new content: only groups with bytes of these are compared, and the
	                                     last one; NULL: all groups */
	size_t n_changed;
	const struct gpucrypt_plan *plan; /* the engine: the header says the rest */
	const struct gpucrypt_secret *secret;
	const struct gpucrypt_progress *progress; /* or NULL */
};

/* The new container has the old one's file key, key slots and sizes.  If the old header has another length, all groups
 * are written.  The old container's groups and its root are
 * authenticated before GPUCRYPT_OK, and its length is the sum of its groups: else GPUCRYPT_CORRUPT. */
int container_update(const struct update *update, struct report *report);

/* The files of a container that is updated in place. */
struct update_target {
	struct fd_sink pages; /* the container, or its detached header */
	struct fd_sink image; /* fd -1: there is none */
};

/* In place: such a file, complete and on storage, is the journal of the update.  The container with the journal's
 * groups becomes the new container, on storage; a run that is stopped is repeated.  GPUCRYPT_CORRUPT, and no write,
 * unless all pages of both together are those of one container. */
int container_update_apply(struct source *container, const struct update_target *target, struct source *journal,
        const struct gpucrypt_secret *secret);

/* The old container, group by group, for the group writer. */
struct old_groups {
	const struct update *update;
	struct group_reader reader;
	uint64_t n_groups;
	bool *changed; /* of each group: it is compared; owned; NULL: all */
};

/* Authenticate the group's page, and its payload unless it is not compared.  Afterwards group->old: the slot has its
 * page, whose salt and keys the group has, and the new group has the same length; group->kept: it is not compared. */
int old_group_load(const struct old_groups *old, struct group *group, uint64_t item);

/* In order, while the slot still has the old page: with the old final page root and length are checked. */
int old_group_check_root(struct old_groups *old, const struct group *group, uint64_t item);

/* Write a group that is kept: share its bytes with the old container where the file system can. */
int old_group_keep(const struct old_groups *old, struct sink *sink, struct group *group, uint64_t item);

#endif
