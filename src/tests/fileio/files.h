/*
 * files.h - the test's files: their names, and opening them so that nothing
 * else is ever touched.
 *
 * Files are test_file.0, test_file.1, ... in one folder.  A file is opened only
 * if it is a regular one and no symbolic link, so that what is written or
 * deleted is always the file of that name in that folder.  A block device is
 * opened by its own name, and never removed.
 */
#ifndef BENCH_TESTS_FILEIO_FILES_H
#define BENCH_TESTS_FILEIO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct stat;

enum {
  FILES_NAME_MAX = 512 /* longer names are cut in messages */
};

struct folder {
  int fd;
  const char *path; /* borrowed; "" for the current folder */

  /* A block device stands for the folder, and is its only file. */
  uint64_t device_bytes; /* used of it; 0: this is a folder */
  bool read_only;        /* of a device */
};

/* The descriptors of all files; shared by all threads. */
struct files {
  const struct folder *folder; /* borrowed */
  uint64_t n;                  /* that are open */
  int *fd;                     /* owned */
};

int folder_open(struct folder *f, const char *path, struct err *err);
void folder_close(struct folder *f);

/* The name as users know it, in `buf`; returns buf. */
const char *folder_name(const struct folder *f, uint64_t file, char *buf,
                        size_t room);

/*
 * Open one file for writing, with `flags` for open() added; create: also when
 * it does not exist.  *ret_bytes is its length; NULL: not wanted.
 */
int folder_open_file(const struct folder *f, uint64_t file, int flags,
                     bool create, int *ret_fd, uint64_t *ret_bytes,
                     struct err *err);

/* What the system says of a file.  False: it does not exist, or cannot be
 * looked at. */
bool folder_stat(const struct folder *f, uint64_t file, struct stat *ret);

/* Remove a file.  One that does not exist is no error, nor is a device, which
 * stays. */
int folder_remove(const struct folder *f, uint64_t file, struct err *err);

/*
 * Open `n` files of at least `bytes` bytes each, or with `fresh` remove and
 * create them.  Raises the limit of open files where that is allowed.
 */
int files_open(struct files *fs, const struct folder *folder, uint64_t n,
               uint64_t bytes, int flags, bool fresh, struct err *err);
void files_close(struct files *fs);

/* Are the names still those of the open files? */
int files_check_names(const struct files *fs, struct err *err);

/* Write what is dirty and let the page cache forget all. */
int files_drop_cache(const struct files *fs, struct err *err);

#endif
