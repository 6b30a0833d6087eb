/*
 * space.h - how much can be written to a folder before it is full.
 *
 * What a file system reports is not all: the files of one that is kept in
 * memory need free memory, and the control group of the process may have less
 * of it than the machine.
 */
#ifndef BENCH_BASE_SPACE_H
#define BENCH_BASE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#define SPACE_UNKNOWN UINT64_MAX

/* Bytes, or SPACE_UNKNOWN. */
struct space {
  uint64_t disk;   /* free in the file system, for users that are not root */
  uint64_t memory; /* that the machine can give; unknown on real disks */
  uint64_t group;  /* that the control group can give; unknown on real disks */
  uint64_t block;  /* a file takes whole blocks of this size; at least 1 */
};

/* ---- arithmetic ---- */

/* What can be written: the least of what is known. */
uint64_t space_free(const struct space *s);

/* Where the least of it is: "free", "of free memory", "left of the memory of
 * the control group". */
const char *space_words(const struct space *s);

/* Bytes of whole blocks that hold `bytes`. */
uint64_t space_of_file(const struct space *s, uint64_t bytes);

/* ---- looking ---- */

/*
 * Look at the file system of an open file or folder, or of a path.  Everything
 * is unknown where the system does not tell.  `root` is put before the paths of
 * /proc and /sys; it is "" outside of tests.
 */
struct space space_look(const char *root, int fd);
struct space space_look_at(const char *root, const char *path);

/* The part of space_look() that does not depend on the file system: sets
 * `memory` and `group`. */
void space_look_memory(const char *root, struct space *s);

#endif
