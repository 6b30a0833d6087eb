#include "monitor/options.h"

static const char *const stats_words[] = { "auto", "on", "off", NULL };

const struct opt monitor_opts[] = {
  {
    OPT_WORD(struct monitor_cfg, stats),
    .name = "server-stats",
    .group = "Server statistics",
    .flags = OPT_OWN,
    .def = "auto",
    .words = stats_words,
    .help = "read the statistics of the database server {auto,on,off}",
    .man =
      "One more connection per server reads its counters at the end of "
      "each interval, at most once per second, and samples the wait events of "
      "sessions ten times per second. Nothing is written or reset. "
      "\"auto\" is on with --json, --stream and --live. With \"on\" a few "
      "lines after the report show the work of the server per event.",
  },
  {
    OPT_INT(struct monitor_cfg, statements),
    .name = "server-statements",
    .flags = OPT_OWN,
    .def = "0",
    .max = 100,
    .help = "print the N statements that cost the server most time",
    .man =
      "As the server counts them, without their values, from the start of "
      "the run to its end: by pg_stat_statements, or by performance_schema "
      "on MySQL and MariaDB. Other clients of the same database count as "
      "well. More than 0 turns --server-stats=auto on. --json has 20 "
      "statements, or N if it is larger.",
  },
  {
    OPT_STRING(struct monitor_cfg, user),
    .name = "server-user",
    .aliases = "monitor-user",
    .flags = OPT_OWN | OPT_NOT_EMPTY,
    .show_as = "=USER",
    .help = "user of the connection of --server-stats",
    .expected = "the name of a user",
    .man =
      "The default is the user of the other connections. A message names once "
      "what the user is not allowed to read. On PostgreSQL a member of "
      "pg_read_all_stats sees all, on MySQL and MariaDB a user with the "
      "privilege PROCESS, and SELECT on performance_schema where it is on.",
  },
  {
    OPT_STRING(struct monitor_cfg, password),
    .name = "server-password",
    .aliases = "monitor-password",
    .flags = OPT_OWN | OPT_SECRET,
    .def = "",
    .show_as = "=PASSWORD",
    .help = "password of --server-user",
    .man = "If it is empty, the password of the other connections is used.",
  },
  {
    OPT_STRING(struct monitor_cfg, host),
    .name = "server-host",
    .aliases = "monitor-host",
    .flags = OPT_OWN | OPT_NOT_EMPTY,
    .show_as = "=HOST[:PORT]",
    .expected = "a host, a host and a port as in db1:5432, or the path of a "
                "Unix socket",
    .help = "server that --server-stats reads",
    .man = "Useful where the connections of the run go to a proxy or a pooler. "
           "A text that begins with / is the path of a Unix socket: of its "
           "folder for PostgreSQL.",
  },
  OPT_END,
};
