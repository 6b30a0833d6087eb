/*
 * pipeline_bulk.c - many rows for one statement.
 */
#include "db/bulk.h"
#include "db/call.h"
#include "db/pipe_run.h"
#include "db/pipeline.h"
#include "db/stmt.h"

/* As many rows as one request takes; returns the number of the next one. */
static size_t add_rows(struct pipe_run *r, struct prepared *p, size_t i,
                       size_t most)
{
  const size_t first = i;

  for (; i < r->p->n; i++) {
    int rc = -1;

    if (pipe_run_values(r, &r->p->items[i]))
      rc = r->c->driver->pipe->bulk_row(p, most, &r->c->out);
    if (rc < 0) {
      pipe_run_failed(r, i);
      return i;
    }
    if (rc > 0 && i > first)
      break;
    if (rc > 0) {
      r->c->out = (struct outcome){
        .api_error = "a row is larger than the server accepts"
      };
      pipe_run_failed(r, i);
      return i;
    }
  }
  return i;
}

/* One request; returns the number of the next row. */
static size_t run_rows(struct pipe_run *r, struct prepared *p, size_t first,
                       size_t most)
{
  struct conn *c = r->c;
  size_t next;
  int rc;

  r->start_ns = call_start(c);
  if (c->driver->pipe->bulk_begin(p, &c->out) < 0) {
    call_stop(c);
    pipe_run_failed(r, first);
    return first;
  }
  next = add_rows(r, p, first, most);
  if (r->failed) {
    call_stop(c);
    return first;
  }
  rc = c->driver->pipe->bulk_run(p, &c->out);
  call_stop(c);
  pipe_run_ended(r, first, rc);
  for (size_t i = first + 1; i < next; i++)
    r->p->items[i].end = r->p->items[first].end == PIPE_DONE ? PIPE_DONE
                                                             : PIPE_SKIPPED;
  return next;
}

static void run_bulk(struct pipe_run *r, struct prepared *p, size_t most)
{
  for (size_t next = 0; next < r->p->n && !r->failed;)
    next = run_rows(r, p, next, most);
}

double pipeline_run_bulk(struct conn *c)
{
  struct pipe_run r = { .c = c, .p = c->pipe };
  const struct driver_pipe *d = c->driver->pipe;
  const struct statement_sizes *sizes;
  const char *why;
  double changed = 0;
  struct stmt *st;

  if (r.p->n == 0) {
    r.p->open = false;
    return 0;
  }
  if (UNLIKELY(!pipe_run_begin(&r)))
    return -1;
  st = r.p->items[0].st;
  if (d && d->bulk_run && !st->emulated && d->possible(c->session, &why) &&
      d->bulk_possible(st->native.prepared)) {
    sizes = bulk_sizes(c);
    run_bulk(&r, st->native.prepared,
             sizes->good < sizes->max ? sizes->good : sizes->max);
  } else {
    pipe_run_execute(&r);
  }
  if (!pipe_run_end(&r))
    return -1;
  for (size_t i = 0; i < r.p->n; i++)
    changed += (double)r.p->items[i].taken;
  return changed;
}
