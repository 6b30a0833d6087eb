/*
 * options.h - the options of the connection that reads a server's figures.
 */
#ifndef BENCH_MONITOR_OPTIONS_H
#define BENCH_MONITOR_OPTIONS_H

#include "opt/opt.h"

enum server_stats {
  SERVER_STATS_AUTO, /* on with files that have intervals as objects */
  SERVER_STATS_ON,
  SERVER_STATS_OFF,
};

struct monitor_cfg {
  int stats; /* enum server_stats */
  uint64_t statements;
  /* "": as for the run */
  const char *user, *password, *host;
};

extern const struct opt monitor_opts[];

#endif
