/*
 * space.h - how much can be written to a folder before it is full.
 *
 * The free space of a file system is not enough to know.  Files of a file
 * system in memory need free memory, and the control group of the process may
 * have less of it than the machine.
 */
#ifndef BENCH_MACHINE_SPACE_H
#define BENCH_MACHINE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#define SPACE_UNKNOWN UINT64_MAX

/* Bytes, or SPACE_UNKNOWN. */
struct space {
  uint64_t disk;   /* free in the file system, for users other than root */
  uint64_t memory; /* free memory of the machine; unknown on real disks */
  uint64_t group;  /* free memory of the control group; unknown on real disks */
  uint64_t block;  /* a file takes whole blocks of this size; at least 1 */
};

/* ---- arithmetic ---- */

/* How much can be written: the smallest of the known numbers. */
uint64_t space_free(const struct space *s);

/* Which of them is the smallest: "free", "of free memory", "left of the memory
 * of the control group". */
const char *space_words(const struct space *s);

/* Bytes of whole blocks that hold `bytes`. */
uint64_t space_of_file(const struct space *s, uint64_t bytes);

/* ---- looking ---- */

/*
 * Look at the file system of an open file or folder, or of a path.  Everything
 * is unknown if the system does not say.  `root` is put before the paths of
 * /proc and /sys; it is "" except in tests.
 */
struct space space_look(const char *root, int fd);
struct space space_look_at(const char *root, const char *path);

/* The part of space_look() that does not depend on the file system: sets
 * `memory` and `group`. */
void space_look_memory(const char *root, struct space *s);

#endif
