/*
 * monitor.c - a thread per server that reads what it does.
 */
#include "monitor/monitor.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "base/wait.h"
#include "db/process.h"
#include "monitor/account.h"
#include "monitor/files.h"
#include "monitor/link.h"
#include "monitor/local.h"
#include "monitor/options.h"
#include "monitor/raw.h"
#include "monitor/source.h"
#include "report/life.h"
#include "stats/report.h"

enum {
  SERVERS_MAX = 8
};

#define READ_EVERY_NS NS_PER_S /* at most so often */
#define LOOK_EVERY_NS (100 * NS_PER_MS)
#define LOOK_SHARE 50                 /* looks take 2 % of the time at most */
#define LEAD_MIN_NS (20 * NS_PER_MS)  /* a reading begins so early */
#define CONNECT_NS (3 * NS_PER_S / 2) /* below the patience at the end */
#define AGAIN_NS NS_PER_S             /* after a connection was lost */
#define PATIENCE_NS NS_PER_S          /* at the end, twice */
#define LAST_READING_NS                                 \
  (250 * NS_PER_MS) /* a slower server gets no last one \
                     */

/* A server, and the thread that reads it. */
struct reader {
  struct monitor *m;
  unsigned number;
  pthread_t thread;
  bool started;
  _Atomic uint32_t ended; /* waited for */

  /* Of the thread alone. */
  struct link link;
  struct server_access access;
  bool met;                /* there was a connection */
  pid_t local;             /* 0: it is not on this machine */
  uint64_t lead_ns;        /* before the end of an interval */
  struct raw_counters raw; /* of others after it has ended */

  pthread_mutex_t lock; /* protects the rest */
  struct account account;
  char target[256], failure[256];
  long pid;
  struct server_gaps gaps;
};

struct monitor {
  struct monitor_input in;
  const struct monitor_source *source; /* NULL: there are only files */
  struct conn_params params;
  char *host, *port;           /* owned; parts of --monitor-host */
  uint64_t start_ns;           /* of the measured part */
  uint64_t tick_ns;            /* from one reading to the next */
  _Atomic double events_per_s; /* of the run; 0 until its end */
  _Atomic uint32_t stop;       /* waited for */
  unsigned n;
  struct reader of[SERVERS_MAX];
};

/* ---- one server ---- */

static bool is_over(const struct reader *w)
{
  return atomic_load(&w->m->stop) != 0;
}

static void note_failure(struct reader *w)
{
  (void)pthread_mutex_lock(&w->lock);
  (void)snprintf(w->failure, sizeof(w->failure), "%s", w->link.why);
  (void)pthread_mutex_unlock(&w->lock);
}

static void note_gaps(struct reader *w, const struct server_gaps *gaps)
{
  (void)pthread_mutex_lock(&w->lock);
  w->gaps = *gaps;
  (void)pthread_mutex_unlock(&w->lock);
}

static void note_server(struct reader *w)
{
  struct strbuf target = { 0 };

  link_target(&w->link, &target);
  w->local = local_server(link_socket(&w->link));
  (void)pthread_mutex_lock(&w->lock);
  (void)snprintf(w->target, sizeof(w->target), "%s", strbuf_str(&target));
  w->failure[0] = '\0';
  w->met = true;
  w->pid = (long)w->local;
  (void)pthread_mutex_unlock(&w->lock);
  strbuf_done(&target);
}

static bool connect_to(struct reader *w)
{
  struct server_gaps gaps = w->gaps;

  if (!link_open(&w->link, clock_now_ns() + CONNECT_NS)) {
    note_failure(w);
    return false;
  }
  note_server(w);
  if (!reading_prepare(&w->link, w->m->source, &w->access, &gaps)) {
    note_failure(w);
    link_close(&w->link);
    return false;
  }
  note_gaps(w, &gaps);
  return true;
}

static void lose(struct reader *w)
{
  note_failure(w);
  (void)pthread_mutex_lock(&w->lock);
  account_lose(&w->account);
  (void)pthread_mutex_unlock(&w->lock);
  link_close(&w->link);
}

/* `grid_ns`: the end of the interval that it is for. */
static bool read_once(struct reader *w, uint64_t grid_ns)
{
  const struct monitor *m = w->m;
  struct server_gaps gaps = w->gaps;
  struct server_reading r;

  if (!m->source) {
    files_read(m->in.file, &r);
  } else if (!reading_take(&w->link, m->source, &w->access, &gaps, &r)) {
    lose(w);
    return false;
  }
  if (w->local > 0) {
    local_read("", w->local, &r);
    r.took_ns = clock_now_ns() - r.at_ns;
  }
  (void)pthread_mutex_lock(&w->lock);
  w->gaps = gaps;
  account_add(&w->account, m->source, &w->access, &r, grid_ns);
  (void)pthread_mutex_unlock(&w->lock);
  /* Four times as long as it usually takes. */
  w->lead_ns = max_u64(LEAD_MIN_NS, (3 * w->lead_ns + 4 * r.took_ns) / 4);
  w->lead_ns = min_u64(w->lead_ns, m->tick_ns / 4);
  return true;
}

static bool look_once(struct reader *w, uint64_t *ret_took_ns)
{
  struct server_gaps gaps = w->gaps;
  struct server_waits waits = { 0 };

  if (!reading_look(&w->link, w->m->source, &w->access, &gaps, &waits)) {
    lose(w);
    return false;
  }
  *ret_took_ns = waits.took_ns;
  (void)pthread_mutex_lock(&w->lock);
  w->gaps = gaps;
  server_waits_add(&w->account.waits, &waits);
  (void)pthread_mutex_unlock(&w->lock);
  return true;
}

static void pause_until(struct reader *w, uint64_t until_ns)
{
  wait_while(&w->m->stop, 0, until_ns);
}

/* The end of the next interval whose reading can still begin in time; the
 * start of the measured part is one. */
static uint64_t next_grid(const struct reader *w, uint64_t now_ns)
{
  const struct monitor *m = w->m;

  if (now_ns < m->start_ns)
    return m->start_ns;
  return m->start_ns +
         ((now_ns + w->lead_ns - m->start_ns) / m->tick_ns + 1) * m->tick_ns;
}

/* When the reading for it is due. */
static uint64_t due_for(const struct reader *w, uint64_t grid_ns)
{
  return grid_ns > w->m->start_ns ? grid_ns - w->lead_ns : grid_ns;
}

/* Until the run ends, or the connection is lost. */
static void follow(struct reader *w)
{
  uint64_t look_ns = w->m->source ? clock_now_ns() : UINT64_MAX;
  uint64_t grid_ns, took_ns = 0;

  /* The first reading is what the others are compared with. */
  if (clock_now_ns() >= w->m->start_ns && !read_once(w, 0))
    return;
  if (w->m->source && w->raw.n == 0 &&
      !raw_take(&w->raw, &w->link, w->m->source) && w->link.lost) {
    lose(w);
    return;
  }
  grid_ns = next_grid(w, clock_now_ns());
  while (!is_over(w)) {
    const uint64_t now = clock_now_ns();

    if (now >= due_for(w, grid_ns)) {
      if (!read_once(w, grid_ns))
        return;
      grid_ns = max_u64(grid_ns + w->m->tick_ns, next_grid(w, clock_now_ns()));
    } else if (now >= look_ns) {
      if (!look_once(w, &took_ns))
        return;
      look_ns = now + max_u64(LOOK_EVERY_NS, LOOK_SHARE * took_ns);
    } else {
      pause_until(w, min_u64(look_ns, due_for(w, grid_ns)));
    }
  }
  if (w->account.took_last_ns > LAST_READING_NS || !read_once(w, UINT64_MAX))
    return;
  if (w->m->source)
    (void)raw_take(&w->raw, &w->link, w->m->source);
}

/* A server that lets nobody in is not asked again: it may count that against
 * the user, or has no connection to spare. */
static bool gives_up(const struct reader *w)
{
  return w->link.permanent ||
         (w->m->in.cfg->stats == SERVER_STATS_AUTO && !w->met);
}

static void *watch_main(void *arg)
{
  struct reader *w = arg;
  const struct monitor *m = w->m;

  thread_set_name("bench-monitor");
  if (!m->source) {
    follow(w);
  } else {
    link_init(&w->link, m->in.db, &m->params, w->number);
    while (!is_over(w)) {
      if (connect_to(w))
        follow(w);
      else if (gives_up(w))
        break;
      if (!is_over(w))
        pause_until(w, clock_now_ns() + AGAIN_NS);
    }
    link_done(&w->link);
  }
  atomic_store(&w->ended, 1);
  wait_wake_all(&w->ended);
  return NULL;
}

/* ---- all of them ---- */

/* HOST, HOST:PORT, [HOST]:PORT or /SOCKET. */
static int split_host(struct monitor *m, const char *text)
{
  const char *colon = strrchr(text, ':');
  size_t len = strlen(text);

  if (*text == '/') {
    m->host = strdup(text);
    m->params.socket = m->params.host = m->host;
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
  m->params.host = m->host;
  m->params.port = m->port;
  return m->host ? 0 : -1;
}

static const char *given(const char *text)
{
  return text && *text ? text : NULL;
}

bool monitor_knows(const char *driver)
{
  return monitor_source_find(driver) != NULL;
}

int monitor_new(struct monitor **ret, const struct monitor_input *in,
                struct err *err)
{
  struct monitor *m = calloc(1, sizeof(*m));

  if (m && given(in->cfg->host) && split_host(m, in->cfg->host) < 0) {
    monitor_free(m);
    m = NULL;
  }
  if (!m)
    return err_set(err, -ENOMEM, "not enough memory for --server-stats");
  m->in = *in;
  m->source = monitor_source_find(in->driver);
  m->params.user = given(in->cfg->user);
  m->params.password = given(in->cfg->password);
  m->n = m->params.host ? 1 : (unsigned)min_u64(in->servers, SERVERS_MAX);
  for (unsigned i = 0; i < m->n; i++) {
    struct reader *w = &m->of[i];

    w->m = m;
    w->number = i;
    w->lead_ns = LEAD_MIN_NS;
    (void)pthread_mutex_init(&w->lock, NULL);
    if (in->file)
      (void)snprintf(w->target, sizeof(w->target), "file '%s'", in->file);
  }
  *ret = m;
  return 0;
}

void monitor_free(struct monitor *m)
{
  if (!m)
    return;
  for (unsigned i = 0; i < m->n; i++) {
    raw_done(&m->of[i].raw);
    (void)pthread_mutex_destroy(&m->of[i].lock);
  }
  free(m->host);
  free(m->port);
  free(m);
}

static int on_start(void *ctx, const struct run_start *start, struct err *err)
{
  struct monitor *m = ctx;
  int rc = 0;

  if (!atomic_load(&m->in.db->used)) /* a script without statements */
    m->n = 0;
  m->start_ns = start->measured_ns;
  m->tick_ns = start->interval_ns > 0 ? start->interval_ns : READ_EVERY_NS;
  if (m->tick_ns < READ_EVERY_NS)
    m->tick_ns *= (READ_EVERY_NS + m->tick_ns - 1) / m->tick_ns;
  for (unsigned i = 0; rc == 0 && i < m->n; i++) {
    rc = thread_start_masked(&m->of[i].thread, watch_main, &m->of[i], err);
    m->of[i].started = rc == 0;
    if (rc < 0)
      (void)snprintf(m->of[i].failure, sizeof(m->of[i].failure), "%.255s",
                     err->text);
  }
  /* Nobody has asked for it: the run goes on without. */
  return m->in.cfg->stats == SERVER_STATS_AUTO ? 0 : rc;
}

static int on_interval(void *ctx, const struct report_setup *setup,
                       const struct report *r, struct err *err)
{
  struct monitor *m = ctx;

  (void)setup;
  (void)err;
  for (unsigned i = 0; i < m->n; i++) {
    struct reader *w = &m->of[i];

    (void)pthread_mutex_lock(&w->lock);
    account_pass(&w->account, r->end_ns);
    (void)pthread_mutex_unlock(&w->lock);
  }
  return 0;
}

static int on_final(void *ctx, const struct report_setup *setup,
                    const struct report *r, struct err *err)
{
  const struct report *total = r->total ? r->total : r;

  (void)setup;
  (void)err;
  atomic_store(&((struct monitor *)ctx)->events_per_s,
               report_rate(total, total->events));
  return 0;
}

static bool await(struct reader *w, uint64_t until_ns)
{
  while (atomic_load(&w->ended) == 0 && clock_now_ns() < until_ns)
    wait_while(&w->ended, 0, until_ns);
  return atomic_load(&w->ended) != 0;
}

/* What does not end in time is interrupted, then left behind. */
static void end_thread(struct monitor *m, struct reader *w, uint64_t until_ns)
{
  if (!w->started)
    return;
  w->started = false;
  if (!await(w, until_ns)) {
    if (m->source)
      link_interrupt(&w->link);
    if (!await(w, clock_now_ns() + PATIENCE_NS)) {
      leave_thread(m->in.leave);
      (void)pthread_detach(w->thread);
      return;
    }
  }
  (void)pthread_join(w->thread, NULL);
}

static void end_all(struct monitor *m)
{
  const uint64_t until_ns = clock_now_ns() + PATIENCE_NS;

  atomic_store(&m->stop, 1);
  wait_wake_all(&m->stop);
  for (unsigned i = 0; i < m->n; i++)
    end_thread(m, &m->of[i], until_ns);
}

static int on_over(void *ctx, const struct run_end *end, struct err *err)
{
  (void)end;
  (void)err;
  end_all(ctx);
  return 0;
}

static int on_end(void *ctx, struct err *err)
{
  (void)err;
  end_all(ctx);
  return 0;
}

const struct reporter monitor_reporter = {
  .name = "server-stats",
  .start = on_start,
  .interval = on_interval,
  .final = on_final,
  .over = on_over,
  .end = on_end,
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
  (void)pthread_mutex_unlock(&w->lock);
}

void monitor_latest(struct monitor *m, unsigned server,
                    struct server_interval *ret)
{
  struct reader *w = &m->of[server];

  (void)pthread_mutex_lock(&w->lock);
  *ret = w->account.latest;
  (void)pthread_mutex_unlock(&w->lock);
}

void monitor_total(struct monitor *m, unsigned server, struct server_total *ret)
{
  struct reader *w = &m->of[server];

  *ret = (struct server_total){ 0 };
  (void)pthread_mutex_lock(&w->lock);
  account_total(&w->account, ret);
  ret->gaps = w->gaps;
  ret->pid = w->pid;
  memcpy(ret->target, w->target, sizeof(ret->target));
  memcpy(ret->failure, w->failure, sizeof(ret->failure));
  (void)pthread_mutex_unlock(&w->lock);
  ret->events = atomic_load(&m->events_per_s) * (double)ret->period_ns /
                (double)NS_PER_S;
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
