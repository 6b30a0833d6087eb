/*
 * wire_answer.h - what the server says, one result at a time.
 */
#ifndef BENCH_DRIVERS_PGSQL_WIRE_ANSWER_H
#define BENCH_DRIVERS_PGSQL_WIRE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "drivers/pgsql/session.h"

struct pgsql_wire_answer {
  /* Set by the caller. */
  bool direct;            /* to a text, which may have several results */
  bool piped;             /* others follow before ReadyForQuery */
  bool followed;          /* other answers may follow it */
  bool parsed;            /* to a statement that is prepared */
  enum pgsql_shape shape; /* as far as it is known */
  unsigned n_fields;

  bool complete;     /* the result has ended */
  bool failed;       /* an error: outcome.state, and its text */
  bool goodbye;      /* ... with which the server ends the session */
  bool rolled_back;  /* it says ROLLBACK */
  bool copied_out;   /* rows of COPY TO STDOUT were dropped */
  bool refused_copy; /* COPY FROM STDIN was refused */
  size_t text_at;    /* in w->in: the text of the error; 0: it has none */
  uint64_t rows;
  uint64_t changed; /* rows, by the number in the command's tag */
  size_t first_row;
};

/*
 * Before a request: has the server sent anything since its last answer?  What
 * it may say at any time is heard.  False: it has sent what nobody asked for,
 * and the connection is of no use any more.  This takes a system call, so it is
 * done now and then; what comes together with an answer is seen in any case.
 */
bool pgsql_wire_look(struct pgsql_session *p);
static inline bool pgsql_wire_is_clear(struct pgsql_session *p)
{
  return LIKELY(++p->wire.requests % WIRE_LOOK_EVERY != 0) ||
         pgsql_wire_look(p);
}

/*
 * Read the answer up to ReadyForQuery, or, if it is direct, up to the message
 * that begins another result: then w->more is true.  One that is piped ends
 * with its CommandComplete or error.  What was received for results before may
 * be overwritten.
 *
 * False: the connection is of no use any more, see pgsql_wire_why_broken(); it
 * may have `failed` before.
 */
bool pgsql_wire_read(struct pgsql_session *p, struct pgsql_wire_answer *a,
                     struct outcome *out);

/*
 * Fill in *out for an answer that has failed, or that could not be read
 * (`broken`).  Returns -1.
 */
int pgsql_wire_fail(struct pgsql_session *p, const struct pgsql_wire_answer *a,
                    bool broken, struct outcome *out);

/* Fill in *out for one that has not. */
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
    w->rows_left = p->base.unread ? 0 : a->rows; /* some rows may be lost */
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
