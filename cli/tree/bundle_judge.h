/* Members of an archive that cannot be made, or whose attributes cannot all be restored. */
#ifndef BUNDLE_JUDGE_H
#define BUNDLE_JUDGE_H

#include "cli/tree/bundle_extract.h"

/* Instead of a status: this member is not made, and extraction continues. */
#define MEMBER_LEFT_OUT (-1)

/* Report and count a member that is left out.  Returns MEMBER_LEFT_OUT. */
int member_leave_out(struct extraction *extraction, const char *path, const char *why);

/* The status of libarchive's result for a member, or for the folder if entry is NULL.  Members with missing
 * attributes are counted.  GPUCRYPT_IO, or GPUCRYPT_CORRUPT where only the archive can be the cause. */
int member_judge(struct extraction *extraction, const char *path, struct archive_entry *entry, int result);

/* member_judge() for the result of making the member; may return MEMBER_LEFT_OUT. */
int member_judge_header(struct extraction *extraction, const char *path, int result);

/* Note if the target refuses modes and times, which libarchive does not report for folders.  GPUCRYPT_IO. */
int extraction_try_target(struct extraction *extraction);

#endif
