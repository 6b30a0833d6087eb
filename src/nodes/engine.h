/*
 * engine.h - was this process launched as one of several, and by whom?
 */
#ifndef BENCH_NODES_ENGINE_H
#define BENCH_NODES_ENGINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "nodes/link.h"

struct err;

/* From the environment. */
struct launch {
  const char *engine;  /* NULL: not launched, or one process */
  const char *package; /* name in packages */
  const char *plugin;
  unsigned rank, size;
  pid_t parent; /* the launcher, on this machine */
  bool bound;
  bool kills; /* one death makes the launcher kill all */
};

/* `get`: getenv(), or a replacement in tests. */
struct launch launch_find(char *(*get)(const char *name));

/*
 * Opens the plug-in for ever, in the program's folder (`folder`, "": unknown;
 * or its .libs) or in `libdir`: bench_mpi.so in a build with one engine, or the
 * launch's own.
 */
int engine_open(const struct launch *launch, const char *folder,
                const char *libdir, const struct cluster_link **ret,
                struct err *err);

/* 0: not bound by the launcher. *ret_all: of the machine. */
unsigned engine_bound_cpus(const struct launch *launch, unsigned *ret_all);

#endif
