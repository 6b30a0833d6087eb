/*
 * source.h - where a test comes from: a built-in test, a script, a file of SQL,
 * or a mix of scripts and files of SQL.
 *
 * All tests take the path of program_test() in job.c.  The functions here are
 * what differs.
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

/* A command of a test, from the command line to the exit status. */
struct job {
  struct program *p;
  const struct test_source *source;
  void *own; /* the private data of the source */

  const char *typed;  /* the name of the test, as given; may be NULL */
  struct optset *set; /* the options of the test join this set */
  /* In a mix: the name of the member, and the workers that run it; 0: all. */
  const char *member; /* [opt] */
  unsigned workers;

  /* Members that find() sets. */
  const char *name;    /* name of the test, for messages */
  const char *command; /* [opt] NULL: there is nothing to do */
  bool reads_options;  /* the options have to be checked */
  bool needs_driver;   /* a driver will certainly be used */
  bool bundled;        /* a script of the program: hints name its commands */
  const struct resolved *what; /* [opt] a script: for other processes */

  /* Members that declare() sets.  take_values() may choose another test. */
  const struct test *test;
  void *cfg;
  /* [opt] A word that tests have in common if they use the same tables. */
  const char *tables;

  /* [opt] What the connections share, from the moment at which it is made. */
  struct db_process *db;

  const struct plan *plan;    /* NULL until it is made */
  struct plan made_plan;      /* what `plan` points to */
  struct plan_part plan_part; /* used if the run has several processes */
};

enum source_traits {
  SOURCE_CLIENTS = 1 << 0,    /* its runs may have clients */
  SOURCE_IDLE = 1 << 1,       /* its clients may be idle, or come in storms */
  SOURCE_DATABASE = 1 << 2,   /* it uses the servers of the driver options */
  SOURCE_ACK_LOG = 1 << 3,    /* it can write a log of --ack-log */
  SOURCE_PLAN_FIRST = 1 << 4, /* declare() executes a script, under the plan */
};

/* A function that returns another exit status than EXIT_OK has printed the
 * reason.  Functions whose status is negative have set `err`, which is empty if
 * the failure was already reported.  Members marked [opt] may be NULL. */
struct test_source {
  unsigned traits; /* enum source_traits */

  /* Find the test that the command line names. */
  int (*find)(struct job *job);

  /* Add the options of the test to the set, and to *rules what is special about
   * their values. */
  int (*declare)(struct job *job, struct cmdline_rules *rules);

  /* [opt] The options of the test have their values. */
  int (*take_values)(struct job *job, struct err *err);

  enum test_command (*find_command)(const struct job *job);
  void (*list_commands)(const struct job *job, struct strbuf *out);
  /* [opt] NULL: those in the set. */
  void (*print_options)(const struct job *job, struct strbuf *out);

  /* [opt] Comes before call(), in the first process of several.  A failure
   * ends all. */
  int (*begin_call)(struct job *job, struct err *err);
  /* [opt] Execute TEST_CALL; returns the exit status or a negative value. */
  int (*call)(struct job *job, struct err *err);

  /* [opt] Around a run.  The status of begin_run() is another one if the run
   * cannot make sense, that of end_run() if something was not kept.  If threads
   * were left behind (base/leave.h), the process ends after end_run(). */
  int (*begin_run)(struct job *job);
  int (*end_run)(struct job *job);

  /* Executed instead of a run, for doctor. */
  int (*look)(struct job *job);

  /* The end; job->own may be NULL.  May call leave_thread(). */
  void (*end)(struct job *job);
};

/* The source of a test of this name; never a mix. */
const struct test_source *source_by_name(const char *name);

extern const struct test_source source_builtin;
extern const struct test_source source_mix;
extern const struct test_source source_script;
extern const struct test_source source_sqlfile;

#endif
