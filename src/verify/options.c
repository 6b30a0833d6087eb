/*
 * options.c - the options of `bench verify`; each kind names its own.
 */
#include "verify/verify.h"

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
  OPT_END,
};
