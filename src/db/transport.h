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

/* WAITS for its turn, which `until_ns` gives in addition, and for the server.
 * 0; or -1 and c->out.  *ret_turn_ns [opt]: how long the turn took to come. */
int transport_open(struct conn *c, uint64_t until_ns, uint64_t *ret_turn_ns);

/* The three steps around an attempt: connect_limiter.h for this connection.
 * transport_enter() false: c->out says that the run has ended. */
uint64_t transport_deadline(const struct conn *c);
bool transport_enter(struct conn *c, uint64_t deadline_ns);
uint64_t transport_until(const struct conn *c, uint64_t asked_ns,
                         uint64_t until_ns);

/* So many milliseconds +-20 %, so that threads do not come back all at once. */
uint64_t transport_jittered(const struct conn *c, double ms);

/* Why the last attempt has failed, in one line: c->out. */
void transport_reason(const struct conn *c, struct strbuf *line);

/* Run fn(arg), which opens a session, where it may wait. */
void transport_aside(struct conn *c, void (*fn)(void *arg), void *arg);
/* The session is closed, its statements are forgotten: CONN_LOST.  Nothing
 * happens when it is not open. */
void transport_drop(struct conn *c);

enum transport_rc {
  TRANSPORT_BACK,
  TRANSPORT_OVER,      /* the run is over, or `until_ns` has come */
  TRANSPORT_PERMANENT, /* c->out says why */
  TRANSPORT_AGAIN,     /* transport_try(): once more, at `next_ns` */
};

/* Attempts to replace a session; the caller gives `until_ns`, the rest is 0. */
struct transport_retry {
  uint64_t until_ns; /* UINT64_MAX: as long as the run goes on */
  unsigned attempt;  /* the number of the next one */
  uint64_t next_ns;
};

/* One attempt, if there may be one.  WAITS for the server, not for the pause
 * after it. */
enum transport_rc transport_try(struct conn *c, struct transport_retry *r);

/* Attempts with growing pauses, in which it WAITS; never TRANSPORT_AGAIN. */
enum transport_rc transport_retry(struct conn *c, uint64_t until_ns);

/* How many open files a run needs, roughly. */
unsigned transport_files(const struct conn *c);

/* The time limit of one attempt that begins now. */
uint64_t transport_limit(const struct conn *c);

/* What comes of transport_retry(), `rc`, is the failure of the present call.
 * Always 1. */
int transport_retry_failed(struct conn *c, enum transport_rc rc);

#endif
