/*
 * options.h - all options known before the test.  Each module has its rows and
 * its struct; this file has their order, that of the help.
 */
#ifndef BENCH_PROGRAM_OPTIONS_H
#define BENCH_PROGRAM_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "ack/options.h"
#include "db/load/options.h"
#include "db/options.h"
#include "lua/engine/setup.h"
#include "monitor/options.h"
#include "nodes/options.h"
#include "opt/cmdline.h"
#include "opt/optset.h"
#include "results/options.h"
#include "run/mix/list.h"
#include "run/options.h"
#include "stats/rand/options.h"
#include "stats/report.h"
#include "tools/sweep_opts.h"

struct err;

struct program_cfg {
  int64_t verbosity;
};

struct program_options {
  struct program_cfg own;
  struct cmdline_cfg cmdline;
  struct run_cfg run;
  struct mix_cfg mix;
  struct report_setup report;
  struct rand_cfg rand;
  struct db_cfg db;
  struct ack_cfg ack;
  struct load_cfg load;
  struct monitor_cfg monitor;
  struct script_cfg script;
  struct nodes_cfg ranks;
  struct results_cfg results;
  struct sweep_cfg sweep;
};

struct program_table {
  enum opt_section section;
  const struct opt *rows;
  size_t off;
};

enum {
  PROGRAM_TABLES = 18
};

extern const struct program_table program_tables[PROGRAM_TABLES];

/* In the order of the help; ends with NULL. */
extern const char *const program_groups[];

/* Both must live equally long. */
int program_options_add(struct optset *set, struct program_options *opts,
                        struct err *err);

/* For struct cmdline_input; `opts`: a struct program_options. */
int program_options_check(void *opts, struct cmdline *c, struct err *err);

/* 0 (fatal) to 5 (debug). */
int program_log_level(const struct program_options *opts);

/* Without a value: "" and 0. */
const char *program_value(const struct optset *set, const char *name);
uint64_t program_size(const struct optset *set, const char *name);

#endif
