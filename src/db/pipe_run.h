/*
 * pipe_run.h - a pipeline that is being executed (for src/db only).
 */
#ifndef BENCH_DB_PIPE_RUN_H
#define BENCH_DB_PIPE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/conn_state.h"
#include "db/outcome.h"
#include "db/pipe_items.h"

struct pipe_run {
  struct conn *c;
  struct pipeline *p;
  bool keep;      /* the rows */
  bool too_large; /* they are not kept any more */
  uint64_t start_ns;
  size_t at;      /* the statement whose answer is waited for */
  bool cancelled; /* one took longer than --db-query-timeout */
  size_t cancelled_at;
  struct outcome refused; /* why a request could not be made */

  /* The failure that counts, if there was one. */
  bool failed;
  struct outcome out;
  char text[FAILURE_TEXT];
};

/*
 * Before all: prepare the statements, keep the values that scripts have in
 * them.  False: the call has failed already.  After all: put the values back,
 * and do what a failure asks for.  False: there was one.
 */
bool pipe_run_begin(struct pipe_run *r);
bool pipe_run_end(struct pipe_run *r);

/* All items: in flight if that is possible, else one after another. */
void pipe_run_execute(struct pipe_run *r);

/* What an item is to the driver. */
enum call pipe_run_call(const struct pipe_item *it);

/* The values of this execution; an emulated statement becomes a text in
 * c->text.  False: c->out says why not. */
bool pipe_run_values(const struct pipe_run *r, const struct pipe_item *it);

/* Item i has ended: c->out is its first result, or its failure (rc < 0).  The
 * second one is for a failure that comes earlier or later. */
void pipe_run_ended(struct pipe_run *r, size_t i, int rc);
void pipe_run_failed(struct pipe_run *r, size_t i);

#endif
