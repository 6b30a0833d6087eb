/*
 * visit.c - whole lives of connections without libpq: the arrival, one
 * statement, the farewell, each with its time.
 */
#include "db/driver_visit.h"
#include "drivers/pgsql/arrival.h"

static enum visit_rc ask(struct pgsql_arrival *a)
{
  const struct pgsql_greet *g = &a->greet;
  struct trip *t = &a->trip;
  enum visit_rc rc;

  t->step = VISIT_QUERY;
  if (!pgsql_greet_ask(&a->greet, t->v->sql, t->v->len, &t->out))
    return pgsql_arrival_no_memory(a);
  rc = pgsql_arrival_talk(a);
  if (rc != VISIT_DONE)
    return rc;
  a->out->counter = g->with_rows ? COUNTER_READ : COUNTER_OTHER;
  a->out->nfields = g->columns;
  a->out->nrows = g->rows;
  return rc;
}

/* As the library does it: the farewell is not awaited. */
static void say_goodbye(struct trip *t)
{
  t->step = VISIT_CLOSE;
  (void)pgsql_greet_end(&t->out);
  trip_part(t);
  trip_end_step(t);
}

enum visit_rc pgsql_visit(struct session *s, struct visit *v,
                          struct outcome *out)
{
  struct pgsql_arrival a;
  enum visit_rc rc = pgsql_arrive(&a, s, v, out);

  if (rc == VISIT_DONE)
    rc = ask(&a);
  if (rc == VISIT_DONE)
    say_goodbye(&a.trip);
  pgsql_arrival_done(&a);
  return rc;
}
