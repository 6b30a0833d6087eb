#include "db/load/options.h"

static const char *const table_exists_words[] = { "error", "skip", "drop",
                                                  "resume", NULL };
static const char *const load_method_words[] = { "auto", "insert", "bulk",
                                                 NULL };
static const char *const create_index_words[] = { "after", "before", "off",
                                                  NULL };

const struct opt load_opts[] = {
  {
    OPT_WORD(struct load_cfg, table_exists),
    .name = "table-exists",
    .group = "Tables",
    .flags = OPT_OWN | OPT_COMMON,
    .def = "error",
    .words = table_exists_words,
    .help = "what prepare does when a table exists {error,skip,drop,"
            "resume}",
    .man = "prepare stops with an error, leaves the table as it is, drops and "
           "creates it again, or adds the rows that an interrupted prepare has "
           "not loaded. The last needs the same seed, distribution and table "
           "size. All bundled workloads with tables take it.",
  },
  {
    OPT_WORD(struct load_cfg, method),
    .name = "load-method",
    .flags = OPT_OWN,
    .def = "auto",
    .words = load_method_words,
    .help = "how prepare sends rows {auto,insert,bulk}",
    .man = "\"bulk\" is the loading interface of the database: COPY of "
           "PostgreSQL, LOAD DATA LOCAL of MySQL, one prepared statement of "
           "SQLite. \"insert\" sends multi-row INSERTs. \"auto\" takes the "
           "faster one that the server allows. All bundled workloads with "
           "tables take it.",
  },
  {
    OPT_BOOL(struct load_cfg, analyze),
    .name = "load-analyze",
    .flags = OPT_OWN,
    .def = "off",
    .help = "let prepare end each table with ANALYZE",
    .man = "The statistics of the optimiser are then the same for all "
           "following runs and do not change when the server gathers them. "
           "All bundled workloads with tables take it.",
  },
  {
    OPT_WORD(struct load_cfg, create_index),
    .name = "create-index",
    .flags = OPT_OWN,
    .def = "after",
    .words = create_index_words,
    .help = "when prepare creates secondary indexes {after,before,off}",
    .man = "prepare creates them after the rows, which is faster, before them, "
           "or not at all. The oltp and select scripts and tpcb take it.",
  },
  {
    OPT_BOOL(struct load_cfg, dry_run),
    .name = "dry-run",
    .flags = OPT_OWN,
    .def = "off",
    .help = "cleanup only prints which tables it would drop",
    .man = "It prints the tables with their rows, and why cleanup would keep "
           "one. Only the cleanup command of the bundled scripts has it.",
  },
  OPT_END,
};
