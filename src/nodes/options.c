#include "nodes/options.h"

static const char *const cluster_words[] = { "auto", "off", NULL };

const struct opt nodes_opts[] = {
  {
    OPT_WORD(struct nodes_cfg, cluster),
    .name = "cluster",
    .group = "General",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "auto",
    .words = cluster_words,
    .help = "one run of all processes that mpirun has launched {auto,off}",
    .man =
      "If mpirun (Open MPI or MPICH) launches bench, all processes do one run: "
      "--threads is the number of threads of each process, --rate, "
      "--load-profile and --events are divided among them, and process 0 "
      "prints one report. "
      "With \"off\" each process does a separate run.",
  },
  {
    OPT_BOOL(struct nodes_cfg, report),
    .name = "report-ranks",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "off",
    .help = "print a table of the processes of a run at the end of the report",
    .man = "The option has no effect on a run of one process.",
  },
  OPT_END,
};
