/*
 * pgsql_wire.h - executes prepared statements on the plain socket of a
 * connection that libpq has opened.
 *
 * libpq asks for a description of each result, and stores every value of every
 * row in memory of its own; that is nine tenths of the instructions of a
 * client that only counts rows.  Here the answer stays in one buffer, rows are
 * counted, and turned into values when somebody fetches them.  In the long run
 * nothing is allocated.
 *
 * The library is idle while this happens and does not hear of it: messages are
 * whole exchanges, from Bind to ReadyForQuery.  Connections under TLS or GSS,
 * and statements whose answer the library has to know (settings, COPY, LISTEN),
 * are executed by libpq.
 */
#ifndef BENCH_DRIVERS_PGSQL_PGSQL_WIRE_H
#define BENCH_DRIVERS_PGSQL_PGSQL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

struct outcome;
struct pgsql_prepared;
struct pgsql_session;

struct pgsql_wire {
  /* The answer: received up to `end`, consumed up to `pos`. */
  uint8_t *in; /* owned */
  size_t room, pos, end;
  int broken_by; /* errno of the last failed read, 0: the end */
  bool out_of_memory;

  /* The open result set. */
  size_t row_at; /* where to look for the next row */
  uint64_t rows_left;
  unsigned n_fields;

  uint8_t *out; /* owned: what is to be sent */
  size_t out_room;
};

/* NULL: the connection is plain; or why it is not (static). */
const char *pgsql_wire_why_not(const struct pgsql_session *p);
/* The library need not know what this statement does. */
bool pgsql_wire_suits(const struct pgsql_session *p, const char *sql,
                      size_t len);

/* As pgsql_execute(). */
int pgsql_wire_execute(struct pgsql_prepared *st, struct outcome *out);
/* The statement is prepared anew, or gone. */
void pgsql_wire_forget(struct pgsql_prepared *st);
int pgsql_wire_fetch(struct pgsql_wire *w, sql_value *values);
void pgsql_wire_end(struct pgsql_wire *w);
void pgsql_wire_done(struct pgsql_wire *w);

#endif
