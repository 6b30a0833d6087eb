/*
 * failure.h - how the failure of a script's function is put in words.
 *
 * As sysbench: "`NAME' function failed: TEXT".  As bench the line says where:
 * "event() failed at t.lua:3 in thread 2: TEXT", and each cause is printed
 * once.
 */
#ifndef BENCH_LUA_ENGINE_FAILURE_H
#define BENCH_LUA_ENGINE_FAILURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct script;
struct state;

enum {
  FAILURES_MAX = 32 /* different causes; later ones are printed each time */
};

/* What has been printed; part of struct script. */
struct failures {
  pthread_mutex_t lock; /* protects the rest */
  size_t n;
  char *cause[FAILURES_MAX]; /* owned */
};

void failures_init(struct failures *f);
void failures_done(struct failures *f);

/*
 * `err` holds the text of the error that the function `name` has raised: make
 * a message of it.  err->said: another thread has failed for the same cause, or
 * the SQL layer has printed it and the rest would only name bundled scripts.
 * At --verbosity=4 everything is printed.  `is_event`: the function is the
 * program's own loop of events.
 */
void failure_describe(struct state *s, const char *name, bool is_event,
                      struct err *err);

/* The same for a message that is complete: only err->said is set. */
void failure_note(struct script *script, struct err *err);

#endif
