/*
 * wire.h - executes statements on the plain socket of a connection of libpq.
 *
 * libpq copies every value, and asks for a description of each result.  Here
 * the answer stays in one buffer, and rows become values when fetched.
 *
 * libpq is idle meanwhile and does not see the messages, which are whole
 * exchanges, up to ReadyForQuery.  It still prepares and frees statements,
 * copies rows, and describes the connection.  COPY of a script is refused or
 * dropped, as with libpq.  Sessions that libpq has encrypted, or that listen
 * for notifications, are libpq's alone.
 */
#ifndef BENCH_DRIVERS_PGSQL_WIRE_H
#define BENCH_DRIVERS_PGSQL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "drivers/pgsql/bytes.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/link.h"

enum {
  PGSQL_WIRE_TEXT_MAX = 0x7ffffff0, /* bytes of a direct statement */
};

/* NULL: the connection is plain; otherwise why not (static). */
const char *pgsql_wire_why_not(const struct pgsql_session *p);

/* query() and next_result() of the driver; the latter is for w->more. */
int pgsql_wire_query(struct pgsql_session *p, const char *sql, size_t len,
                     struct outcome *out);
int pgsql_wire_next(struct pgsql_session *p, struct outcome *out);
/* Read and drop the results after w->more.  -1: *out is a failure among them,
 * whose text is in the buffer. */
int pgsql_wire_drain(struct pgsql_session *p, struct outcome *out);

int pgsql_wire_execute(struct pgsql_prepared *st, struct outcome *out);

int pgsql_wire_fetch(struct pgsql_wire *w, sql_value *values);

/* Without a Sync.  False: no memory. */
bool pgsql_wire_add_execute(struct pgsql_prepared *st, struct wire_pipe *pipe);
/* The statement is prepared again, or gone. */
void pgsql_wire_forget(struct pgsql_prepared *st);

/* Call this before libpq uses the socket. */
void pgsql_wire_lend(struct pgsql_session *p);

void pgsql_wire_set_blocking(struct pgsql_wire *w, int fd, bool on);

static inline void pgsql_wire_begin(struct pgsql_wire *w, int fd)
{
  if (UNLIKELY(w->blocking != w->may_block))
    pgsql_wire_set_blocking(w, fd, w->may_block);
  wire_buffer_clear(&w->in);
  w->broken_by = 0;
}

/* In libpq's words. */
const char *pgsql_wire_why_broken(const struct pgsql_wire *w);

void pgsql_wire_end(struct pgsql_wire *w);
void pgsql_wire_done(struct pgsql_wire *w);

struct pgsql_wire_answer {
  bool direct; /* of a text, which may have several results */
  bool piped;  /* others follow before ReadyForQuery */
  bool parsed;
  enum pgsql_shape shape;
  unsigned n_fields;

  bool complete;
  bool failed;  /* outcome.state has the SQLSTATE */
  bool goodbye; /* the error ends the session */
  bool rolled_back;
  bool copied_out;
  bool refused_copy;
  size_t text_at; /* in w->in: the text of the error; 0: none */
  uint64_t rows;
  uint64_t changed; /* rows, from the tag */
  size_t first_row;
};

/*
 * Before a request: read what the server has sent on its own.  False:
 * unexpected data, and the connection is useless.  A system call, made now and
 * then; what comes with an answer is seen in any case.
 */
bool pgsql_wire_look(struct pgsql_session *p);
static inline bool pgsql_wire_is_clear(struct pgsql_session *p)
{
  return LIKELY(++p->wire.requests % WIRE_LOOK_EVERY != 0) ||
         pgsql_wire_look(p);
}

/*
 * Up to ReadyForQuery; a direct answer up to another result (w->more); a piped
 * one up to its CommandComplete or error.  May overwrite earlier results.
 *
 * False: see pgsql_wire_why_broken(); the answer may have `failed` before.
 */
bool pgsql_wire_read(struct pgsql_session *p, struct pgsql_wire_answer *a,
                     struct outcome *out);

/* The answer has failed, or could not be read (`broken`).  Returns -1. */
int pgsql_wire_fail(struct pgsql_session *p, const struct pgsql_wire_answer *a,
                    bool broken, struct outcome *out);

static inline void pgsql_wire_succeed(struct pgsql_session *p,
                                      const struct pgsql_wire_answer *a,
                                      struct outcome *out)
{
  struct pgsql_wire *w = &p->wire;

  out->more = w->more;
  if (a->shape == SHAPE_ROWS) {
    out->counter = COUNTER_READ;
    out->nfields = a->n_fields;
    out->nrows = a->rows;
    w->row_at = a->first_row;
    w->rows_left = p->base.unread ? 0 : a->rows; /* some may be dropped */
    w->n_fields = a->n_fields;
    out->settled = w->in.room <= (w->small ? WIRE_FIRST : WIRE_KEEP) &&
                   !w->more;
  } else {
    out->counter = a->changed > 0 && !a->copied_out ? COUNTER_WRITE
                                                    : COUNTER_OTHER;
    out->taken = a->changed;
  }
}

#endif
