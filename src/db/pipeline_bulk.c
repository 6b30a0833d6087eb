/*
 * pipeline_bulk.c - many rows for one statement.
 */
#include "db/bulk.h"
#include "db/bulk_rows.h"
#include "db/call.h"
#include "db/pipe_run.h"
#include "db/pipeline.h"
#include "db/stmt.h"

/* As many rows as one request should have; the first one may be as large as the
 * server accepts.  Returns the number of the next one. */
static size_t add_rows(struct pipe_run *r, struct prepared *p, size_t i,
                       const struct statement_sizes *sizes)
{
  const size_t first = i;

  for (; i < r->p->n; i++) {
    const size_t most = i == first ? sizes->max : sizes->good;
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
        .api_error = "a row is too large for a request to the server"
      };
      pipe_run_failed(r, i);
      return i;
    }
  }
  return i;
}

/* Results besides the first one have no use, but have to be read. */
static void run_rest(struct pipe_run *r, size_t first)
{
  struct conn *c = r->c;
  int rc;

  (void)call_start(c);
  rc = c->driver->pipe->rest(c->session, &c->out);
  call_stop(c);
  if (rc < 0)
    pipe_run_failed(r, first);
}

/* One request; returns the number of the next row, or 0 if the server takes
 * none. */
static size_t run_rows(struct pipe_run *r, struct prepared *p, size_t first,
                       const struct statement_sizes *sizes)
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
  next = add_rows(r, p, first, sizes);
  if (r->failed) {
    call_stop(c);
    return first;
  }
  rc = c->driver->pipe->bulk_run(p, &c->out);
  call_stop(c);
  if (UNLIKELY(rc < 0 && c->out.emulate) && first == 0)
    return 0;
  pipe_run_ended(r, first, rc);
  if (UNLIKELY(c->out.more))
    run_rest(r, first);
  for (size_t i = first + 1; i < next; i++)
    r->p->items[i].end = r->p->items[first].end == PIPE_DONE ? PIPE_DONE
                                                             : PIPE_SKIPPED;
  return next;
}

/* False: the server does not execute the statement this way. */
static bool run_bulk(struct pipe_run *r, struct prepared *p)
{
  /* Inside a run the server is not asked, as for bulk inserts. */
  static const struct statement_sizes in_run = { .good = BULK_PACKET,
                                                 .max = SIZE_MAX };
  struct statement_sizes sizes = r->c->env->process->in_run ? in_run
                                                            : *bulk_sizes(r->c);
  size_t next = 0;

  if (sizes.good > sizes.max)
    sizes.good = sizes.max;
  do {
    next = run_rows(r, p, next, &sizes);
  } while (next > 0 && next < r->p->n && !r->failed);
  return next > 0 || r->failed;
}

static bool in_bulk(struct pipe_run *r, const struct stmt *st)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;
  const char *why;

  return d && d->bulk_run && !st->emulated && d->possible(c->session, &why) &&
         d->bulk_possible(st->native.prepared) &&
         run_bulk(r, st->native.prepared);
}

double pipeline_run_bulk(struct conn *c)
{
  struct pipe_run r = { .c = c, .p = c->pipe };
  double changed = 0;

  if (r.p->n == 0) {
    r.p->open = false;
    return 0;
  }
  if (UNLIKELY(!pipe_run_begin(&r)))
    return -1;
  if (!in_bulk(&r, r.p->items[0].st))
    pipe_run_execute(&r);
  if (!pipe_run_end(&r))
    return -1;
  for (size_t i = 0; i < r.p->n; i++)
    changed += (double)r.p->items[i].taken;
  return changed;
}
