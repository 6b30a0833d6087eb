/*
 * setup.h - the data that a script is loaded with.
 */
#ifndef BENCH_LUA_ENGINE_SETUP_H
#define BENCH_LUA_ENGINE_SETUP_H

#include <stdbool.h>

struct ack_log;
struct bundle;
struct db_process;
struct optset;
struct plan;
struct resolved;
struct script_cfg;

/* All pointers are borrowed and must outlive the script. */
struct script_setup {
  const struct plan *plan;
  const struct resolved *what; /* RESOLVE_SCRIPT or RESOLVE_STDIN */
  const char *datadir;         /* the folder of the bundled scripts */
  const struct optset *opts;
  struct db_process *db;
  struct ack_log *const *ack; /* [opt] set when a run begins; NULL: no log */
  bool db_line;        /* the default driver may add a line to the mode block */
  const char *command; /* NULL: none */
  const struct script_cfg *cfg;
  int argc;
  char *const *argv;

  /* [opt] The name of the script in a mix. */
  const char *member;
  /* The workers that run it; 0: all of the run. */
  unsigned workers;

  /* [opt] What other processes need is added here. */
  struct bundle *record;
  /* [opt] What another process sent: it is read instead of files. */
  const struct bundle *bundle;
};

#endif
