/*
 * help.h - the text of --help and of `TESTNAME help`.
 */
#ifndef BENCH_OPT_HELP_H
#define BENCH_OPT_HELP_H

#include <stddef.h>

#include "opt/opt.h"

struct optset;
struct strbuf;

/* A driver or a test. */
struct help_item {
  const char *name;
  const char *title;
};

struct help_lists {
  const struct help_item *drivers;
  size_t n_drivers;
  const struct help_item *tests;
  size_t n_tests;
  const struct help_item *tools; /* given instead of a test */
  size_t n_tools;
  const struct help_item *scripts; /* bundled; none under the name sysbench */
  size_t n_scripts;
};

/* One screen: usage, all tests, the most used options. */
void help_screen(struct strbuf *out, const char *prog, const struct optset *set,
                 const struct help_lists *lists);

/* Tests, scripts and tools, one line each. */
void help_names(struct strbuf *out, const struct help_lists *lists);

/* All options except those of tests; with set->as_sysbench, the words of
 * sysbench --help. A driver's options have its name as owner. */
void help_all(struct strbuf *out, const char *prog, const struct optset *set,
              const struct help_lists *lists);

/* "NAME options:" and those of the test; a script's are sorted by name. */
void help_test(struct strbuf *out, const char *name, const struct optset *set);

/* As for --db-driver=help. */
void help_drivers(struct strbuf *out, const struct help_lists *lists);

/* Without any argument. */
void help_usage(struct strbuf *out, const char *prog);

/* The rows up to OPT_END in troff's man macros: name, meaning, what is allowed,
 * default. */
void help_man_options(struct strbuf *out, const struct opt *rows);

/* Escaped for troff. */
void help_man_text(struct strbuf *out, const char *text);

#endif
