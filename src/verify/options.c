/*
 * options.c - the options of `bench verify`; each kind names its own.
 */
#include "verify/verify.h"

/* In the order of enum level. */
static const char *const levels[VERIFY_LEVELS + 1] = {
  "read-committed", "repeatable-read", "snapshot", "serializable", NULL
};

const struct opt verify_opts[] = {
  {
    OPT_STRING(struct verify_cfg, query),
    .name = "query",
    .def = "",
    .flags = OPT_OWN,
    .show_as = "=SQL",
    .help = "acknowledgement logs: the query that reads all numbers, one per "
            "row; empty = the one in the log",
  },
  {
    OPT_WORD(struct verify_cfg, expect),
    .name = "expect",
    .def = "serializable",
    .flags = OPT_OWN,
    .words = levels,
    .help = "histories: the level of isolation that the run should have had",
    .man = "Lists which anomalies are found, and which of them the level "
           "excludes. If there is one of these, the exit status is 1.",
  },
  {
    OPT_STRING(struct verify_cfg, export_edn),
    .name = "export-edn",
    .def = "",
    .flags = OPT_OWN | OPT_PATH,
    .show_as = "=FILE",
    .help = "histories: write the history to FILE as EDN, for Elle's "
            "command-line checker",
  },
  {
    OPT_STRING(struct verify_cfg, export_json),
    .name = "export-json",
    .def = "",
    .flags = OPT_OWN | OPT_PATH,
    .show_as = "=FILE",
    .help = "histories: write the history to FILE as JSON, for the same",
  },
  OPT_END,
};
