/*
 * failure.h - the message about a failed function of a script.
 *
 * Under the name sysbench it is "`NAME' function failed: TEXT".  Otherwise it
 * says where the failure happened, "event() failed at t.lua:3 in thread 2:
 * TEXT", and each cause is printed once.
 */
#ifndef BENCH_LUA_ENGINE_FAILURE_H
#define BENCH_LUA_ENGINE_FAILURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct err;

enum {
  FAILURES_MAX = 32 /* different causes; further ones are printed each time */
};

/* The settings of messages; all are borrowed. */
struct failure_rules {
  bool as_sysbench;    /* the program presents itself under that name */
  bool bundled;        /* the script is a bundled one */
  const char *command; /* name of the command; NULL: none */
  const char *datadir; /* the folder of the bundled scripts */
  const char *worker;  /* "thread" or "client": see plan_worker_word() */
};

/* The messages that have been printed. */
struct failures {
  struct failure_rules rules; /* constant */
  pthread_mutex_t lock;       /* protects the rest */
  size_t n;
  char *cause[FAILURES_MAX]; /* owned */
};

void failures_init(struct failures *f, const struct failure_rules *rules);
void failures_done(struct failures *f);

/* A call that has raised an error. */
struct failed_call {
  const char *function;
  bool is_event;  /* the function is the program's own loop of events */
  bool in_worker; /* each cause is printed for one worker only */
  bool printed;   /* the SQL layer has printed the reason */
  unsigned tid;   /* as scripts see it */
};

/*
 * Replace the text of the error in `err` by the complete message.  err->said is
 * set if another thread has failed for the same cause, or if the SQL layer has
 * printed the cause and the rest would only name bundled scripts.  It stays
 * false at --verbosity=4, which prints everything.  Any thread may call it.
 */
void failure_describe(struct failures *f, const struct failed_call *call,
                      struct err *err);

/* Do the same for a message that is complete: only err->said is set. */
void failure_note(struct failures *f, struct err *err);

#endif
