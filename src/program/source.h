/*
 * source.h - a source of tests (built-in, scripts, files of SQL, mixes): what
 * program_test() in job.c does differently for each.
 */
#ifndef BENCH_PROGRAM_SOURCE_H
#define BENCH_PROGRAM_SOURCE_H

#include <stdbool.h>

#include "run/plan.h"
#include "run/test.h"

struct cmdline_rules;
struct db_process;
struct err;
struct optset;
struct program;
struct resolved;
struct strbuf;
struct test_source;

struct job {
  struct program *p;
  const struct test_source *source;
  void *own; /* of the source */

  const char *typed;  /* as given; can be NULL */
  struct optset *set; /* gets the test's options */
  /* In a mix: the member's name and workers; 0: all. */
  const char *member; /* [opt] */
  unsigned workers;

  /* Set by find(). */
  const char *name;
  const char *command; /* [opt] NULL: nothing to do */
  bool reads_options;  /* options are checked */
  bool needs_driver;
  bool bundled;                /* a script of the program */
  const struct resolved *what; /* [opt] for other processes */

  /* Set by declare(); take_values() can choose another test. */
  const struct test *test;
  void *cfg;
  /* [opt] Tests with equal words use the same tables. */
  const char *tables;

  /* [opt] Set when started; for all connections. */
  struct db_process *db;

  const struct plan *plan; /* NULL at first */
  struct plan made_plan;
  struct plan_part plan_part;
};

enum source_traits {
  SOURCE_CLIENTS = 1 << 0,
  SOURCE_IDLE = 1 << 1,
  SOURCE_DATABASE = 1 << 2,
  SOURCE_ACK_LOG = 1 << 3,
  SOURCE_PLAN_FIRST = 1 << 4, /* declare() needs the plan */
};

/* Another exit status than EXIT_OK: the reason was printed.  A negative
 * status sets `err`, empty if reported already.  [opt] members may be NULL. */
struct test_source {
  unsigned traits;

  int (*find)(struct job *job);

  /* Also sets rules for values. */
  int (*declare)(struct job *job, struct cmdline_rules *rules);

  /* [opt] Options have their values. */
  int (*take_values)(struct job *job, struct err *err);

  enum test_command (*find_command)(const struct job *job);
  void (*list_commands)(const struct job *job, struct strbuf *out);
  void (*print_options)(const struct job *job, struct strbuf *out);

  /* [opt] Before call(), in the first process of several. */
  int (*begin_call)(struct job *job, struct err *err);
  /* [opt] Returns the exit status or a negative value. */
  int (*call)(struct job *job, struct err *err);

  /* [opt] begin_run() fails if the run makes no sense, end_run() if results
   * were lost.  After end_run() the process can end (base/leave.h). */
  int (*begin_run)(struct job *job);
  int (*end_run)(struct job *job);

  /* Instead of a run, for doctor. */
  int (*look)(struct job *job);

  /* job->own can be NULL.  Can call leave_thread(). */
  void (*end)(struct job *job);
};

/* Never a mix. */
const struct test_source *source_by_name(const char *name);

extern const struct test_source source_builtin;
extern const struct test_source source_mix;
extern const struct test_source source_script;
extern const struct test_source source_sqlfile;

#endif
