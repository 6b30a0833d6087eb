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
  NEIGHBOURS_NAME_SIZE = 16, /* size of a program's name in the kernel */
};

/* All processes with one name, and their children that have ended. */
struct neighbour {
  char name[NEIGHBOURS_NAME_SIZE];
  uint64_t used_ns;
};

struct neighbours {
  struct neighbour *of; /* owned */
  size_t n;
};

/* Read what all programs except this process have used so far.  The list is
 * empty if they cannot be read, or if there are too many to read them
 * quickly. */
void neighbours_read(struct neighbours *ret, const char *root);
void neighbours_done(struct neighbours *n);

/*
 * Compute what was used between two readings: the members server_ns, server,
 * sibling_ns and busiest of *ret.  `own_name` is the name of this program:
 * other processes of that name are siblings.
 */
void neighbours_between(const struct neighbours *before,
                        const struct neighbours *after, const char *own_name,
                        struct machine_use *ret);

#endif
