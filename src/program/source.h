/*
 * source.h - where a test comes from: built-in, script, file of SQL, or mix:
 * what program_test() in job.c does differently for each.
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
  void *own; /* private data of the source */

  const char *typed;  /* name of the test as given; may be NULL */
  struct optset *set; /* options of the test are added to this set */
  /* In a mix: the name of the member, and its workers; 0: all. */
  const char *member; /* [opt] */
  unsigned workers;

  /* Set by find(). */
  const char *name;
  const char *command; /* [opt] NULL: nothing to do */
  bool reads_options;  /* options have to be checked */
  bool needs_driver;
  bool bundled;                /* a script of the program */
  const struct resolved *what; /* [opt] a script: for other processes */

  /* Set by declare(). take_values() may choose another test. */
  const struct test *test;
  void *cfg;
  /* [opt] Equal words: the tests use the same tables. */
  const char *tables;

  /* [opt] Shared by the connections; set when started. */
  struct db_process *db;

  const struct plan *plan; /* NULL until made */
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

/* Another exit status than EXIT_OK: the reason was printed.  A negative status
 * sets `err`, empty if reported already.  Members marked [opt] may be NULL. */
struct test_source {
  unsigned traits;

  int (*find)(struct job *job);

  /* Also sets rules for the values. */
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

  /* [opt] begin_run() fails if the run cannot make sense, end_run() if results
   * were lost.  The process may end after end_run() (base/leave.h). */
  int (*begin_run)(struct job *job);
  int (*end_run)(struct job *job);

  /* Instead of a run, for doctor. */
  int (*look)(struct job *job);

  /* job->own may be NULL.  May call leave_thread(). */
  void (*end)(struct job *job);
};

/* Never a mix. */
const struct test_source *source_by_name(const char *name);

extern const struct test_source source_builtin;
extern const struct test_source source_mix;
extern const struct test_source source_script;
extern const struct test_source source_sqlfile;

#endif
