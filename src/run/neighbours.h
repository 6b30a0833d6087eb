/*
 * neighbours.h - which other programs on this machine used its processors.
 * Only for src/run.
 *
 * Files are read below `root`, which is "" for the system itself.  Programs in
 * other containers and those that are hidden (hidepid) are not seen.
 */
#ifndef BENCH_RUN_NEIGHBOURS_H
#define BENCH_RUN_NEIGHBOURS_H

#include <stddef.h>
#include <stdint.h>

struct machine_use;

enum {
  NEIGHBOURS_NAME_SIZE = 16, /* of the kernel's name of a program */
};

/* All processes of one name, and their children that have ended. */
struct neighbour {
  char name[NEIGHBOURS_NAME_SIZE];
  uint64_t used_ns;
};

struct neighbours {
  struct neighbour *of; /* owned */
  size_t n;
};

/* What all programs but this process have used so far.  There are none if they
 * cannot be read, or are too many to be read in a moment. */
void neighbours_read(struct neighbours *ret, const char *root);
void neighbours_done(struct neighbours *n);

/*
 * What was used between two readings: of *ret the members server_ns, server,
 * sibling_ns and busiest.  `own_name` is that of this program: others of that
 * name are siblings.
 */
void neighbours_between(const struct neighbours *before,
                        const struct neighbours *after, const char *own_name,
                        struct machine_use *ret);

#endif
