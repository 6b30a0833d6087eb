/*
 * driver_pipe.h - a driver's calls for statements sent before earlier answers
 * were read, and for many rows of one statement.
 */
#ifndef BENCH_DB_DRIVER_PIPE_H
#define BENCH_DB_DRIVER_PIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "db/outcome.h"

struct prepared;
struct session;

/*
 * Order of calls: begin; add.., send.., receive..; end.  After a `lost` failure
 * no end().  receive() is called once per request, in their order, after it was
 * sent.
 */
struct driver_pipe {
  /* Possible in this session now; else *ret_why (static). */
  bool (*possible)(struct session *s, const char **ret_why);
  /* No result is open or pending.  0 or -1. */
  int (*begin)(struct session *s, struct outcome *out);
  /* Add a request; text and bound values are copied.  -1: nothing was added. */
  int (*query)(struct session *s, const char *sql, size_t len,
               struct outcome *out);
  int (*execute)(struct prepared *p, struct outcome *out);
  /* Send before adding more. */
  bool (*full)(const struct session *s);
  /* Send what was added; `last`: nothing follows.  False: receive answers
   * first, then call again.  `wait`: all answers to earlier sends were read. */
  bool (*send)(struct session *s, bool last, bool wait);
  /*
   * The first result of the next request; `p` NULL: a text.  As query() and
   * execute(), with out->skipped: not executed.  Its rows are fetched before
   * the next call.
   */
  int (*receive)(struct session *s, struct prepared *p, const char *sql,
                 size_t len, struct outcome *out);
  /* [opt] After out->more: read and drop further results. */
  int (*rest)(struct session *s, struct outcome *out);
  /* All answers were received.  -1: a failure of the whole. */
  int (*end)(struct session *s, struct outcome *out);

  /*
   * [opt] All four or none: one request executes a statement with many rows.
   * bulk_begin(), bulk_row().. with the bound values, then bulk_run(), which
   * sends and reads the answer.  bulk_row() returns 1 if the row does not fit
   * into `most` bytes, and keeps it for the next request.  bulk_run() sets
   * out->emulate if the server refuses such a request: nothing was executed,
   * and each row needs an execution.
   */
  bool (*bulk_possible)(struct prepared *p);
  int (*bulk_begin)(struct prepared *p, struct outcome *out);
  int (*bulk_row)(struct prepared *p, size_t most, struct outcome *out);
  int (*bulk_run)(struct prepared *p, struct outcome *out);
};

#endif
