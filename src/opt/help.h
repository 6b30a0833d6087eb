/*
 * help.h - the texts of --help, and options in the manual page.
 */
#ifndef BENCH_OPT_HELP_H
#define BENCH_OPT_HELP_H

#include <stddef.h>

#include "opt/cmdline.h"
#include "opt/opt.h"

struct optset;
struct strbuf;

/* A driver, a test or a tool. */
struct help_item {
  const char *name;
  const char *title;
  const struct opt *opts; /* a test's */
};

struct help_lists {
  const char *const *groups; /* headings in order; ends with NULL */
  const struct help_item *drivers;
  size_t n_drivers;
  const struct help_item *tests;
  size_t n_tests;
  const struct help_item *tools; /* run instead of a test */
  size_t n_tools;
  const struct help_item *scripts; /* bundled; none under the name sysbench */
  size_t n_scripts;
};

/* The options of a ring by groups.  COMMON adds the usage and all tests, EXPERT
 * the options of built-in tests. */
void help_ring(struct strbuf *out, const char *prog, const struct optset *set,
               const struct help_lists *lists, enum cmdline_help ring);

void help_names(struct strbuf *out, const struct help_lists *lists);

/* As sysbench --help: all options except those of tests.  A driver's options
 * have its name as owner. */
void help_sysbench(struct strbuf *out, const char *prog,
                   const struct optset *set, const struct help_lists *lists);

/* "NAME options:" and the options of the test; a script's are sorted by
 * name. */
void help_test(struct strbuf *out, const char *name, const struct optset *set);

void help_drivers(struct strbuf *out, const struct help_lists *lists);

void help_usage(struct strbuf *out, const char *prog);

/* The allowed words, if no other value is allowed. */
void help_add_choices(struct strbuf *out, const struct opt *row,
                      const char *between);
/* The help line without these words. */
void help_add_text(struct strbuf *out, const struct opt *row);

/* "TITLE text", with further lines below the text. */
void help_add_wrapped(struct strbuf *out, const char *title, const char *text);

/* The rows up to OPT_END in troff's man macros. */
void help_man_options(struct strbuf *out, const struct opt *rows);

void help_man_text(struct strbuf *out, const char *text);

#endif
