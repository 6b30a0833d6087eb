/*
 * files.h - the test's files: their names, and opening them so that no other
 * file is ever touched.
 *
 * Files are test_file.0, test_file.1, ... in one folder.  A file is opened only
 * if it is a regular file and not a symbolic link, so that what is written or
 * deleted is always the file of that name in that folder.  What is in a file
 * that exists has to look like the work of fileio (owned.h), with one name
 * only, before the file is changed or removed.  A block device is
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

  /* If a block device replaces the folder, it is the only file. */
  uint64_t device_bytes; /* used bytes of it; 0: this is a folder */
  bool read_only;        /* the device or the files are only read */

  uint64_t block; /* bytes; helps to recognise files of earlier commands */
  bool force;     /* --force: files of anyone may be changed and removed */
};

/* The descriptors of all files; shared by all threads. */
struct files {
  const struct folder *folder; /* borrowed */
  uint64_t n;                  /* number of open files */
  int *fd;                     /* owned */
};

static inline bool folder_is_device(const struct folder *f)
{
  return f->device_bytes > 0;
}

int folder_open(struct folder *f, const char *path, struct err *err);
void folder_close(struct folder *f);

/* Write the name as users know it to `buf`; returns buf. */
const char *folder_name(const struct folder *f, uint64_t file, char *buf,
                        size_t room);

/*
 * Open one file for writing, or for reading if the folder is read_only, with
 * `flags` for open() added; create: also if it does not exist.  *ret_bytes is
 * its length; NULL: not wanted.
 */
int folder_open_file(const struct folder *f, uint64_t file, int flags,
                     bool create, int *ret_fd, uint64_t *ret_bytes,
                     struct err *err);

/* Look at a file.  False: it does not exist, or the system refuses. */
bool folder_stat(const struct folder *f, uint64_t file, struct stat *ret);

/*
 * -EPERM: a regular file that fileio has not made, or that has another name,
 * too, so it must not be changed or removed.
 */
int folder_check_owned(const struct folder *f, uint64_t file, struct err *err);

/* Remove a file that passes this check.  It is not an error if it does not
 * exist.  A device stays. */
int folder_remove(const struct folder *f, uint64_t file, struct err *err);

/*
 * Open `n` files of at least `bytes` bytes each; with `fresh`, remove and
 * create them.  Raises the limit of open files if that is allowed.
 */
int files_open(struct files *fs, const struct folder *folder, uint64_t n,
               uint64_t bytes, int flags, bool fresh, struct err *err);
void files_close(struct files *fs);

/* Do the names still lead to the open files? */
int files_check_names(const struct files *fs, struct err *err);

/* Write dirty data and make the page cache forget everything. */
int files_drop_cache(const struct files *fs, struct err *err);

#endif
