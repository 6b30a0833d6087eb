/*
 * tool.h - commands in the place of a test, most of which work on files of
 * results.
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
  TOOL_BAD_INPUT = 2, /* a file is no result, or arguments make no sense */
  TOOL_SLOWER = 3,    /* compare: slower than allowed */
  /* compare: a new result misses the objective */
  TOOL_MISSED = SLO_EXIT_STATUS,
  TOOL_UNDECIDED = 5, /* compare: nobody can tell; as of searches */
};

/* What is on the command line; all borrowed. */
struct tool_args {
  const void *cfg; /* the tool's own */
  const struct optset *set;
  const char *const *files;
  size_t n_files;
  int argc;
  char *const *argv;
  const char *tool_name; /* one of argv */
  /* Of the options that all commands know. */
  const struct results_cfg *results;
  const struct sweep_cfg *sweep;
  double time_s;         /* --time */
  const char *objective; /* --slo; "": none */
  /* Does a test, or do all members of a --mix, come with the program? */
  bool (*is_bundled)(const struct program *program, const char *text, bool mix);
  const struct program *program;
};

struct tool {
  const char *name;
  const char *summary;
  const char *usage; /* what follows the name */
  const struct opt *opts;
  size_t cfg_size;
  bool takes_any_option; /* the arguments are options of a test, not its own */
  bool uses_database;    /* its files follow, and src/program has its work */

  /* Returns the exit status; prints its results itself.  When the status is
   * not TOOL_OK and err->text is not empty, the caller prints that.  NULL: the
   * program does the work; without uses_database, a test follows its name
   * (doctor). */
  int (*run)(const struct tool_args *args, struct err *err);
};

extern const struct tool tool_compare, tool_report, tool_rerun, tool_doctor,
  tool_machine, tool_verify, tool_mark, tool_merge, tool_ack_listen;

extern const struct tool *const tool_list[]; /* ends with NULL */

/* Do arguments follow its name, and not a test? */
static inline bool tool_takes_files(const struct tool *tool)
{
  return tool->run || tool->uses_database;
}

#endif
