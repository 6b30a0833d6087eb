/*
 * transport.h - opening, dropping and replacing the session of a connection
 * (for src/db only).
 */
#ifndef BENCH_DB_TRANSPORT_H
#define BENCH_DB_TRANSPORT_H

#include <stdint.h>

struct conn;

/* 0; or -1 and c->out. */
int transport_open(struct conn *c, uint64_t until_ns);
/* Statements are unprepared, the session is closed; the state is not changed
 * to CONN_CLOSED but to CONN_LOST. */
void transport_drop(struct conn *c);

enum transport_rc {
  TRANSPORT_BACK,
  TRANSPORT_OVER,      /* the run is over, or `until_ns` has come */
  TRANSPORT_PERMANENT, /* c->out says why */
};

/* Attempts with growing pauses, up to `until_ns`. */
enum transport_rc transport_retry(struct conn *c, uint64_t until_ns);

/* How many open files a run needs, roughly. */
unsigned transport_files(const struct conn *c);

/* The time limit of one attempt that begins now. */
uint64_t transport_limit(const struct conn *c);

#endif
