#ifndef CLI_FILES_REMOVE_TREE_H
#define CLI_FILES_REMOVE_TREE_H

/* Remove a folder with all that is in it; links are not followed.  However deep it is, few
 * descriptors are open.  0, or -1 with errno: something is left. */
int remove_tree(int folder_fd, const char *name);

#endif
