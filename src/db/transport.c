#include "db/transport.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "base/strbuf.h"
#include "db/call.h"
#include "db/conn_state.h"
#include "db/dialect.h"
#include "db/error_policy.h"
#include "db/look.h"
#include "db/message.h"
#include "db/options.h"
#include "db/pool.h"
#include "db/role.h"
#include "loop/fiber.h"
#include "loop/loop.h"

/* The server's text ends with the session. */
static void transport_keep_reason(struct conn *c)
{
  const char *text = c->out.msg ? c->out.msg : "the server does not answer";

  strbuf_clear(&c->no_answer);
  strbuf_adds(&c->no_answer, "--isolation is refused: ");
  strbuf_add(&c->no_answer, text, strcspn(text, "\n"));
  c->out.msg = strbuf_str(&c->no_answer);
}

/* WAITS until `until_ns` (clock_now_ns()). 0; or -1 and c->out. */
static int transport_isolation_set(struct conn *c, uint64_t until_ns)
{
  static const char *const names[] = {
    [ISOLATION_READ_UNCOMMITTED] = "READ UNCOMMITTED",
    [ISOLATION_READ_COMMITTED] = "READ COMMITTED",
    [ISOLATION_REPEATABLE_READ] = "REPEATABLE READ",
    [ISOLATION_SERIALIZABLE] = "SERIALIZABLE",
  };
  struct db_process *p = c->env->process;
  const int level = p->set.isolation;
  char sql[128];
  bool done;

  if (!p->in_run || level == ISOLATION_DEFAULT ||
      !c->driver->isolation_statement)
    return 0;
  (void)snprintf(sql, sizeof(sql), "%s %s", c->driver->isolation_statement,
                 names[level]);
  watch_until(&p->watch, c->watched, until_ns);
  done = look_executes(c, sql);
  watch_until(&p->watch, c->watched, 0);
  if (!done)
    transport_keep_reason(c);
  c->out.lost = false;
  return done ? 0 : -1;
}

#define CLIENTS_PER_MS 10.0

enum {
  FILES_SPARE = 64, /* besides connections */
};

static void transport_debug_line(void *ctx, const char *key, const char *value)
{
  strbuf_addf(ctx, "%s%s %s", ((struct strbuf *)ctx)->len ? ", " : "", key,
              value);
}

static void transport_say_about(struct conn *c)
{
  struct strbuf line = { 0 };

  if (c->driver->about) {
    c->driver->about(c->session, transport_debug_line, &line);
    log_msg(LOG_DEBUG, "connection %llu: %s",
            (unsigned long long)c->session->number, strbuf_str(&line));
  }
  strbuf_done(&line);
}

unsigned transport_files(const struct conn *c)
{
  /* with log and index */
  const unsigned each = c->driver->caps & DRIVER_SERVER ? 1 : 3;

  return c->env->process->facts.threads * each + FILES_SPARE;
}

static void check_files(const struct conn *c)
{
  const unsigned need = transport_files(c);
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
      limit.rlim_max != RLIM_INFINITY && limit.rlim_max < (rlim_t)need)
    log_msg(LOG_WARNING,
            "only %llu files may be open (ulimit -n), this run needs about %u; "
            "raise the limit, or use fewer --%ss",
            (unsigned long long)limit.rlim_max, need,
            c->env->process->worker ? c->env->process->worker : "thread");
}

/* First server connection of a run, first of several processes. */
static void check_before_run(struct conn *c)
{
  struct db_process *p = c->env->process;
  struct strbuf lines = { 0 };

  if (!p->in_run || !p->is_known || !(c->driver->caps & DRIVER_SERVER) ||
      atomic_exchange_explicit(&p->checked, true, memory_order_relaxed))
    return;
  check_files(c);
  if (c->driver->check_before_run && p->first_number == 0)
    c->driver->check_before_run(c->session, &p->facts, &lines);
  message_lines(LOG_WARNING, &lines);
  strbuf_done(&lines);
}

/* If the script draws keys or needs indexes; first of several processes. */
static void check_tables(struct conn *c)
{
  struct db_process *p = c->env->process;
  struct tables_look look = p->seen;
  struct strbuf lines = { 0 };
  size_t at;

  if (!p->in_run || !p->is_known || (p->facts.rows == 0 && !p->facts.indexed) ||
      !(c->driver->caps & DRIVER_KEEPS_ROWS) || p->first_number > 0 ||
      atomic_exchange_explicit(&p->looked, true, memory_order_relaxed))
    return;
  if (look.n != (p->facts.tables < LOOK_TABLES ? p->facts.tables : LOOK_TABLES))
    look_at_tables(c, &p->facts, &look);
  if (p->facts.indexed && process_has_indexes(p))
    look_at_indexes(c, &look);
  look_warn(&look, &p->facts, &lines);
  atomic_store(&p->keys_missing, lines.len > 0);
  look_warn_missing(&look, &lines);
  at = lines.len;
  look_unindexed(&look, &lines);
  if (lines.len > at)
    strbuf_adds(&lines, ": create it, or give --create-secondary=off\n");
  if (!p->facts.as_sysbench || log_get_level() >= LOG_INFO)
    message_lines(LOG_WARNING, &lines);
  strbuf_done(&lines);
}

static void transport_put_fact(void *ctx, const char *key, const char *value)
{
  facts_text(ctx, key, value);
}

static void transport_keep_version(void *ctx, const char *key,
                                   const char *value)
{
  if (strcmp(key, "server_version") == 0)
    strbuf_adds(ctx, value);
}

static void transport_note_dialect(struct conn *c)
{
  struct strbuf version = { 0 };
  const char *name;

  if (process_dialect(c->env->process) || !c->driver->about)
    return;
  c->driver->about(c->session, transport_keep_version, &version);
  name = dialect_detect(c->driver->name, strbuf_str(&version));
  if (name)
    process_note_dialect(c->env->process, name);
  strbuf_done(&version);
}

static void transport_note_server(struct conn *c)
{
  struct db_process *p = c->env->process;
  uint64_t bytes;

  if (!p->in_run || !(p->in_results || p->is_known) ||
      atomic_load_explicit(&p->noted, memory_order_relaxed) ||
      atomic_flag_test_and_set(&p->noting))
    return;
  p->driver = c->driver;
  if (c->driver->about)
    c->driver->about(c->session, transport_put_fact, &p->server);
  if (c->driver->server_settings)
    c->driver->server_settings(c->session, transport_put_fact, &p->server);
  if (p->in_results && look_at_data(c, &bytes))
    facts_int(&p->server, "data_bytes", (int64_t)bytes);
  atomic_store_explicit(&p->noted, true, memory_order_release);
}

static int transport_socket(const struct conn *c)
{
  return c->driver->socket ? c->driver->socket(c->session) : -1;
}

static void transport_note_round_trip(const struct conn *c)
{
  _Atomic uint64_t *least = &c->env->process->round_trip_ns;
  const int fd = transport_socket(c);
  const uint64_t ns = fd >= 0 ? sock_round_trip_ns(fd) : 0;
  uint64_t was = atomic_load_explicit(least, memory_order_relaxed);

  while (ns > 0 && (was == 0 || ns < was) &&
         !atomic_compare_exchange_weak_explicit(
           least, &was, ns, memory_order_relaxed, memory_order_relaxed))
    ;
}

static void transport_note_place(struct conn *c)
{
  struct db_process *p = c->env->process;
  const int fd = transport_socket(c);
  const bool here = fd >= 0 && sock_is_local(fd);

  if (fd < 0 || atomic_load_explicit(&p->place_known, memory_order_relaxed))
    return;
  transport_note_round_trip(c);
  p->place_here = here;
  p->place_pid = here && !p->relay ? sock_peer(fd) : 0;
  atomic_store_explicit(&p->place_known, true, memory_order_release);
}

void transport_drop(struct conn *c)
{
  if (!conn_is_open(c))
    return;
  watch_closing(c->watched);
  if (c->lease)
    pool_stmts_clear(&c->lease->stmts, c->driver);
  for (struct conn_stmt *st = c->stmts; st; st = st->next) {
    if (st->ready && st->prepared)
      c->driver->unprepare(st->prepared, true);
    st->ready = false;
  }
  transport_note_round_trip(c);
  c->driver->disconnect(c->session);
  c->session->trx = TRX_NONE;
  call_idle(c);
  c->state = CONN_LOST;
  c->owed &= ~(unsigned)(CONN_OWES_ROLLBACK | CONN_OWES_CANCEL);
  c->bulk.own_trx = false;
  c->copies = false;
}

static void transport_note_served(const struct conn *c)
{
  if (conn_is_listed(c))
    atomic_store_explicit(&c->env->process->served,
                          c->session->number + c->session->attempt,
                          memory_order_relaxed);
}

/* Only for statements?  The first was asked everything. */
static bool transport_is_one_of_many(const struct conn *c)
{
  const struct db_process *p = c->env->process;

  if (!c->env->shares_thread || c->visitor ||
      (p->set.debug && log_get_level() >= LOG_DEBUG))
    return false;
  return p->in_run && atomic_load_explicit(&p->noted, memory_order_relaxed) &&
         atomic_load_explicit(&p->checked, memory_order_relaxed);
}

struct outcome transport_gone(const struct conn *c)
{
  const int *codes = c->driver->connection_codes;

  return (struct outcome){ .code = codes ? codes[0] : 0,
                           .state = "08006",
                           .lost = true };
}

static int transport_ask_server(struct conn *c)
{
  struct db_process *p = c->env->process;
  const struct db_cfg *set = &p->set;
  const bool debug = set->debug && log_get_level() >= LOG_DEBUG;
  uint64_t until_ns;

  if (!debug &&
      (!p->in_run || atomic_load_explicit(&p->asked, memory_order_relaxed)))
    return 0;
  until_ns = call_ask(c);
  if (debug)
    transport_say_about(c);
  check_before_run(c);
  transport_note_server(c);
  check_tables(c);
  if (call_asked(c, until_ns)) {
    atomic_store_explicit(&p->asked, true, memory_order_relaxed);
    return 0;
  }
  c->out = transport_gone(c);
  c->out.lost = false;
  strbuf_clear(&c->no_answer);
  strbuf_addf(&c->no_answer,
              "the server lets clients in, and does not answer within "
              "--db-%s-timeout=%g\n",
              set->query_timeout_s > 0 ? "query" : "connect",
              call_patience_s(p));
  c->out.msg = strbuf_str(&c->no_answer);
  return -1;
}

static bool transport_again(const struct conn *c)
{
  return c->generation != 0 || c->visitor;
}

static int transport_open_session(struct conn *c, uint64_t until_ns)
{
  const enum conn_state before = c->state;

  c->out = (struct outcome){ 0 };
  c->session->trx = TRX_NONE;
  c->session->may_be_raw = transport_is_one_of_many(c);
  if (password_connect(&c->env->process->password, c->session,
                       &c->env->process->limiter, transport_again(c), until_ns,
                       &c->out) < 0)
    return -1;
  c->state = CONN_IDLE;
  c->owed &= ~(unsigned)(CONN_OWES_ROLLBACK | CONN_OWES_CANCEL);
  watch_opened(c->watched);
  if ((role_matters(c) && role_check(c, until_ns) < 0) ||
      transport_isolation_set(c, until_ns) < 0) {
    transport_drop(c);
    c->state = before;
    return -1;
  }
  c->generation++;
  transport_note_served(c);
  transport_note_place(c);
  transport_note_dialect(c);
  if (transport_ask_server(c) < 0) {
    transport_drop(c);
    c->state = before;
    return -1;
  }
  if (c->session->only_asked && !c->session->may_be_raw &&
      transport_is_one_of_many(c)) {
    transport_drop(c);
    c->state = before;
    return transport_open_session(c, until_ns);
  }
  return 0;
}

/* `unread` of the lost statement does not apply. */
static int transport_open_here(struct conn *c, uint64_t until_ns)
{
  const bool unread = c->session->unread;
  int rc;

  c->session->unread = false;
  rc = transport_open_session(c, until_ns);
  c->session->unread = unread;
  return rc;
}

struct opening {
  struct conn *c;
  uint64_t until_ns, asked_ns, limit_ns, waited_ns;
  int rc;
};

uint64_t transport_deadline(const struct conn *c)
{
  return limiter_deadline(&c->env->process->limiter, c->pool != NULL);
}

bool transport_enter(struct conn *c, uint64_t deadline_ns)
{
  if (limiter_enter(&c->env->process->limiter, deadline_ns))
    return true;
  c->out = (struct outcome){ .lost = true,
                             .over = true,
                             .msg = "the run ended before this connection "
                                    "could be opened" };
  return false;
}

uint64_t transport_until(const struct conn *c, uint64_t asked_ns,
                         uint64_t until_ns)
{
  return limiter_until(&c->env->process->limiter, transport_again(c), asked_ns,
                       until_ns);
}

static void transport_open_in_limit(void *arg)
{
  struct opening *o = arg;

  if (!transport_enter(o->c, o->limit_ns)) {
    o->waited_ns = clock_now_ns() - o->asked_ns;
    o->rc = -1;
    return;
  }
  o->waited_ns = clock_now_ns() - o->asked_ns;
  o->rc = transport_open_here(o->c,
                              transport_until(o->c, o->asked_ns, o->until_ns));
  limiter_leave(&o->c->env->process->limiter);
}

static bool transport_suits_fibers(const struct conn *c)
{
  const struct limiter *l = &c->env->process->limiter;

  return (c->driver->caps & DRIVER_NEVER_WAITS && limiter_is_open(l)) ||
         (c->driver->log_in && limiter_suits_fibers(l) &&
          transport_is_one_of_many(c) && !role_matters(c) &&
          c->env->process->set.isolation == ISOLATION_DEFAULT);
}

static void transport_allow_connects(const struct conn *c)
{
  const int n = c->env->process->set.connect_concurrency;

  if (n > 0)
    loop_set_connects((unsigned)n);
}

void transport_aside(struct conn *c, void (*fn)(void *arg), void *arg)
{
  if (transport_suits_fibers(c)) {
    fn(arg);
    return;
  }
  transport_allow_connects(c);
  loop_aside(fn, arg, LOOP_ASIDE_CONNECT);
}

void transport_begin(struct conn *c)
{
  transport_allow_connects(c);
  loop_begin_connect();
  c->opens = true;
}

void transport_end(struct conn *c)
{
  c->opens = false;
  loop_end_connect();
  if (!(c->driver->caps & DRIVER_NEVER_WAITS))
    fiber_trim_stack();
}

int transport_open(struct conn *c, uint64_t until_ns, uint64_t *ret_turn_ns)
{
  const bool nested = c->opens;
  struct opening o = { .c = c,
                       .until_ns = until_ns,
                       .asked_ns = clock_now_ns(),
                       .limit_ns = nested ? c->turn_ns
                                          : transport_deadline(c) };

  if (nested) {
    transport_open_in_limit(&o);
  } else {
    transport_begin(c);
    transport_aside(c, transport_open_in_limit, &o);
    transport_end(c);
  }
  if (!c->env->shares_thread)
    c->session->blocks = 0;
  if (ret_turn_ns)
    *ret_turn_ns = o.waited_ns;
  return o.rc;
}

uint64_t transport_limit(const struct conn *c)
{
  const struct db_process *p = c->env->process;
  const double s = p->set.connect_timeout_s > 0 ? p->set.connect_timeout_s : 10;

  return clock_now_ns() + (uint64_t)(s * (double)NS_PER_S);
}

uint64_t transport_jittered(const struct conn *c, double ms)
{
  return (uint64_t)(ms * (double)NS_PER_MS *
                    (0.8 + 0.4 * env_random_double(c->env)));
}

void transport_reason(const struct conn *c, struct strbuf *line)
{
  const struct db_cfg *set = &c->env->process->set;

  if (!c->out.other_role) {
    c->driver->connect_reason(c->session, &c->out, line);
    return;
  }
  c->driver->target(c->session, line);
  strbuf_addf(line, ": %s", c->out.msg);
  if (set->target != ROLE_ANY)
    strbuf_addf(line, ", and --server-role is %s", db_role_wanted(set));
}

static bool transport_stays_there(const struct conn *c)
{
  return c->handle->state->ignore.failover || role_matters(c);
}

/* With one server, a new one has to take writes; unless none did at first. */
static int transport_open_again(struct conn *c, unsigned attempt,
                                uint64_t until_ns)
{
  const bool for_one = role_cache_applies(c) && !role_matters(c);
  const uint64_t settled = for_one ? role_cache_load(c) : 0;
  uint64_t turn;

  if (settled && !role_cache_writes(settled)) {
    role_cache_aim(c, settled);
    return transport_open(c, until_ns, NULL);
  }
  c->session->attempt = c->first + attempt;
  if (transport_open(c, until_ns, &turn) < 0)
    return -1;
  if (settled && !role_takes_writes(c, until_ns + turn)) {
    transport_drop(c);
    c->out.lost = false;
    return -1;
  }
  if (settled) {
    c->first = c->session->attempt;
    c->out = (struct outcome){ 0 };
    role_cache_store(c, true);
  }
  return 0;
}

static uint64_t transport_reconnect_pause_ns(const struct conn *c)
{
  const struct db_process *p = c->env->process;
  const double set_s = p->set.reconnect_pause_s, s = set_s > 0 ? set_s : 0.05;
  const double ms = fmax(1e3 * s, p->facts.threads / CLIENTS_PER_MS);

  return transport_jittered(c, ms);
}

enum transport_rc transport_try(struct conn *c, struct transport_retry *r)
{
  const uint64_t now = clock_now_ns();

  if (now >= r->until_ns ||
      !verdict_may_connect(env_phase(c->env, now), r->attempt,
                           r->until_ns != UINT64_MAX))
    return TRANSPORT_OVER;
  if (transport_open_again(c, r->attempt,
                           min_u64(transport_limit(c), r->until_ns)) == 0) {
    if (transport_stays_there(c))
      c->first = c->session->attempt;
    return TRANSPORT_BACK;
  }
  if (c->out.permanent &&
      (c->generation == 0 ||
       error_connect_fault(c->driver, &c->out) != FAULT_CONNECT))
    return TRANSPORT_PERMANENT;
  if (verdict_is_cut(&c->out, conn_is_dead(c)))
    return TRANSPORT_OVER;
  r->tried_ns = now;
  r->attempt++;
  r->next_ns = min_u64(clock_now_ns() + transport_reconnect_pause_ns(c),
                       r->until_ns);
  return TRANSPORT_AGAIN;
}
