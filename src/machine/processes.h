/*
 * processes.h - which other programs on this machine used its processors.
 *
 * Files are read below `root`, which is "" for the system itself.  Programs in
 * other containers and those that are hidden (hidepid) are not seen.
 */
#ifndef BENCH_MACHINE_PROCESSES_H
#define BENCH_MACHINE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_use;

enum {
  PROCESS_NAME_SIZE = 16, /* size of a program's name in the kernel */
};

/* A process, and its children that have ended. */
struct process {
  int pid, parent;
  char name[PROCESS_NAME_SIZE];
  uint64_t used_ns;
};

struct processes {
  struct process *of; /* owned */
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
void processes_read(struct processes *ret, const char *root);
void processes_done(struct processes *n);

/*
 * Compute what was used between two readings: the members server_ns, server,
 * sibling_ns and busiest of *ret.  `own_name` is the name of this program:
 * other processes of that name are siblings.
 */
void processes_between(const struct processes *before,
                       const struct processes *after,
                       const struct tested_server *server, const char *own_name,
                       struct machine_use *ret);

#endif
