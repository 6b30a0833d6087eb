/*
 * source.h - where a test comes from: it is built in, or a script.
 *
 * All tests go the same way, which is in job.c: find the test, add its options,
 * give them the values of the command line, make the plan, do the command.
 * What differs is a function here.
 */
#ifndef BENCH_PROGRAM_SOURCE_H
#define BENCH_PROGRAM_SOURCE_H

#include <stdbool.h>

#include "run/plan.h"
#include "run/test.h"

struct cmdline_rules;
struct err;
struct program;
struct resolved;
struct strbuf;
struct test_source;

/* A command of a test, from the command line to the exit status. */
struct job {
  struct program *p;
  const struct test_source *source;
  void *own; /* what the source keeps */

  /* find() sets these. */
  const char *name;            /* of the test, for messages */
  const char *command;         /* [opt] NULL: there is nothing to do... */
  bool reads_options;          /* ...but the options are to be checked */
  const struct resolved *what; /* [opt] of a script: for other processes */

  /* declare() sets these. */
  const struct test *test;
  void *cfg;

  const struct plan *plan;    /* NULL until job_make_plan() */
  struct plan made_plan;      /* what `plan` points to */
  struct plan_part plan_part; /* where the run has several processes */
};

/*
 * Functions that return an exit status have printed why it is not EXIT_OK.
 * Members marked [opt] may be NULL.
 */
struct test_source {
  /* [opt] Before sweeps: settle what all steps have in common. */
  int (*settle)(struct program *p);

  /* Find the test that the command line names.  Returns the exit status. */
  int (*find)(struct job *job);

  /*
   * Add the options of the test to the set, and to *rules what is special about
   * their values.  A script has to be executed for that, so that its plan is
   * made here.  Returns the exit status.
   */
  int (*declare)(struct job *job, struct cmdline_rules *rules);

  /* [opt] The options have their values: which test they mean, where one name
   * stands for several. */
  int (*choose)(struct job *job, struct err *err);

  /* What the test needs of the plan; and warnings once the plan is made. */
  void (*needs)(const struct job *job, struct plan_input *in);
  void (*warn)(const struct job *job);

  enum test_command (*find_command)(const struct job *job);
  void (*list_commands)(const struct job *job, struct strbuf *out);
  void (*print_options)(const struct job *job, struct strbuf *out);

  /* [opt] Before the first command that works: can it?  Returns the exit
   * status. */
  int (*check)(const struct job *job);

  /* TEST_CALL.  Returns the exit status, or a negative errno value; then `err`
   * is empty if all was said. */
  int (*call)(struct job *job, struct err *err);

  /* [opt] There is no command, but the options were good.  Returns the exit
   * status. */
  int (*no_command)(const struct job *job);

  /* [opt] Before and after a run.  begin_run() returns the exit status if the
   * run cannot make sense. */
  int (*begin_run)(struct job *job);
  void (*end_run)(struct job *job);

  /* Instead of a run: doctor.  Returns the exit status. */
  int (*look)(struct job *job);

  /* [opt] After a run that has left threads behind: the process ends next. */
  void (*leave)(struct job *job);

  /* At the end; job->own may be NULL.  May call leave_thread(). */
  void (*end)(struct job *job);
};

/* The source of the test that the command line names. */
const struct test_source *source_of(const struct program *p);

extern const struct test_source source_builtin;
extern const struct test_source source_script;

/* Make the plan, if that has not been done.  The result is const. */
int job_make_plan(struct job *job, struct err *err);

#endif
