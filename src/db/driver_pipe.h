/*
 * driver_pipe.h - the calls of a driver that can send statements before it has
 * read the answers to those before them; and many rows for one statement.
 */
#ifndef BENCH_DB_DRIVER_PIPE_H
#define BENCH_DB_DRIVER_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/outcome.h"

struct prepared;
struct session;

/*
 * Order of calls: begin; then add.., send.., receive..; then end.  A pipeline
 * with a failure that is `lost` has no end().  receive() is called once for
 * each request that was added, in their order, after it was sent.
 */
struct driver_pipe {
  /* It can be done in this session as it is now; else *ret_why (static). */
  bool (*possible)(struct session *s, const char **ret_why);
  /* No result is open or pending.  0 or -1. */
  int (*begin)(struct session *s, struct outcome *out);
  /*
   * Add a request.  The text, or the values that are bound, are not needed
   * afterwards.  -1: it cannot be made, and nothing was added.
   */
  int (*query)(struct session *s, const char *sql, size_t len,
               struct outcome *out);
  int (*execute)(struct prepared *p, struct outcome *out);
  /* What was added is to be sent before more is. */
  bool (*full)(const struct session *s);
  /*
   * Send what was added; `last`: nothing more will be.  False: answers have to
   * be read first, and then this is to be called again.  With `wait`, all
   * answers to what was sent by earlier calls have been read.
   */
  bool (*send)(struct session *s, bool last, bool wait);
  /*
   * The first result of the next request; `p` is NULL for a text.  0 or -1 as
   * query() and execute(), with out->skipped: it was not executed.  Its rows
   * are fetched before the next call.
   */
  int (*receive)(struct session *s, struct prepared *p, const char *sql,
                 size_t len, struct outcome *out);
  /* out->more: reads further results and drops them.  0 or -1. */
  int (*rest)(struct session *s, struct outcome *out);
  /* All answers were received.  -1: a failure that belongs to the whole. */
  int (*end)(struct session *s, struct outcome *out);

  /*
   * [opt] All five or none.  Requests of several clients, which do not know of
   * each other: begin; then at any time add one and mark_apart(), push, or
   * receive, rest and end_apart() for the next one.  There is no send and no
   * end().  receive() sends what was added before it waits.
   *
   * mark_apart(): the request that was added fails by itself.  False: no
   * memory, and the session is of no use any more.
   */
  bool (*mark_apart)(struct session *s);
  /* Send what was added, while answers are under way.  False: the socket is
   * full; with `wait`, until something came, which is to be received first. */
  bool (*push)(struct session *s, bool wait);
  /* How often something was sent, since the session was opened: system calls.
   */
  uint64_t (*sends)(const struct session *s);
  /* Something of the next answer has been received. */
  bool (*has_arrived)(const struct session *s);
  /* The rows of the request were fetched, or it has failed.  -1: it fails now.
   */
  int (*end_apart)(struct session *s, struct outcome *out);

  /*
   * [opt] All four or none.  One request that executes a statement with many
   * rows: bulk_begin(), bulk_row().. with the values that are bound, then
   * bulk_run(), which sends it and reads the answer.  bulk_possible() may
   * depend on the session.  bulk_row() returns 1 if the row does not fit into
   * `most` bytes, which then holds for the next request only.  bulk_run() fails
   * with out->emulate if the server refuses the statement in such a request:
   * nothing was executed, and it has to be executed for each row.
   */
  bool (*bulk_possible)(struct prepared *p);
  int (*bulk_begin)(struct prepared *p, struct outcome *out);
  int (*bulk_row)(struct prepared *p, size_t most, struct outcome *out);
  int (*bulk_run)(struct prepared *p, struct outcome *out);
};

#endif
