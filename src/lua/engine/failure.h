/*
 * failure.h - messages about failed functions of a script. For sysbench:
 * "`NAME' function failed: TEXT". Otherwise "event() failed at t.lua:3 in
 * thread 2: TEXT", once per cause.
 */
#ifndef BENCH_LUA_ENGINE_FAILURE_H
#define BENCH_LUA_ENGINE_FAILURE_H

#include <lua.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct strbuf;

enum {
  FAILURES_MAX = 32 /* different causes; others are printed each time */
};

/* Borrowed. */
struct failure_rules {
  bool as_sysbench;
  bool bundled;
  const char *command;
  const char *datadir;
  const char *worker; /* "thread" or "client" */
};

struct failures {
  struct failure_rules rules;
  pthread_mutex_t lock; /* protects the rest */
  size_t n;
  char *cause[FAILURES_MAX]; /* owned; printed messages */
};

void failures_init(struct failures *f, const struct failure_rules *rules);
void failures_done(struct failures *f);

/* A call with an error. */
struct failed_call {
  const char *function;
  bool is_event;  /* the program's own loop of events */
  bool in_worker; /* prints each cause for one worker only */
  bool printed;   /* by the SQL layer */
  unsigned tid;
};

/*
 * Completes the message.  Sets err->said if another thread failed for the same
 * cause, or if the SQL layer has printed it and the rest would only name
 * bundled scripts; never at --verbosity=4.  Any thread.
 */
void failure_describe(struct failures *f, const struct failed_call *call,
                      struct err *err);

/* FILE:LINE in a user's file; not as sysbench. */
void failure_place(const struct failures *f, const char *cause,
                   struct strbuf *ret);
void failure_printed(struct failures *f, const char *cause);

/* Only sets err->said. */
void failure_note(struct failures *f, struct err *err);

/* "FILE:LINE: " of the script's running function, or "". */
void failure_push_place(lua_State *L);

/* A string or number; otherwise the place of error() and the result of
 * __tostring, or the type. */
void failure_push_text(lua_State *L, int index);

/* Pushes a handler that prints the traceback of each error once, but not for
 * values that restart or leave events. */
void failure_push_handler(lua_State *L);

#endif
