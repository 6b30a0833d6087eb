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
  const struct help_item *drivers; /* the drivers that are compiled in */
  size_t n_drivers;
  const struct help_item *tests;
  size_t n_tests;
  const struct help_item *tools; /* names that can be given instead of a test */
  size_t n_tools;
  const struct help_item *scripts; /* bundled; none under the name sysbench */
  size_t n_scripts;
};

/* Add one screen: usage, names of all tests, the most used options. */
void help_screen(struct strbuf *out, const char *prog, const struct optset *set,
                 const struct help_lists *lists);

/* Add the tests, scripts and tools, one line each. */
void help_names(struct strbuf *out, const struct help_lists *lists);

/* Add all options except those of tests.  With set->as_sysbench, add what
 * sysbench --help prints.  The options of a driver are those whose owner has
 * its name. */
void help_all(struct strbuf *out, const char *prog, const struct optset *set,
              const struct help_lists *lists);

/* Add "NAME options:" and the options of the test in the set; those of a script
 * are sorted by name. */
void help_test(struct strbuf *out, const char *name, const struct optset *set);

/* Add "Compiled-in database drivers:" and the list, as for --db-driver=help. */
void help_drivers(struct strbuf *out, const struct help_lists *lists);

/* Add what is printed when there is no argument at all. */
void help_usage(struct strbuf *out, const char *prog);

/* Add the rows of a table, which ends with OPT_END, as paragraphs in troff's
 * man macros: name, meaning, what is allowed, default. */
void help_man_options(struct strbuf *out, const struct opt *rows);

/* Add text.  Everything that troff would interpret is escaped. */
void help_man_text(struct strbuf *out, const char *text);

#endif
