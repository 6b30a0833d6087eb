/*
 * setup.h - the input of a script.
 */
#ifndef BENCH_LUA_ENGINE_SETUP_H
#define BENCH_LUA_ENGINE_SETUP_H

#include <stdbool.h>

#include "opt/opt.h"

struct ack_log;
struct bundle;
struct db_process;
struct optset;
struct plan;
struct resolved;

struct script_cfg {
  const char *luajit_cmd; /* "": not given */
};

extern const struct opt setup_opts[];

/* All borrowed; must outlive the script. */
struct script_setup {
  const struct plan *plan;
  const struct resolved *what; /* RESOLVE_SCRIPT or RESOLVE_STDIN */
  const char *datadir;
  const struct optset *opts;
  struct db_process *db;
  struct ack_log *const *ack; /* [opt] set when a run begins; NULL: no log */
  bool db_line;               /* the driver can add a line to the mode block */
  const char *command;
  const struct script_cfg *cfg;
  int argc;
  char *const *argv;

  /* [opt] Its name in a mix. */
  const char *member;
  /* Its workers; 0: all of the run. */
  unsigned workers;

  /* [opt] Collects what other processes need. */
  struct bundle *record;
  /* [opt] Sent by another process: read instead of files. */
  const struct bundle *bundle;
};

#endif
