/*
 * core_db_opts.c - the rows of the options that all databases have in common.
 */
#include "opt/core_opts.h"

static const char *const ps_mode_words[] = { "auto", "disable", NULL };

static const char *const table_exists_words[] = { "error", "skip", "drop",
                                                  "resume", NULL };
static const char *const load_method_words[] = { "auto", "insert", "bulk",
                                                 NULL };
static const char *const create_index_words[] = { "after", "before", "off",
                                                  NULL };

const struct opt core_db_opts[] = {
  {
    OPT_STRING(struct db_cfg, driver),
    .name = "db-driver",
    .flags = OPT_COMMON,
    .def = "mysql",
    .help = "database driver; 'help' prints the driver list",
  },
  {
    OPT_STRING(struct db_cfg, dsn),
    .name = "dsn",
    .flags = OPT_OWN,
    .show_as = "=URL",
    .help = "driver and server as a URL: mysql://, postgresql:// or sqlite:",
    .man = "DRIVER://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE&..., where "
           "all parts after the driver may be missing, or sqlite:FILE. It "
           "chooses the driver and sets the options of that driver; options "
           "that are given win. Without it the environment variable "
           "BENCH_DSN is used.",
  },
  {
    OPT_STRING(struct db_cfg, password_file),
    .name = "password-file",
    .flags = OPT_OWN,
    .show_as = "=FILE",
    .help = "read the password of the driver in use from the first line of a "
            "file",
    .man = "\"-\" is the standard input. There is a warning if other users "
           "can read the file. A password that is given to the driver's own "
           "option wins.",
  },
  {
    OPT_BOOL(struct db_cfg, ask_password),
    .name = "ask-password",
    .flags = OPT_OWN,
    .def = "off",
    .help = "ask for the password of the driver in use on the terminal",
    .man = "The password is not shown. A sweep asks once for all steps, and a "
           "run of several processes asks once.",
  },
  {
    OPT_WORD(struct db_cfg, ps_mode),
    .name = "db-ps-mode",
    .def = "auto",
    .words = ps_mode_words,
    .help = "prepared statements on the server, or emulated by the client "
            "{auto,disable}",
  },
  {
    OPT_BOOL(struct db_cfg, debug),
    .name = "db-debug",
    .def = "off",
    .help = "database debug output",
  },
  {
    OPT_LIST(struct db_cfg, ignore_errors),
    .name = "db-ignore-errors",
    .flags = OPT_NO_GAPS | OPT_OWN,
    .def = "",
    .help = "errors ignorable for every driver, added to the driver's own list",
  },
  {
    OPT_TIME(struct db_cfg, connect_timeout_s),
    .name = "db-connect-timeout",
    .flags = OPT_OWN,
    .def = "10",
    .fmin = 0.1,
    .fmax = 3600,
    .help = "seconds for opening one connection",
  },
  {
    OPT_TIME(struct db_cfg, query_timeout_s),
    .name = "db-query-timeout",
    .flags = OPT_OWN,
    .def = "0",
    .fmax = 86400,
    .help = "seconds one statement may take; 0 = no limit of its own",
    .man = "A statement that takes longer is cancelled and fails with the "
           "error of cancelled statements (1317 of MySQL, 57014 of "
           "PostgreSQL, 9 of SQLite); if that is fatal, the message names "
           "this option. A second later the connection is broken.",
  },
  {
    OPT_SIZE(struct db_cfg, max_result_size),
    .name = "db-max-result-size",
    .flags = OPT_OWN,
    .def = "1G",
    .help = "bytes of rows that one result may take in memory; 0 = no limit",
    .man = "A larger result is an error that loses the connection. Rows that a "
           "script cannot read are counted and dropped, so they have no limit. "
           "Results that a client library receives (with TLS or compression, "
           "say) are not limited.",
  },
  {
    OPT_WORD(struct db_cfg, table_exists),
    .name = "table-exists",
    .flags = OPT_OWN,
    .def = "error",
    .words = table_exists_words,
    .help = "what prepare does when a table exists {error,skip,drop,"
            "resume}",
    .man = "prepare stops with an error, leaves the table as it is, drops and "
           "creates it again, or adds the rows that an interrupted prepare has "
           "not loaded. The last needs the same seed, distribution and table "
           "size. Honoured "
           "by the bundled OLTP scripts.",
  },
  {
    OPT_WORD(struct db_cfg, load_method),
    .name = "load-method",
    .flags = OPT_OWN,
    .def = "auto",
    .words = load_method_words,
    .help = "how prepare sends rows {auto,insert,bulk}",
    .man = "\"bulk\" is the loading interface of the database: COPY of "
           "PostgreSQL, LOAD DATA LOCAL of MySQL, one prepared statement of "
           "SQLite. \"insert\" sends multi-row INSERTs. \"auto\" takes the "
           "faster one that the server allows. Honoured by the bundled OLTP "
           "scripts.",
  },
  {
    OPT_BOOL(struct db_cfg, load_analyze),
    .name = "load-analyze",
    .flags = OPT_OWN,
    .def = "off",
    .help = "let prepare end each table with ANALYZE",
    .man = "The statistics of the optimiser are then the same for all "
           "following runs and do not change when the server gathers them. "
           "Honoured by the bundled OLTP scripts.",
  },
  {
    OPT_WORD(struct db_cfg, create_index),
    .name = "create-index",
    .flags = OPT_OWN,
    .def = "after",
    .words = create_index_words,
    .help = "when prepare creates secondary indexes {after,before,off}",
    .man = "prepare creates them after the rows, which is faster, before them, "
           "or not at all. "
           "Honoured by the bundled OLTP scripts.",
  },
  OPT_END,
};
