#include "db/call.h"

#include <string.h>

#include "loop/loop.h"

_Static_assert((int)SB_CNT_READ == (int)COUNTER_READ &&
                 (int)SB_CNT_WRITE == (int)COUNTER_WRITE &&
                 (int)SB_CNT_OTHER == (int)COUNTER_OTHER,
               "scripts see our counters");

void call_misuse(struct conn *c, const char *api_error)
{
  c->fail = (struct failure){ .api_error = api_error, .text = "" };
  c->pub.error = DB_ERROR_FATAL;
  c->pub.sql_errno = 0;
  c->pub.sql_state = NULL;
  c->pub.sql_errmsg = NULL;
  c->cls = NULL;
}

bool call_disturbs(struct conn *c)
{
  static const char why[] =
    "a finalizer cannot use a connection of which rows are read, since the "
    "garbage collector calls it in the middle of that";
  const struct db_env *env = c->env;

  if (!(c->owed & CONN_OWES_LOOK))
    return false;
  if (!env->in_finalizer || !env->in_finalizer(env->in_finalizer_ctx)) {
    c->owed &= ~(unsigned)CONN_OWES_LOOK;
    return false;
  }
  call_misuse(c, why);
  conn_fail_text(c, why);
  return true;
}

void call_abandon(struct conn *c)
{
  call_misuse(c, "the run is over");
  c->fail.abandoned = true;
}

void call_end_rows_slow(struct conn *c)
{
  const enum conn_state before = c->state;

  if (!conn_is_open(c))
    return;
  call_idle(c);
  if (before == CONN_ROWS_MORE || before == CONN_MORE)
    c->state = CONN_MORE;
  else if (before == CONN_ROWS_REST || before == CONN_REST)
    c->state = CONN_REST;
}

void call_end_answer(struct conn *c)
{
  const bool rest = conn_has_rest(c);

  call_end_rows(c);
  if (rest)
    c->state = CONN_REST;
}

int call_drain(struct conn *c)
{
  const bool rest = conn_has_rest(c);
  int rc;

  call_end_rows(c);
  if (!rest)
    return 0;
  c->state = CONN_IDLE;
  (void)call_start(c);
  rc = call_end_results(c);
  call_stop(c);
  return rc;
}

int call_own(struct conn *c, const char *sql)
{
  int rc;

  (void)call_start(c);
  rc = call_query(c, sql, strlen(sql));
  if (rc == 0 && !c->out.settled &&
      (c->out.counter == COUNTER_READ || c->out.more))
    rc = call_end_results(c);
  call_stop(c);
  return rc;
}

bool call_pass_cancel(struct conn *c)
{
  const enum trx_state before = c->session->trx;

  c->owed &= ~(unsigned)CONN_OWES_CANCEL;
  if (!conn_is_open(c) || !watch_await(c->watched))
    return true;
  return call_own(c, CALL_AFTER_CANCEL) == 0 ||
         (!c->out.lost &&
          (c->session->trx != TRX_ABORTED || c->session->trx == before));
}

double call_patience_s(const struct db_process *p)
{
  const double s = p->set.query_timeout_s > 0 ? p->set.query_timeout_s
                                              : p->set.connect_timeout_s;

  return s > 0 ? s : 10; /* a program without a command line */
}

uint64_t call_ask(struct conn *c)
{
  struct db_process *p = c->env->process;
  const uint64_t until_ns = clock_now_ns() +
                            (uint64_t)(call_patience_s(p) * (double)NS_PER_S);

  if (!(c->driver->caps & DRIVER_SERVER))
    return UINT64_MAX;
  watch_until(&p->watch, c->watched, until_ns);
  return until_ns;
}

bool call_asked(struct conn *c, uint64_t until_ns)
{
  if (until_ns != UINT64_MAX)
    watch_until(&c->env->process->watch, c->watched, 0);
  return clock_now_ns() < until_ns;
}

void call_pause(const struct conn *c, uint64_t until_ns)
{
  const struct db_process *p = c->env->process;
  const uint64_t end = atomic_load_explicit(&p->end_ns, memory_order_relaxed);

  if (end != 0 && end < until_ns)
    until_ns = end;
  while (clock_now_ns() < until_ns &&
         atomic_load_explicit(p->over, memory_order_relaxed) == 0)
    loop_wait_while(p->over, 0, until_ns);
}

struct call_aside {
  struct conn *c;
  int (*of_prepared)(struct prepared *p, struct outcome *out);
  int (*of_session)(struct session *s, struct outcome *out);
  const char *sql;
  size_t len;
  struct prepared *p;
  int rc;
};

static void call_do(void *arg)
{
  struct call_aside *a = arg;
  struct session *s = a->c->session;
  struct outcome *out = &a->c->out;

  a->rc = a->of_prepared  ? a->of_prepared(a->p, out)
          : a->of_session ? a->of_session(s, out)
                          : a->c->driver->query(s, a->sql, a->len, out);
}

static int call_make(struct call_aside a, unsigned blocks)
{
  if (a.c->session->blocks & blocks)
    loop_aside(call_do, &a, LOOP_ASIDE_CALL);
  else
    call_do(&a);
  return a.rc;
}

int call_query_aside(struct conn *c, const char *sql, size_t len)
{
  return call_make((struct call_aside){ c, .sql = sql, .len = len },
                   SESSION_BLOCKS_ALL);
}

int call_execute_aside(struct conn *c, struct prepared *p)
{
  return call_make((struct call_aside){ c, c->driver->execute, .p = p },
                   SESSION_BLOCKS_ALL);
}

int call_prepare(struct conn *c, struct prepared *p)
{
  return call_make((struct call_aside){ c, c->driver->prepare, .p = p },
                   SESSION_BLOCKS_ALL | SESSION_BLOCKS_PREPARE);
}

int call_bind(struct conn *c, struct prepared *p)
{
  return call_make((struct call_aside){ c, c->driver->bind, .p = p },
                   SESSION_BLOCKS_ALL | SESSION_BLOCKS_PREPARE);
}

int call_next_result(struct conn *c)
{
  return call_make(
    (struct call_aside){ c, .of_session = c->driver->next_result },
    SESSION_BLOCKS_ALL);
}

int call_end_results(struct conn *c)
{
  return call_make(
    (struct call_aside){ c, .of_session = c->driver->end_results },
    SESSION_BLOCKS_ALL);
}
