/*
 * files.h - the test's files, test_file.0, test_file.1, ... in one folder. No
 * other file is ever touched.
 *
 * Only regular files are opened, no symbolic links. A file is changed or
 * removed only if its content looks like fileio's (validate.h), and it has one
 * name. A block device is opened by its name, and never removed.
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

/*
 * Offsets and lengths of direct I/O must be multiples of this, as the kernel,
 * reads of the first file or the block device show. Opens nothing for writing.
 */
uint64_t files_direct_alignment(const struct folder *folder);

/* --file-device is written to only with --yes-destroy. Call folder_close() in
 * any case. */
int files_device_or_folder(struct folder *f, const struct fileio_cfg *cfg,
                           bool writes, struct err *err);

/* Only warns, because command lines for several modes have such options. `run`:
 * otherwise only those of prepare. */
void files_warn_ignored(const struct fileio_cfg *cfg, bool run);

/* Warns about folders in memory, and files that fit in memory unless data go
 * `to_disk`. */
void files_print_advice(const struct folder *folder, uint64_t total_bytes,
                        bool to_disk);

enum {
  FILES_NAME_MAX = 512
};

struct folder {
  int fd;
  const char *path; /* borrowed; "": the current folder */

  uint64_t device_bytes; /* of the device; 0: a folder */
  bool read_only;

  uint64_t block; /* probable block size of old files */
  bool force;     /* change files of others, too */
};

struct files {
  const struct folder *folder;
  uint64_t n;
  int *fd; /* owned */
};

static inline bool folder_is_device(const struct folder *f)
{
  return f->device_bytes > 0;
}

int folder_open(struct folder *f, const char *path, struct err *err);
void folder_close(struct folder *f);

const char *folder_name(const struct folder *f, uint64_t file, char *buf,
                        size_t room);

/* For writing, or reading if the folder is read_only, with more `flags` of
 * open(). *ret_bytes, which may be NULL, is the length. */
int folder_open_file(const struct folder *f, uint64_t file, int flags,
                     bool create, int *ret_fd, uint64_t *ret_bytes,
                     struct err *err);

/* -EPERM: a regular file of others, or with a second name: neither change nor
 * remove it. */
int folder_check_owned(const struct folder *f, uint64_t file, struct err *err);

/* Removes a file that passes this check, if it exists. A device stays. */
int folder_remove(const struct folder *f, uint64_t file, struct err *err);

/* Opens files of at least `bytes` bytes; `fresh`: new ones. Raises the limit of
 * open files if allowed. */
int files_open(struct files *fs, const struct folder *folder, uint64_t n,
               uint64_t bytes, int flags, bool fresh, struct err *err);
void files_close(struct files *fs);

int files_check_names(const struct files *fs, struct err *err);

int files_drop_cache(const struct files *fs, struct err *err);

/* -ENOSPC: too little room for all files, including existing ones. */
int files_check_room(const struct folder *folder, const struct layout *layout,
                     struct err *err);

bool files_room_is_error(int code);

const char *files_room_error_words(int code);

/* A command's files as they were before it, in order. Zeroed at first; one
 * thread at a time. */
struct taken {
  uint64_t first, step;
  uint64_t n, room;
  uint64_t *length; /* owned; UINT64_MAX: no file */
};

/* Call before opening the next file. -ENOMEM. */
int taken_add(struct taken *t, const struct folder *folder, struct err *err);

/* Removes new files, and cuts others to their old length (*ret_cut). False:
 * some failed. */
bool taken_undo(const struct taken *t, const struct folder *folder,
                bool *ret_cut);

void taken_done(struct taken *t);

#endif
