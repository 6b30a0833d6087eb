/*
 * opt_fixture.h - a set with the options of the program, and one command line.
 */
#ifndef TESTS_UNIT_OPT_FIXTURE_H
#define TESTS_UNIT_OPT_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "opt/cmdline.h"
#include "opt/optset.h"
#include "program/options.h"

#define FIXTURE_ARGS 16

struct fixture {
  struct optset set;
  struct program_options opts;
  struct cmdline cmd;
  struct err err;
};

static inline int fixture_init(struct fixture *f)
{
  *f = (struct fixture){ .err = { "" } };
  optset_init(&f->set, COMPAT_1_0);
  return program_options_add(&f->set, &f->opts, &f->err);
}

static inline void fixture_done(struct fixture *f)
{
  cmdline_done(&f->cmd);
  optset_done(&f->set);
}

/*
 * Scan `line`, which begins with the program's name.  It is cut into words in
 * `words`, which must live as long as the fixture.
 */
static inline int fixture_scan(struct fixture *f, const char *line,
                               const char *compat_env, char words[512])
{
  static const char *const tools[] = { "compare", "report", NULL };
  char *argv[FIXTURE_ARGS] = { NULL };
  struct cmdline_input in = { .argv = argv,
                              .compat_env = compat_env,
                              .tools = tools,
                              .check = program_options_check,
                              .check_arg = &f->opts };
  char *rest = words;
  char *word;

  (void)snprintf(words, 512, "%s", line);
  while (in.argc < FIXTURE_ARGS - 1 && (word = strsep(&rest, " ")))
    argv[in.argc++] = word;
  return cmdline_scan(&f->cmd, &in, &f->set, &f->opts.cmdline, &f->err);
}

#endif
