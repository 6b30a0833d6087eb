/*
 * transport.h - opens, drops and replaces a connection's session (for src/db
 * only).
 */
#ifndef BENCH_DB_TRANSPORT_H
#define BENCH_DB_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct strbuf;

/* WAITS for its turn, beyond `until_ns`, and the server.  0; or -1 and c->out.
 * *ret_turn_ns [opt]: the turn. */
int transport_open(struct conn *c, uint64_t until_ns, uint64_t *ret_turn_ns);

/* Around an attempt: see connect_limiter.h.  False: the run has ended,
 * c->out. */
uint64_t transport_deadline(const struct conn *c);
bool transport_enter(struct conn *c, uint64_t deadline_ns);
uint64_t transport_until(const struct conn *c, uint64_t asked_ns,
                         uint64_t until_ns);

/* +-20 %, against coming back together. */
uint64_t transport_jittered(const struct conn *c, double ms);

/* c->out in one line. */
void transport_reason(const struct conn *c, struct strbuf *line);

/* A fiber's turn.  WAITS. */
void transport_begin(struct conn *c);
void transport_end(struct conn *c);

/* Where opening a session can block. */
void transport_aside(struct conn *c, void (*fn)(void *arg), void *arg);
/* CONN_LOST; forgets prepared statements.  Nothing if not open. */
void transport_drop(struct conn *c);

enum transport_rc {
  TRANSPORT_BACK,
  TRANSPORT_OVER, /* or `until_ns` */
  TRANSPORT_PERMANENT,
  TRANSPORT_AGAIN, /* transport_try(): again at `next_ns` */
};

struct transport_retry {
  uint64_t until_ns; /* UINT64_MAX: until the run ends */
  unsigned attempt;
  uint64_t tried_ns, next_ns;
};

/* WAITS for the server, not for the pause. */
enum transport_rc transport_try(struct conn *c, struct transport_retry *r);

unsigned transport_files(const struct conn *c);

uint64_t transport_limit(const struct conn *c);

/* The code of a lost session. */
struct outcome transport_gone(const struct conn *c);

#endif
