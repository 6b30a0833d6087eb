/*
 * tool.h - commands that take the place of a test.
 */
#ifndef BENCH_TOOLS_TOOL_H
#define BENCH_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "opt/opt.h"
#include "stats/slo.h"

struct err;
struct optset;
struct program;
struct results_cfg;
struct sweep_cfg;

enum {
  TOOL_OK = 0,
  TOOL_FAILED = 1,
  TOOL_BAD_INPUT = 2, /* not a result, or bad arguments */
  TOOL_SLOWER = 3,    /* compare: beyond the threshold */
  /* compare: --slo missed */
  TOOL_MISSED = SLO_EXIT_STATUS,
  TOOL_UNDECIDED = 5, /* compare: inconclusive */
};

/* The command line; all borrowed. */
struct tool_args {
  const void *cfg; /* the tool's own */
  const struct optset *set;
  const char *const *files;
  size_t n_files;
  int argc;
  char *const *argv;
  const char *tool_name;
  const struct tool *const *tools; /* tool_list */
  /* Common options. */
  const struct results_cfg *results;
  const struct sweep_cfg *sweep;
  double time_s;
  const char *objective; /* --slo; "": none */
  /* Is a test, or are all members of a mix, bundled? */
  bool (*is_bundled)(const struct program *program, const char *text, bool mix);
  const struct program *program;
};

struct tool {
  const char *name;
  const char *summary;
  const char *usage; /* after the name */
  const struct opt *opts;
  size_t cfg_size;
  bool takes_any_option; /* options of a test */
  bool uses_database;    /* files follow; src/program does the work */

  /*
   * Returns the exit status; the caller prints err->text after a failure. NULL:
   * the program does the work; without uses_database, a test follows the name
   * (doctor).
   */
  int (*run)(const struct tool_args *args, struct err *err);
};

extern const struct tool tool_compare, tool_report, tool_rerun, tool_doctor,
  tool_machine, tool_database, tool_try, tool_verify, tool_mark, tool_merge,
  tool_ack_listen;

extern const struct tool *const tool_list[]; /* ends with NULL */

/* And not a test. */
static inline bool tool_takes_files(const struct tool *tool)
{
  return tool->run || tool->uses_database;
}

#endif
