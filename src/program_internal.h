/*
 * program_internal.h - what the files of the program itself share.
 */
#ifndef BENCH_PROGRAM_INTERNAL_H
#define BENCH_PROGRAM_INTERNAL_H

#include <limits.h>
#include <stdbool.h>

#include "db/env.h"
#include "opt/cmdline.h"
#include "opt/core_opts.h"
#include "opt/help.h"
#include "opt/optset.h"
#include "report/text_reporter.h"
#include "results/options.h"

struct err;
struct plan;
struct strbuf;
struct test;

/* Everything that lives as long as the program. */
struct program {
  int argc;
  char **argv;
  struct optset set;
  struct core_cfg core;
  struct rand_opts_cfg rand;
  struct db_cfg db;
  struct results_cfg results_cfg;
  struct results *results;         /* owned; NULL: only text is wanted */
  struct program_drivers *drivers; /* owned */
  struct cmdline cmdline;
  const char *name;    /* bench, or sysbench */
  const char *version; /* the same with the version */
  struct text_reporter text;
  char datadir[PATH_MAX]; /* of the bundled scripts */
  bool abandoned;         /* threads were left behind: free nothing */
};

/* Print the message, as FATAL or, if it is about usage, as it is; both return
 * the exit status. */
int program_fail(const struct err *err);
int program_fail_usage(int rc, const struct err *err);
/* Print a usage error without prefix; returns the exit status. */
int program_complain(const char *fmt, ...) PRINTF_LIKE(1, 2);
void program_put_text(struct strbuf *text); /* and free it */

int program_make_plan(struct program *p, struct plan *plan, struct err *err);
int program_run_test(struct program *p, const struct test *test,
                     const void *cfg, const struct plan *plan);

enum {
  PROGRAM_SCRIPTS = 64, /* bundled scripts that are looked at */
  PROGRAM_SCRIPT_NAME = 64,
};

/* There is no such test: name the one that is only a slip away, if any. */
void program_suggest_test(const struct program *p, const char *typed);

/* The test is a script: load it, do what the command says. */
int program_script(struct program *p);

/* Add the options of all drivers to the set. */
int program_add_drivers(struct program *p, struct err *err);
void program_free_drivers(struct program *p);

/* Name and title of each driver; returns how many there are. */
size_t program_list_drivers(const struct program *p,
                            struct help_item items[DRIVERS_MAX]);

#endif
