/*
 * help.h - the text of --help and of `TESTNAME help`.
 */
#ifndef BENCH_OPT_HELP_H
#define BENCH_OPT_HELP_H

#include <stddef.h>

#include "opt/cmdline.h"
#include "opt/opt.h"

struct optset;
struct strbuf;

/* A driver or a test. */
struct help_item {
  const char *name;
  const char *title;
  const struct opt *opts; /* of a test */
};

struct help_lists {
  const char *const *groups; /* headings in this order; ends with NULL */
  const struct help_item *drivers;
  size_t n_drivers;
  const struct help_item *tests;
  size_t n_tests;
  const struct help_item *tools; /* given instead of a test */
  size_t n_tools;
  const struct help_item *scripts; /* bundled; none under the name sysbench */
  size_t n_scripts;
};

/* The options of a ring by their groups; COMMON also has the usage and all
 * tests, EXPERT those of built-in tests. */
void help_ring(struct strbuf *out, const char *prog, const struct optset *set,
               const struct help_lists *lists, enum cmdline_help ring);

/* Tests, scripts and tools, one line each. */
void help_names(struct strbuf *out, const struct help_lists *lists);

/* In the words of sysbench --help: all options except those of tests. A
 * driver's options have its name as owner. */
void help_sysbench(struct strbuf *out, const char *prog,
                   const struct optset *set, const struct help_lists *lists);

/* "NAME options:" and those of the test; a script's are sorted by name. */
void help_test(struct strbuf *out, const char *name, const struct optset *set);

/* As for --db-driver=help. */
void help_drivers(struct strbuf *out, const struct help_lists *lists);

/* Without any argument. */
void help_usage(struct strbuf *out, const char *prog);

/* The allowed words, if every value is one. */
void help_add_choices(struct strbuf *out, const struct opt *row,
                      const char *between);
/* The help line without these words. */
void help_add_text(struct strbuf *out, const struct opt *row);

/* "TITLE text", with further lines below the text. */
void help_add_wrapped(struct strbuf *out, const char *title, const char *text);

/* The rows up to OPT_END in troff's man macros: name, meaning, what is allowed,
 * default. */
void help_man_options(struct strbuf *out, const struct opt *rows);

/* Escaped for troff. */
void help_man_text(struct strbuf *out, const char *text);

#endif
