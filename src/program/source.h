/*
 * source.h - where a test comes from: it is built in, it is a script, or it is
 * a file of SQL.
 *
 * All tests take the same path, which is in job.c: find the test, add its
 * options, give them the values of the command line, make the plan, execute the
 * command.  The functions here are what differs.
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
  struct optset *set; /* the options of the test join these */
  const char *member; /* [opt] in a mix: its name there... */
  unsigned workers;   /* ...and the workers that run it; 0: all */

  /* Members that find() sets. */
  const char *name;            /* name of the test, for messages */
  const char *command;         /* [opt] NULL: there is nothing to do... */
  bool reads_options;          /* ...but the options have to be checked */
  const struct resolved *what; /* [opt] a script: for other processes */

  /* Members that declare() sets. */
  const struct test *test;
  void *cfg;

  const struct plan *plan;    /* NULL until job_make_plan() */
  struct plan made_plan;      /* what `plan` points to */
  struct plan_part plan_part; /* used if the run has several processes */
};

/*
 * A function that returns another exit status than EXIT_OK has printed the
 * reason.  Members marked [opt] may be NULL.
 */
struct test_source {
  /* [opt] Called before sweeps: settles what all steps have in common. */
  int (*settle)(struct program *p);

  /* Finds the test that the command line names.  Returns the exit status. */
  int (*find)(struct job *job);

  /*
   * Adds the options of the test to the set, and to *rules what is special
   * about their values.  A script has to be executed for that, and needs its
   * plan here.  Returns the exit status.
   */
  int (*declare)(struct job *job, struct cmdline_rules *rules);

  /*
   * [opt] Called when the options of the test have their values, before its
   * command is executed.  Returns the exit status.
   */
  int (*take_values)(struct job *job);

  /*
   * [opt] Called when the options have their values: chooses the test, if one
   * name stands for several.
   */
  int (*choose)(struct job *job, struct err *err);

  /* Adds what the test needs to the plan, and warns once the plan is made. */
  void (*needs)(const struct job *job, struct plan_input *in);
  void (*warn)(const struct job *job);

  enum test_command (*find_command)(const struct job *job);
  void (*list_commands)(const struct job *job, struct strbuf *out);
  void (*print_options)(const struct job *job, struct strbuf *out);

  /*
   * [opt] A word that tests have in common if the program knows that they use
   * the same tables; NULL: it knows nothing.
   */
  const char *(*tables)(const struct job *job);

  /* [opt] Is the script bundled with the program?  NULL: it is not. */
  bool (*is_bundled)(const struct job *job);

  /*
   * [opt] Called before the first command that does any work: can it?  Returns
   * the exit status.
   */
  int (*check)(const struct job *job);

  /*
   * [opt] Called before call(), in one process of several.  Returns a negative
   * errno value if the command must not begin.
   */
  int (*begin_call)(struct job *job, struct err *err);

  /*
   * Executes TEST_CALL.  Returns the exit status, or a negative errno value;
   * then `err` is empty if the failure was already reported.
   */
  int (*call)(struct job *job, struct err *err);

  /*
   * [opt] Called if there is no command, but the options are good.  Returns the
   * exit status.
   */
  int (*no_command)(const struct job *job);

  /*
   * [opt] Called before and after a run.  begin_run() returns the exit status
   * if the run cannot make sense, and end_run() if something of the run could
   * not be kept.
   */
  int (*begin_run)(struct job *job);
  int (*end_run)(struct job *job);

  /* [opt] Between these two: what its connections share; NULL: it has none. */
  struct db_process *(*database)(const struct job *job);

  /* Called instead of a run, for doctor.  Returns the exit status. */
  int (*look)(struct job *job);

  /*
   * [opt] Called after a run that has left threads behind: the process ends
   * next.
   */
  void (*leave)(struct job *job);

  /* Called at the end; job->own may be NULL.  May call leave_thread(). */
  void (*end)(struct job *job);
};

/* The source of the test that the command line names. */
const struct test_source *source_of(const struct program *p);
/* The same by name; never source_mix. */
const struct test_source *source_by_name(const char *name);

extern const struct test_source source_builtin;
extern const struct test_source source_mix;
extern const struct test_source source_script;
extern const struct test_source source_sqlfile;

/* Make the plan, if that has not been done.  The result is const. */
int job_make_plan(struct job *job, struct err *err);

#endif
