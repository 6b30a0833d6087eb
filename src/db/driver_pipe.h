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

/* Order of calls: begin; add.., send.., receive..; end.  No end() after `lost`.
 * receive() is called once per sent request, in order. */
struct driver_pipe {
  /* Possible in this session now?  Else *ret_why (static). */
  bool (*possible)(struct session *s, const char **ret_why);
  /* No result is open or pending. */
  int (*begin)(struct session *s, struct outcome *out);
  /* Adds a request; copies text and bound values. -1: nothing was added. */
  int (*query)(struct session *s, const char *sql, size_t len,
               struct outcome *out);
  int (*execute)(struct prepared *p, struct outcome *out);
  bool (*full)(const struct session *s);
  /* Sends the added requests; `last`: nothing follows.  False: receive answers
   * first, then call again.  `wait`: all answers to earlier sends were read. */
  bool (*send)(struct session *s, bool last, bool wait);
  /*
   * The first result of the next request; `p` NULL: a text.  As query() and
   * execute(), with out->skipped: not executed.  Its rows are fetched before
   * the next call.
   */
  int (*receive)(struct session *s, struct prepared *p, const char *sql,
                 size_t len, struct outcome *out);
  /* [opt] After out->more: reads and drops further results. */
  int (*rest)(struct session *s, struct outcome *out);
  /* After all answers. -1: the whole has failed. */
  int (*end)(struct session *s, struct outcome *out);

  /*
   * [opt] All four or none: one request executes a statement with many rows.
   * Order: bulk_begin(), bulk_row().., bulk_run(), which sends and reads the
   * answer. bulk_row() returns 1 if the bound values do not fit into `most`
   * bytes, and keeps them for the next request. bulk_run() sets out->emulate if
   * the server refuses: nothing was executed, and each row needs an execution.
   */
  bool (*bulk_possible)(struct prepared *p);
  int (*bulk_begin)(struct prepared *p, struct outcome *out);
  int (*bulk_row)(struct prepared *p, size_t most, struct outcome *out);
  int (*bulk_run)(struct prepared *p, struct outcome *out);
};

#endif
