/*
 * monitor.c - what the servers of a run do, for its reporters.
 */
#include "monitor/monitor.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "db/counts.h"
#include "db/process.h"
#include "monitor/options.h"
#include "monitor/reader.h"
#include "monitor/source.h"
#include "report/life.h"
#include "stats/recorder.h"
#include "stats/report.h"

enum {
  SERVERS_MAX = 8
};

#define READ_EVERY_NS NS_PER_S /* at most */
#define PATIENCE_NS NS_PER_S   /* at the end, twice */

struct monitor {
  struct monitor_input in;
  struct readers all;
  char *host, *port; /* owned; parts of --server-host */
  double share;      /* events of the run for each of this process */
  uint64_t ticks;    /* readings due in the intervals so far */
  unsigned n;
  struct reader of[SERVERS_MAX];
};

/* HOST, HOST:PORT, [HOST]:PORT or /SOCKET. */
static int monitor_split_host(struct monitor *m, const char *text)
{
  const char *colon = strrchr(text, ':');
  size_t len = strlen(text);

  if (*text == '/') {
    m->host = strdup(text);
    m->all.params.socket = m->all.params.host = m->host;
    return m->host ? 0 : -1;
  }
  if (colon && (strchr(text, ':') == colon || colon[-1] == ']')) {
    m->port = strdup(colon + 1);
    len = (size_t)(colon - text);
    if (!m->port)
      return -1;
  }
  if (len > 1 && text[0] == '[' && text[len - 1] == ']') {
    text++;
    len -= 2;
  }
  m->host = strndup(text, len);
  m->all.params.host = m->host;
  m->all.params.port = m->port;
  return m->host ? 0 : -1;
}

static const char *monitor_given(const char *text)
{
  return text && *text ? text : NULL;
}

/* NULL: no queries for this kind of server. */
static const struct monitor_source *monitor_source_find(const char *driver)
{
  static const struct monitor_source *const all[] = { &monitor_mysql,
                                                      &monitor_pgsql };

  for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
    if (strcmp(all[i]->driver, driver) == 0)
      return all[i];
  }
  return NULL;
}

bool monitor_knows(const char *driver)
{
  return monitor_source_find(driver) != NULL;
}

int monitor_new(struct monitor **ret, const struct monitor_input *in,
                struct err *err)
{
  struct monitor *m = calloc(1, sizeof(*m));

  if (m && monitor_given(in->cfg->host) &&
      monitor_split_host(m, in->cfg->host) < 0) {
    monitor_free(m);
    m = NULL;
  }
  if (!m)
    return err_set(err, -ENOMEM, "not enough memory for --server-stats");
  m->in = *in;
  m->share = 1;
  m->all.db = in->db;
  m->all.file = in->file;
  m->all.statements = max_u64(in->cfg->statements, DIGESTS_USUAL);
  m->all.may_give_up = in->cfg->stats == SERVER_STATS_AUTO;
  m->all.source = monitor_source_find(in->driver);
  if (!m->all.source)
    atomic_store_explicit(&in->db->counts.wanted, true, memory_order_relaxed);
  m->all.params.user = monitor_given(in->cfg->user);
  m->all.params.password = monitor_given(in->cfg->password);
  m->n = m->all.params.host ? 1 : (unsigned)min_u64(in->servers, SERVERS_MAX);
  for (unsigned i = 0; i < m->n; i++)
    reader_init(&m->of[i], &m->all, i);
  *ret = m;
  return 0;
}

void monitor_free(struct monitor *m)
{
  if (!m)
    return;
  for (unsigned i = 0; i < m->n; i++)
    reader_done(&m->of[i]);
  free(m->host);
  free(m->port);
  free(m);
}

static int monitor_on_start(void *ctx, const struct run_start *start,
                            struct err *err)
{
  struct monitor *m = ctx;
  int rc = 0;

  if (!atomic_load(&m->in.db->used)) /* a script without statements */
    m->n = 0;
  m->all.start_ns = start->measured_ns;
  m->all.recorders = start->recorders;
  m->all.tick_ns = start->interval_ns > 0 ? start->interval_ns : READ_EVERY_NS;
  if (m->all.tick_ns < READ_EVERY_NS)
    m->all.tick_ns *= (READ_EVERY_NS + m->all.tick_ns - 1) / m->all.tick_ns;
  for (unsigned i = 0; rc == 0 && i < m->n; i++) {
    rc = thread_start_masked(&m->of[i].thread, reader_main, &m->of[i], err);
    m->of[i].started = rc == 0;
    if (rc < 0)
      (void)snprintf(m->of[i].failure, sizeof(m->of[i].failure), "%.255s",
                     err->text);
  }
  /* not asked for: the run goes on without */
  return m->in.cfg->stats == SERVER_STATS_AUTO ? 0 : rc;
}

static int monitor_on_interval(void *ctx, const struct report_setup *setup,
                               const struct report *r, struct err *err)
{
  struct monitor *m = ctx;
  const uint64_t ticks = r->end_ns > m->all.start_ns
                           ? (r->end_ns - m->all.start_ns) / m->all.tick_ns
                           : 0;
  const struct account_part interval = { r->end_ns, ticks > m->ticks };

  (void)setup;
  (void)err;
  m->ticks = ticks;
  for (unsigned i = 0; i < m->n; i++) {
    struct reader *w = &m->of[i];

    (void)pthread_mutex_lock(&w->lock);
    account_pass(&w->account, &interval);
    (void)pthread_mutex_unlock(&w->lock);
  }
  return 0;
}

/* Events of all ranks for each of this rank, whose threads come first. */
static double monitor_share_of(const struct monitor *m,
                               const struct report *total)
{
  const unsigned own = m->all.recorders->n;
  uint64_t events = 0;

  if (total->threads <= own)
    return 1;
  for (unsigned i = 0; total->thread && i < own; i++)
    events += total->thread[i].events;
  return events > 0 ? (double)total->events / (double)events
                    : (double)total->threads / own;
}

static int monitor_on_final(void *ctx, const struct report_setup *setup,
                            const struct report *r, struct err *err)
{
  struct monitor *m = ctx;
  const struct report *total = r->total ? r->total : r;

  m->share = monitor_share_of(m, total);
  (void)setup;
  (void)err;
  for (unsigned i = 0; i < m->n; i++) {
    struct reader *w = &m->of[i];

    (void)pthread_mutex_lock(&w->lock);
    account_finish(&w->account, total->end_ns);
    (void)pthread_mutex_unlock(&w->lock);
  }
  return 0;
}

static bool monitor_await(struct reader *w, uint64_t until_ns)
{
  while (atomic_load(&w->ended) == 0 && clock_now_ns() < until_ns)
    wait_while(&w->ended, 0, until_ns);
  return atomic_load(&w->ended) != 0;
}

/* Interrupts what does not end in time, then leaves it behind. */
static void monitor_end_thread(struct monitor *m, struct reader *w,
                               uint64_t until_ns)
{
  if (!w->started)
    return;
  w->started = false;
  if (!monitor_await(w, until_ns)) {
    if (m->all.source)
      link_interrupt(&w->link);
    if (!monitor_await(w, clock_now_ns() + PATIENCE_NS)) {
      leave_thread(m->in.leave);
      (void)pthread_detach(w->thread);
      return;
    }
  }
  (void)pthread_join(w->thread, NULL);
}

static void monitor_end_all(struct monitor *m)
{
  const uint64_t until_ns = clock_now_ns() + PATIENCE_NS;

  atomic_store(&m->all.stop, 1);
  wait_wake_all(&m->all.stop);
  for (unsigned i = 0; i < m->n; i++)
    monitor_end_thread(m, &m->of[i], until_ns);
}

static int monitor_on_over(void *ctx, const struct run_end *end,
                           struct err *err)
{
  (void)end;
  (void)err;
  monitor_end_all(ctx);
  return 0;
}

static int monitor_on_end(void *ctx, struct err *err)
{
  (void)err;
  monitor_end_all(ctx);
  return 0;
}

const struct reporter monitor_reporter = {
  .name = "server-stats",
  .start = monitor_on_start,
  .interval = monitor_on_interval,
  .final = monitor_on_final,
  .over = monitor_on_over,
  .end = monitor_on_end,
};

/* ---- for other reporters ---- */

unsigned monitor_servers(const struct monitor *m)
{
  return m ? m->n : 0;
}

void monitor_interval(struct monitor *m, unsigned server,
                      struct server_interval *ret)
{
  struct reader *w = &m->of[server];

  (void)pthread_mutex_lock(&w->lock);
  *ret = w->account.shown;
  ret->local = w->near;
  (void)pthread_mutex_unlock(&w->lock);
}

void monitor_latest(struct monitor *m, unsigned server,
                    struct server_interval *ret)
{
  struct reader *w = &m->of[server];

  (void)pthread_mutex_lock(&w->lock);
  *ret = w->account.latest;
  ret->local = w->near;
  (void)pthread_mutex_unlock(&w->lock);
}

void monitor_total(struct monitor *m, unsigned server, struct server_total *ret)
{
  struct reader *w = &m->of[server];

  *ret = (struct server_total){ 0 };
  (void)pthread_mutex_lock(&w->lock);
  account_total(&w->account, ret);
  ret->events *= m->share;
  ret->gaps = w->gaps;
  ret->pid = w->pid;
  memcpy(ret->target, w->target, sizeof(ret->target));
  memcpy(ret->failure, w->failure, sizeof(ret->failure));
  (void)pthread_mutex_unlock(&w->lock);
}

bool monitor_raw(const struct monitor *m, unsigned server, size_t i,
                 struct server_raw *ret)
{
  const struct reader *w = &m->of[server];

  if (atomic_load(&w->ended) == 0 || i >= w->raw.n)
    return false;
  ret->name = w->raw.of[i].name;
  ret->change = w->raw.of[i].ended ? w->raw.of[i].last - w->raw.of[i].first : 0;
  return true;
}

const struct digests *monitor_statements(const struct monitor *m,
                                         unsigned server)
{
  const struct reader *w = &m->of[server];

  return atomic_load(&w->ended) != 0 && w->digests.period_ns > 0 ? &w->digests
                                                                 : NULL;
}
