/*
 * help.h - the text of --help and of `TESTNAME help`.
 */
#ifndef BENCH_OPT_HELP_H
#define BENCH_OPT_HELP_H

#include <stddef.h>

#include "opt/opt.h"

struct optset;
struct strbuf;

/* A driver or a test in a list. */
struct help_item {
  const char *name;
  const char *title;
};

struct help_lists {
  const struct help_item *drivers; /* those compiled in */
  size_t n_drivers;
  const struct help_item *tests;
  size_t n_tests;
  const struct help_item *tools; /* what takes the place of a test */
  size_t n_tools;
  const struct help_item *scripts; /* bundled; none under the name sysbench */
  size_t n_scripts;
};

/* One screen: usage, names of all tests, the options used most. */
void help_screen(struct strbuf *out, const char *prog, const struct optset *set,
                 const struct help_lists *lists);

/* The tests, scripts and tools with a line each. */
void help_names(struct strbuf *out, const struct help_lists *lists);

/* All options but those of tests; with set->as_sysbench, what sysbench --help
 * prints.  Options of a driver are those whose owner has its name. */
void help_all(struct strbuf *out, const char *prog, const struct optset *set,
              const struct help_lists *lists);

/* "NAME options:" and the options of the test in the set; those of a script
 * are sorted by name. */
void help_test(struct strbuf *out, const char *name, const struct optset *set);

/* "Compiled-in database drivers:" and the list, as for --db-driver=help. */
void help_drivers(struct strbuf *out, const struct help_lists *lists);

/* What to print where nothing at all was asked for. */
void help_usage(struct strbuf *out, const char *prog);

/* "=N", "[=on|off]": how a value is given. */
const char *help_format(const struct opt *row);

#endif
