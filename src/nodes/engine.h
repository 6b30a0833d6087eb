/*
 * engine.h - was this process launched as one of several, and by which
 * launcher?
 */
#ifndef BENCH_NODES_ENGINE_H
#define BENCH_NODES_ENGINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "nodes/link.h"

struct err;

/* What the environment says before any MPI library is opened. */
struct launch {
  const char *engine;  /* "Open MPI"; NULL: not launched, or only one process */
  const char *package; /* the engine in names of packages */
  const char *plugin;  /* the file in that package */
  unsigned rank, size;
  pid_t parent; /* the launcher's process on this machine */
  bool bound;   /* the engine says that it has bound the process to cores */
  bool kills;   /* when one process dies, it kills the others at once */
};

/* `get` is getenv(), or a replacement in tests. */
struct launch launch_find(char *(*get)(const char *name));

/*
 * Open the plug-in.  It is beside the program (`folder`, "" if unknown; or its
 * .libs, in the build tree), or else in `libdir`: bench_mpi.so, which a build
 * with one engine has, or that of the launch, of which there can be several.
 * It stays open.
 */
int engine_open(const struct launch *launch, const char *folder,
                const char *libdir, const struct cluster_link **ret,
                struct err *err);

/*
 * How many processors the process may use, if the launcher may use more; 0: it
 * is not bound to fewer.  *ret_all is the number of the machine.
 */
unsigned engine_bound_cpus(const struct launch *launch, unsigned *ret_all);

#endif
