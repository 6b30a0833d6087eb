/*
 * transport.h - opening, dropping and replacing the session of a connection
 * (for src/db only).
 */
#ifndef BENCH_DB_TRANSPORT_H
#define BENCH_DB_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct strbuf;

/* WAITS for its turn, in addition to `until_ns`, and for the server.  0; or -1
 * and c->out.  *ret_turn_ns [opt]: the wait for the turn. */
int transport_open(struct conn *c, uint64_t until_ns, uint64_t *ret_turn_ns);

/* Around an attempt: see connect_limiter.h.  transport_enter() false: c->out
 * says that the run has ended. */
uint64_t transport_deadline(const struct conn *c);
bool transport_enter(struct conn *c, uint64_t deadline_ns);
uint64_t transport_until(const struct conn *c, uint64_t asked_ns,
                         uint64_t until_ns);

/* +-20 %, so that threads do not come back together. */
uint64_t transport_jittered(const struct conn *c, double ms);

/* Why the last attempt failed, in one line: c->out. */
void transport_reason(const struct conn *c, struct strbuf *line);

/* Run fn(arg), which opens a session, where waiting is allowed. */
void transport_aside(struct conn *c, void (*fn)(void *arg), void *arg);
/* Close the session and forget its statements: CONN_LOST.  Nothing if not
 * open. */
void transport_drop(struct conn *c);

enum transport_rc {
  TRANSPORT_BACK,
  TRANSPORT_OVER,      /* the run is over, or `until_ns` has come */
  TRANSPORT_PERMANENT, /* c->out has the reason */
  TRANSPORT_AGAIN,     /* transport_try(): again at `next_ns` */
};

/* The caller sets `until_ns`, the rest is 0. */
struct transport_retry {
  uint64_t until_ns; /* UINT64_MAX: as long as the run goes on */
  unsigned attempt;  /* number of the next one */
  uint64_t next_ns;
};

/* One attempt, if allowed.  WAITS for the server, not for the pause. */
enum transport_rc transport_try(struct conn *c, struct transport_retry *r);

/* Attempts with pauses (WAITS); never TRANSPORT_AGAIN. */
enum transport_rc transport_retry(struct conn *c, uint64_t until_ns);

/* Open files of a run, roughly. */
unsigned transport_files(const struct conn *c);

/* The time limit of an attempt that begins now. */
uint64_t transport_limit(const struct conn *c);

/* The result of transport_retry() becomes the failure of the call.  Always
 * 1. */
int transport_retry_failed(struct conn *c, enum transport_rc rc);

#endif
