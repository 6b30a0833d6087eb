#include "db/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "db/dialect.h"
#include "db/relay.h"

static void process_raise_file_limit(void)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
    return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int process_read_lists(struct db_process *p, size_t i, struct err *err)
{
  const struct driver *d = p->drivers[i].driver;
  const struct opt_list *own = d->ignore_errors
                                 ? d->ignore_errors(p->drivers[i].cfg)
                                 : NULL;
  struct ignore_list *l = &p->state[i].ignore;
  const enum ignore_kind kind = d->caps & DRIVER_BY_NUMBER ? IGNORE_NUMBERS
                                                           : IGNORE_ANY;
  int rc = 0;

  if (own)
    rc = ignore_list_add(l, own, kind, d->connection_codes, err);
  if (rc < 0)
    return rc;
  return ignore_list_add(l, &p->set.ignore_errors, IGNORE_ANY,
                         d->connection_codes, err);
}

int process_choose_dialect(struct db_process *p, const char *name,
                           struct err *err)
{
  struct dialect *d;
  const int rc = dialect_new(&d, name, err);

  if (rc < 0)
    return rc;
  atomic_store_explicit(&p->dialect, d, memory_order_release);
  if (p->set.ps_mode == PS_AUTO)
    p->set.ps_mode = d->ps_mode;
  return 0;
}

bool process_has_indexes(const struct db_process *p)
{
  return strcmp(dialect_text(process_dialect(p), "index"), "skip") != 0;
}

void process_note_dialect(struct db_process *p, const char *name)
{
  struct dialect *d = NULL;
  struct err ignored;

  (void)pthread_mutex_lock(&p->driver_lock);
  if (!process_dialect(p) && dialect_new(&d, name, &ignored) == 0) {
    atomic_store_explicit(&p->dialect, d, memory_order_release);
    if (d->rewrites || d->retry.n > 0)
      log_msg(LOG_NOTICE, "Dialect: %s, by the version of the server\n", name);
  }
  (void)pthread_mutex_unlock(&p->driver_lock);
}

void process_set_over(struct db_process *p, _Atomic uint32_t *over)
{
  p->over = over ? over : &p->never;
  p->limiter.over = p->over;
}

int process_init(struct db_process *p, struct err *err)
{
  int rc = 0;

  process_set_over(p, p->over);
  atomic_store(&p->next_number, p->first_number);
  (void)pthread_mutex_init(&p->driver_lock, NULL);
  (void)pthread_mutex_init(&p->failures.lock, NULL);
  password_init(&p->password, p->set.password_command, p->set.password_ttl_s);
  errtab_init(&p->errors);
  backends_init(&p->backends);
  counts_init(&p->counts);
  outage_init(&p->outage);
  flood_init(&p->flood);
  watch_init(&p->watch, p->set.query_timeout_s);
  p->churn = p->set.lifetime;
  if (p->set.churn_time.max > 0)
    p->churn.time_ns = p->set.churn_time;
  p->limiter.end_ns = &p->end_ns;
  limiter_init(&p->limiter, p->set.connect_rate, p->set.connect_concurrency);
  if (p->pool_sessions > 0) {
    p->pools = pools_new(p->carriers, p->pool_sessions);
    if (!p->pools)
      rc = err_set(err, -ENOMEM, "not enough memory for a pool");
  }
  if (p->n_drivers > DRIVERS_MAX)
    rc = err_set(err, -EINVAL, "too many drivers");
  for (size_t i = 0; i < p->n_drivers && rc == 0; i++)
    rc = process_read_lists(p, i, err);
  if (rc == 0 && p->set.dialect && *p->set.dialect)
    rc = process_choose_dialect(p, p->set.dialect, err);
  if (rc == 0 && p->set.rtt_s > 0)
    rc = relay_new(&p->relay, (uint64_t)(p->set.rtt_s * (double)NS_PER_S), err);
  if (rc < 0) {
    (void)process_done(p);
    return rc;
  }
  process_raise_file_limit();
  return 0;
}

/* False: threads are left in the driver's library. */
static bool driver_done(struct db_process *p, size_t i)
{
  const struct driver *d = p->drivers[i].driver;
  const bool ready = p->state[i].ready;

  if (ready && d->is_busy && d->is_busy())
    return false;
  if (ready && d->global_done)
    d->global_done(p->drivers[i].cfg);
  p->state[i].ready = false;
  ignore_list_done(&p->state[i].ignore);
  return true;
}

struct process_made {
  const void *cfg;
  void *made;
  void (*unmake)(void *made);
  struct process_made *next;
};

bool process_done(struct db_process *p)
{
  bool all = watch_stop(&p->watch);

  if (!all) {
    relay_stop(p->relay);
    return false;
  }
  for (size_t i = 0; i < p->n_drivers && i < DRIVERS_MAX; i++)
    all &= driver_done(p, i);
  relay_free(p->relay);
  p->relay = NULL;
  watch_done(&p->watch);
  flood_done(&p->flood);
  outage_done(&p->outage);
  counts_done(&p->counts);
  backends_done(&p->backends);
  pools_free(p->pools, p->carriers);
  p->pools = NULL;
  facts_done(&p->server);
  dialect_free(atomic_load(&p->dialect));
  errtab_done(&p->errors);
  password_done(&p->password);
  for (int i = 0; i < LOGIN_KEYS; i++)
    free(atomic_load(&p->login_keys.of[i]));
  for (struct process_made *s = atomic_load(&p->shared), *next; s; s = next) {
    next = s->next;
    s->unmake(s->made);
    free(s);
  }
  (void)pthread_mutex_destroy(&p->failures.lock);
  (void)pthread_mutex_destroy(&p->driver_lock);
  return all;
}

static struct process_made *shared_find(struct db_process *p, const void *cfg)
{
  struct process_made *s = atomic_load_explicit(&p->shared,
                                                memory_order_acquire);

  while (s && s->cfg != cfg)
    s = s->next;
  return s;
}

void *process_shared(struct db_process *p, const void *cfg,
                     void *(*make)(const void *cfg), void (*unmake)(void *made))
{
  struct process_made *s = shared_find(p, cfg);

  if (s)
    return s->made;
  (void)pthread_mutex_lock(&p->driver_lock);
  s = shared_find(p, cfg);
  if (!s && (s = mem_new(1, sizeof(*s))) != NULL) {
    *s = (struct process_made){ .cfg = cfg,
                                .made = make(cfg),
                                .unmake = unmake };
    s->next = atomic_load_explicit(&p->shared, memory_order_relaxed);
    atomic_store_explicit(&p->shared, s, memory_order_release);
  }
  (void)pthread_mutex_unlock(&p->driver_lock);
  return s ? s->made : NULL;
}

static const struct driver *process_server_driver(struct db_process *p)
{
  const struct driver *driver = NULL;

  (void)pthread_mutex_lock(&p->driver_lock);
  for (size_t i = 0; i < p->n_drivers && i < DRIVERS_MAX; i++) {
    if (p->state[i].ready && (p->drivers[i].driver->caps & DRIVER_SERVER))
      driver = p->drivers[i].driver;
  }
  (void)pthread_mutex_unlock(&p->driver_lock);
  return driver;
}

bool process_uses_server(struct db_process *p)
{
  return process_server_driver(p) != NULL;
}

bool process_server(struct db_process *p, int *ret_pid, const char **ret_driver)
{
  const struct driver *driver = process_server_driver(p);

  *ret_driver = driver ? driver->name : NULL;
  *ret_pid = 0;
  if (!atomic_load_explicit(&p->place_known, memory_order_acquire))
    return driver != NULL; /* perhaps */
  *ret_pid = p->place_pid;
  return p->place_here;
}

bool process_is_over(const struct db_process *p, uint64_t now_ns)
{
  const uint64_t end = atomic_load_explicit(&p->end_ns, memory_order_relaxed);

  return (end != 0 && now_ns >= end) ||
         atomic_load_explicit(p->over, memory_order_relaxed) != 0;
}

void process_connect_summary(struct db_process *p, unsigned threads)
{
  const bool shared = p->pool_sessions > 0;
  struct connect_failures *f = &p->failures;

  (void)pthread_mutex_lock(&f->lock);
  if (p->identity == IDENTITY_BENCH && f->count > 0 &&
      (f->count < threads || f->n_reasons > 1))
    log_msg(LOG_FATAL,
            shared ? "%s%u of %u clients got no connection"
                   : "%s%u of %u connections failed",
            f->count < threads ? "opening stopped after " : "", f->count,
            threads);
  else if (p->identity == IDENTITY_SYSBENCH && f->count > 0 && threads > 1)
    log_msg(LOG_FATAL, "%u of %u connections failed: %s", f->count, threads,
            f->reason[0].text);
  for (unsigned i = 0;
       p->identity == IDENTITY_BENCH && f->n_reasons > 1 && i < f->n_reasons;
       i++)
    log_msg(LOG_FATAL, "%u of these: %s", f->reason[i].count,
            f->reason[i].text);
  (void)pthread_mutex_unlock(&f->lock);
}

static void process_print_backends(struct db_process *p)
{
  const struct backends_seen seen = backends_get(&p->backends);
  struct strbuf line = { 0 };

  strbuf_addf(&line,
              "Backends seen: %" PRIu64 "%s by %" PRIu64
              " client%s that asked %" PRIu64 " time%s",
              seen.backends, seen.incomplete ? " or more" : "", seen.askers,
              seen.askers == 1 ? "" : "s", seen.asked,
              seen.asked == 1 ? "" : "s");
  if (seen.failed > 0)
    strbuf_addf(&line, " and had no answer %" PRIu64 " time%s", seen.failed,
                seen.failed == 1 ? "" : "s");
  log_msg(LOG_NOTICE, "%s\n", strbuf_str(&line));
  strbuf_done(&line);
}

static uint64_t process_whole_fact(const struct facts *f, const char *key)
{
  const struct fact *fact = facts_find(f, key);

  return !fact                     ? 0
         : fact->type == FACT_REAL ? (uint64_t)(fact->real * 1e9)
                                   : (uint64_t)fact->integer;
}

void process_take_whole(struct db_process *p, const struct facts *of)
{
  p->whole = (struct process_whole){
    .known = true,
    .pool_sessions = (unsigned)process_whole_fact(of, "pool_connections"),
    .pool = { .leases = process_whole_fact(of, "pool_leases"),
              .waits = process_whole_fact(of, "pool_waits"),
              .wait_ns = process_whole_fact(of, "pool_wait_s"),
              .longest_ns = process_whole_fact(of, "pool_longest_wait_s"),
              .rolled_back = process_whole_fact(of, "pool_rolled_back") },
  };
}

static void process_print_pool(const struct db_process *p)
{
  const struct pool_sum sum = p->whole.known ? p->whole.pool
                                             : pools_sum(p->pools, p->carriers);
  const unsigned sessions = p->whole.known ? p->whole.pool_sessions
                                           : p->pool_sessions;
  const double ms = sum.waits > 0
                      ? (double)sum.wait_ns / 1e6 / (double)sum.waits
                      : 0;
  struct strbuf line = { 0 };

  strbuf_addf(&line,
              "Pool: %u connection%s; %" PRIu64 " of %" PRIu64
              " leases had to wait",
              sessions, sessions == 1 ? "" : "s", sum.waits, sum.leases);
  if (sum.waits > 0)
    strbuf_addf(&line, ", %.2f ms each and %.2f ms at most", ms,
                (double)sum.longest_ns / 1e6);
  if (sum.rolled_back > 0)
    strbuf_addf(&line, "; %" PRIu64 " open transaction%s rolled back",
                sum.rolled_back, sum.rolled_back == 1 ? " was" : "s were");
  log_msg(LOG_NOTICE, "%s\n", strbuf_str(&line));
  strbuf_done(&line);
}

void process_final_messages(struct db_process *p)
{
  outage_print(&p->outage, p->worker ? p->worker : "thread");
  errtab_print(&p->errors, &p->flood, p->facts.bundled);
  flood_flush(&p->flood);
  if (!atomic_load_explicit(&p->used, memory_order_relaxed))
    return;
  if (p->pools)
    process_print_pool(p);
  if (p->set.backend_sample > 0)
    process_print_backends(p);
}

const char *process_statement_mode(const struct db_process *p)
{
  const bool native = atomic_load_explicit(&p->native, memory_order_relaxed);
  const bool emulated = atomic_load_explicit(&p->emulated,
                                             memory_order_relaxed);

  if (native && emulated)
    return "mixed";
  if (native)
    return p->set.ps_mode == PS_UNNAMED ? "unnamed" : "native";
  return emulated ? "emulated" : "none";
}

static bool process_is_noted(struct db_process *p)
{
  return atomic_load_explicit(&p->noted, memory_order_acquire);
}

static const char *process_durable_value(const struct facts *server,
                                         const char *name)
{
  const struct fact *f = facts_find(server, name);

  return f && f->type == FACT_TEXT ? f->text : NULL;
}

static bool process_durable_applies(const struct driver_durable *rule,
                                    const struct facts *server)
{
  const char *value = process_durable_value(server, rule->setting);
  const char *other = rule->if_setting
                        ? process_durable_value(server, rule->if_setting)
                        : NULL;

  if (!value ||
      (rule->if_setting && (!other || strcasecmp(other, rule->if_value) != 0)))
    return false;
  return rule->unsafe ? strcasecmp(value, rule->unsafe) == 0
                      : strcasecmp(value, rule->safe) != 0;
}

size_t process_gaps(const struct driver_durable *rules,
                    const struct facts *server, struct strbuf *to,
                    bool *ret_usual)
{
  size_t n = 0;

  *ret_usual = true;
  for (const struct driver_durable *r = rules; r && r->setting; r++) {
    if (!process_durable_applies(r, server))
      continue;
    strbuf_addf(to, "%s%s = %s (%s)", n > 0 ? ", " : "", r->setting,
                process_durable_value(server, r->setting), r->means);
    *ret_usual = *ret_usual && r->usual;
    n++;
  }
  return n;
}

size_t process_durable_gaps(struct db_process *p, struct strbuf *to,
                            bool *ret_usual)
{
  return process_is_noted(p)
           ? process_gaps(p->driver->durable, &p->server, to, ret_usual)
           : 0;
}

bool process_keeps_rows(struct db_process *p)
{
  return process_is_noted(p) && (p->driver->caps & DRIVER_KEEPS_ROWS);
}

static void process_describe_pool(const struct db_process *p, struct facts *ret)
{
  const struct pool_sum sum = pools_sum(p->pools, p->carriers);

  facts_int(ret, "pool_connections", (int64_t)p->pool_sessions);
  facts_int(ret, "pool_leases", (int64_t)sum.leases);
  facts_int(ret, "pool_waits", (int64_t)sum.waits);
  facts_real(ret, "pool_wait_s", (double)sum.wait_ns / 1e9);
  facts_real(ret, "pool_longest_wait_s", (double)sum.longest_ns / 1e9);
  facts_int(ret, "pool_rolled_back", (int64_t)sum.rolled_back);
  facts_merge_as(ret, "pool_", FACT_SUM);
  facts_merge_as(ret, "pool_longest_wait_s", FACT_MOST);
}

void process_describe(struct db_process *p, struct facts *ret)
{
  const struct outage_times t = outage_times(&p->outage, clock_now_ns());
  const uint64_t trip_ns = p->round_trip_ns + relay_round_trip_ns(p->relay);

  if (process_is_noted(p)) {
    facts_text(ret, "driver", p->driver->name);
    for (size_t i = 0; i < p->server.n; i++) {
      const struct fact *fact = &p->server.of[i];

      if (fact->type == FACT_TEXT)
        facts_text(ret, fact->key, fact->text);
      else if (fact->type == FACT_INT)
        facts_int(ret, fact->key, fact->integer);
    }
  }
  if (process_dialect(p))
    facts_text(ret, "dialect", process_dialect(p)->name);
  facts_text(ret, "statements", process_statement_mode(p));
  if (trip_ns > 0)
    facts_int(ret, "round_trip_ns", (int64_t)trip_ns);
  if (p->set.backend_sample > 0) {
    const struct backends_seen seen = backends_get(&p->backends);

    facts_int(ret, "backends_seen", (int64_t)seen.backends);
    facts_int(ret, "backends_askers", (int64_t)seen.askers);
    facts_int(ret, "backends_asked", (int64_t)seen.asked);
    facts_int(ret, "backends_failed", (int64_t)seen.failed);
  }
  if (p->pools)
    process_describe_pool(p, ret);
  if (p->pings + p->pings_failed > 0) {
    facts_int(ret, "idle_pings", (int64_t)p->pings);
    facts_int(ret, "idle_pings_failed", (int64_t)p->pings_failed);
    facts_merge_as(ret, "idle_pings", FACT_SUM);
  }
  facts_int(ret, "reconnects", (int64_t)t.reconnects);
  facts_real(ret, "longest_outage_s", (double)t.longest_ns / 1e9);
  facts_real(ret, "reconnect_late_s", (double)t.late_ns / 1e9);
  facts_real(ret, "without_connection_s", (double)t.total_ns / 1e9);
}
