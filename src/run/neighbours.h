/*
 * neighbours.h - which other programs on this machine used its processors.
 * Only for src/run.
 *
 * Files are read below `root`, which is "" for the system itself.  Programs in
 * other containers and those that are hidden (hidepid) are not seen.
 */
#ifndef BENCH_RUN_NEIGHBOURS_H
#define BENCH_RUN_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_use;

enum {
  NEIGHBOURS_NAME_SIZE = 16, /* size of a program's name in the kernel */
};

/* A process, and its children that have ended. */
struct neighbour {
  int pid, parent;
  char name[NEIGHBOURS_NAME_SIZE];
  uint64_t used_ns;
};

struct neighbours {
  struct neighbour *of; /* owned */
  size_t n, room;
};

/*
 * The server that the run measures, as far as it runs on this machine: the
 * process that listens and its children, or, where nobody knows the process or
 * it only forwards statements, all programs that serve this kind of client.
 */
struct tested_server {
  bool here;
  int pid;            /* 0: unknown */
  const char *driver; /* [opt] "mysql", "pgsql" */
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
                        const struct neighbours *after,
                        const struct tested_server *server,
                        const char *own_name, struct machine_use *ret);

#endif
