/*
 * files.h - the test's files: their names, and opening them so that no other
 * file is ever touched.
 *
 * Files are test_file.0, test_file.1, ...  in one folder.  A file is opened
 * only if it is a regular file and not a symbolic link, so that what is written
 * or deleted is always the file of that name in that folder.  What is in a file
 * that exists has to look like the work of fileio (validate.h), with one name
 * only, before the file is changed or removed.  A block device is opened by its
 * own name, and never removed.
 */
#ifndef BENCH_TESTS_FILEIO_FILES_H
#define BENCH_TESTS_FILEIO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct fileio_cfg;
struct folder;
struct layout;
struct stat;

/* ---- the alignment that a file system requires for direct I/O ---- */

/*
 * The number of bytes of which offsets and lengths of direct I/O in this folder
 * must be multiples.  The kernel is asked about the first file.  If it does not
 * know, reads with growing blocks find out.  If there is no file yet, the block
 * device of the folder is asked.  Nothing is opened for writing.
 */
uint64_t files_direct_alignment(const struct folder *folder);

/* ---- device ---- */

/*
 * Chooses where the blocks are: in the files of a folder, or directly on a
 * block device.
 */

/*
 * Open the folder of --file-dir, or the device of --file-device.  Writing to a
 * device destroys its contents: it is refused without --yes-destroy.  Call
 * folder_close() afterwards, also after a failure.
 */
int files_device_or_folder(struct folder *f, const struct fileio_cfg *cfg,
                           bool writes, struct err *err);

/* ---- ignored ---- */

/*
 * Warnings about options that have no effect beside others.
 *
 * They are no errors: command lines for several modes, and those of sysbench,
 * have such options.
 */

/* Prints a warning for each option without effect.  run: the run command; else
 * only what concerns prepare. */
void files_warn_ignored(const struct fileio_cfg *cfg, bool run);

/* ---- warnings about runs whose figures mean less than they seem to ---- */

/*
 * Warn if a folder is not on a disk, and if files fit in memory, unless
 * `to_disk`: the data reach the disk anyway.
 */
void files_print_advice(const struct folder *folder, uint64_t total_bytes,
                        bool to_disk);

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

/* ---- room ---- */

/*
 * Checks whether there is room for the files, and takes them back if there
 * proves to be none.
 */

/*
 * Is there room in a folder for all files of the layout?  Existing files
 * already count.  -ENOSPC: there is not.
 */
int files_check_room(const struct folder *folder, const struct layout *layout,
                     struct err *err);

/* Does the error of a write mean that there was no room? */
bool files_room_is_error(int code);

/* The error in words: "no space is left on the device". */
const char *files_room_error_words(int code);

/*
 * The earlier state of the files that a command has opened, in that order. {0}
 * has none; one thread at a time.
 */
struct taken {
  uint64_t first, step; /* numbers of the files: first, first + step, ... */
  uint64_t n, room;
  uint64_t *length; /* owned; UINT64_MAX: the file did not exist */
};

/* Call this before the next file is opened.  -ENOMEM. */
int taken_add(struct taken *t, const struct folder *folder, struct err *err);

/*
 * Remove the files that did not exist, and cut the others to their earlier
 * length.  False: it failed for some.  *ret_cut: there were others.
 */
bool taken_undo(const struct taken *t, const struct folder *folder,
                bool *ret_cut);

void taken_done(struct taken *t);

#endif
