/*
 * space.h - the free space of a folder. File systems in memory need free
 * memory, of which the control group can have less than the machine.
 */
#ifndef BENCH_MACHINE_SPACE_H
#define BENCH_MACHINE_SPACE_H

#include <stdint.h>

#define SPACE_UNKNOWN UINT64_MAX

/* Bytes, or SPACE_UNKNOWN. */
struct space {
  uint64_t disk;   /* for users other than root */
  uint64_t memory; /* of the machine; unknown on real disks */
  uint64_t group;  /* of the control group; unknown on real disks */
  uint64_t block;  /* files take whole blocks; at least 1 */
};

/* The smallest known number. */
uint64_t space_free(const struct space *s);

/* The name of the smallest: "free", "of free memory", "left of the memory of
 * the control group". */
const char *space_words(const struct space *s);

/* In whole blocks. */
uint64_t space_of_file(const struct space *s, uint64_t bytes);

/* All unknown if the system cannot answer. */
struct space space_look(const char *root, int fd);
struct space space_look_at(const char *root, const char *path);

/* Sets `memory` and `group`. */
void space_look_memory(const char *root, struct space *s);

#endif
