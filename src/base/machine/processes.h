/*
 * processes.h - which other programs used the CPUs. Programs in other
 * containers, or hidden ones (hidepid), are not seen.
 */
#ifndef BENCH_MACHINE_PROCESSES_H
#define BENCH_MACHINE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_use;

enum {
  PROCESS_NAME_SIZE = 16,
};

/* With its ended children. */
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
 * The server of the run, if on this machine: the listening process and its
 * children. If that process is unknown or a proxy, all programs that serve this
 * kind of client.
 */
struct tested_server {
  bool here;
  int pid;            /* 0: unknown */
  const char *driver; /* [opt] "mysql", "pgsql" */
};

/* All programs but this process. Empty if unreadable or slow to read. */
void processes_read(struct processes *ret, const char *root);
void processes_done(struct processes *n);

/* Sets server_ns, server, sibling_ns and busiest. Processes named `own_name`
 * are siblings. */
void processes_between(const struct processes *before,
                       const struct processes *after,
                       const struct tested_server *server, const char *own_name,
                       struct machine_use *ret);

#endif
